# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Jose;

# Makes and verifies tokens with an independent implementation, npm's jose, through tests/jose/jose.js. A key is {
# secret => text }, { private => PEM }, { public => PEM }, { jwk => {...} } or { jwks => URL }.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Open2 ();
use Cpanel::JSON::XS ();

use CatalogTest::Tools qw(setting);

our @EXPORT_OK = qw(pair signed signed_text verified encrypted);

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my ($pid, $to, $from);

# Starts one process for the whole test file. The process ends when its input does.
sub start {
    my $script = setting('top') . '/build/jose/jose.js';
    -f $script or die "there is no $script: run make build/jose/jose.js\n";
    $pid = IPC::Open2::open2($from, $to, 'node', $script);
}

sub ask {
    my (%request) = @_;
    start() unless $pid;
    print {$to} $json->encode(\%request), "\n";
    my $line = <$from> // die "jose.js has ended\n";
    return $json->decode($line);
}

sub done {
    my $answer = ask(@_);
    die "jose: $answer->{error}\n" if $answer->{error};
    return $answer;
}

# Returns a new key pair: { private, public (PEM), jwk (the public key) }.
sub pair { done(action => 'generate', alg => $_[0]) }

sub signed {
    my ($key, $header, $claims) = @_;
    return done(action => 'sign', key => $key, header => $header, claims => $claims)->{token};
}

sub signed_text {
    my ($key, $header, $payload) = @_;
    return done(action => 'sign', key => $key, header => $header, payload => $payload)->{token};
}

# Verifies a token. Returns { claims, header } or { error }. The options are those of jose, such as issuer, audience and
# typ; algorithms is a list.
sub verified {
    my ($token, $key, %options) = @_;
    return ask(action => 'verify', token => $token, key => $key, options => \%options);
}

sub encrypted {
    my ($key, $header, $payload) = @_;
    return done(action => 'encrypt', key => $key, header => $header, payload => $payload)->{token};
}

END {
    local $?;
    if ($pid) {
        close $to;
        waitpid $pid, 0;
    }
}

1;
