# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Webhooks;

# A receiver of webhooks (tests/webhooks/receiver.js) that verifies messages with npm's standardwebhooks. The path says
# how it answers: /ok/a, /500/b, /hang/c.

use strict;
use warnings FATAL => 'all';

use Cpanel::JSON::XS ();
use HTTP::Tiny ();

use CatalogTest::Tools qw(setting slurp spew new_dir free_port);

our $SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

my %running;

# Starts a receiver. `secret` is the text of the secret's file.
sub new {
    my ($class, %o) = @_;
    my $self = bless { dir => new_dir(), port => free_port() }, $class;
    spew($self->secret, ($o{secret} // $SECRET) . "\n");
    chmod 0600, $self->secret;
    return $self->start;
}

sub start {
    my ($self) = @_;
    my $script = setting('top') . '/build/webhooks/receiver.js';
    -f $script or die "there is no $script: run make build/webhooks/receiver.js\n";
    my $pid = open(my $out, '-|', qw(setpriv --pdeathsig KILL node), $script, $self->secret, $self->log, $self->{port}) // die "$script: $!\n";
    <$out> // die "$script did not start\n"; # the receiver prints its port once it listens
    $running{ $self->{pid} = $pid } = $out;
    return $self;
}

sub kill {
    my ($self) = @_;
    my $out = delete $running{ $self->{pid} };
    kill KILL => $self->{pid};
    close $out;
}

sub secret { "$_[0]{dir}/secret" }
sub log { "$_[0]{dir}/log" }
sub url { "http://127.0.0.1:$_[0]{port}$_[1]" }

# Returns lines of CatalogWebhook for the paths. Options follow a path after a space.
sub lines {
    my ($self, @paths) = @_;
    return join '', map { my ($path, $options) = split / /, $_, 2; 'CatalogWebhook ' . $self->url($path) . qq( "secret=${\$self->secret}") . ($options ? " $options" : '') . "\n" } @paths;
}

# Changes how the path answers from now on.
sub answer { my ($self, $path, $how) = @_; HTTP::Tiny->new->post($self->url("/-$path"), { content => $how })->{success} or die "the receiver does not listen\n" }

# Returns the messages that a path, or any path, has received, oldest first.
sub received {
    my ($self, $path) = @_;
    my $text = -e $self->log ? slurp($self->log) : '';
    return grep { !defined $path || $_->{path} eq $path } map { Cpanel::JSON::XS::decode_json($_) } $text =~ /^(.*)\n/mg; # ignores a line that is still being written
}

# Returns the changes that a path has received, in order of arrival. The path must be one that answers ok.
sub changes { my ($self, $path) = @_; return map { @{ $_->{verified}{data} } } $self->received($path) }

END {
    local $?;
    CORE::kill(KILL => $_) for keys %running;
}

1;
