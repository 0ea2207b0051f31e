# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Smtp;

# The SMTP server of tests/smtp. new('--tls', $dir, ...) takes the script's options.

use strict;
use warnings FATAL => 'all';

use Cpanel::JSON::XS ();
use POSIX ();

use CatalogTest::Tools qw(setting slurp free_port);

my %running;

# Starts a server. `dir` is an empty directory for received mails. A second server on the same directory and port keeps
# them.
sub new {
    my ($class, $dir, @options) = @_;
    return (bless { dir => $dir, options => \@options, port => free_port() }, $class)->start;
}

sub start {
    my ($self) = @_;
    my $script = setting('top') . '/tests/smtp/server.py';
    my $pid = open(my $out, '-|', qw(setpriv --pdeathsig KILL /usr/bin/python3), $script,
        '--maildir', $self->{dir}, '--port', $self->{port}, @{ $self->{options} })
        // die "$script: $!\n";
    <$out> // die "$script did not start\n"; # the server prints its port once it listens
    $running{ $self->{pid} = $pid } = $out;
    return $self;
}

sub kill {
    my ($self) = @_;
    my $out = delete $running{ $self->{pid} };
    kill KILL => $self->{pid};
    close $out;
}

sub port { $_[0]{port} }
sub url { "smtp://127.0.0.1:$_[0]{port}" }

# Returns the received mails, oldest first: { mail_from, rcpt_tos, tls, auth, data }. Ignores a line without a newline,
# which is still being written.
sub received {
    my ($self) = @_;
    return map { Cpanel::JSON::XS::decode_json($_) } slurp("$self->{dir}/envelopes.jsonl") =~ /^(.*)\n/mg;
}

sub received_by {
    my ($self, $address) = @_;
    return grep { "@{ $_->{rcpt_tos} }" eq $address } $self->received;
}

END {
    local $?;
    CORE::kill(KILL => $_) for keys %running;
}

1;
