# SPDX-License-Identifier: Apache-2.0
package Client;

# One client of a server, or of the front, and its ledger: the times of its requests and answers, and what the database must contain
# as a result. An answer that no correct server would send is a lie.

use strict;
use warnings FATAL => 'all';

use IO::Select ();
use Time::HiRes ();

use CatalogTest::Http ();
use Goods ();

my $PATIENCE = 20; # seconds for an answer
my $GRACE = 2;     # seconds within which the client reuses a refresh token: the server's less the time that a request may be stuck

sub new {
    my ($class, $port, $number, $address) = @_;
    return bless {
        port => $port, number => $number, address => $address, count => 0,
        ledger => { asked => [], lies => [], products => {}, maybe_products => {}, users => {}, maybe_users => {}, puts => [] },
    }, $class;
}

sub ledger { $_[0]{ledger} }

sub lie {
    my ($self, $what) = @_;
    push @{ $self->{ledger}{lies} }, "client $self->{number}: $what";
}

# ---- asking ----

# Returns the answer if it has the expected status; undef if the server failed or was busy. Anything else is a lie.
sub expect {
    my ($self, $kind, $status, @request) = @_;
    my $start = Time::HiRes::time();
    my $r = $self->ask(@request);
    push @{ $self->{ledger}{asked} }, [$kind, $start, Time::HiRes::time(), $r->{status}];
    my $is_json = defined $r->{json} && $r->{headers}{'content-type'} eq 'application/json';
    return $r if $r->{status} == $status && $is_json;
    $self->lie("$request[0] $request[1]: $r->{status}, not $status: $r->{body}")
        if $r->{status} && !($r->{status} >= 500 && $is_json);
    return;
}

# Like every HTTP client, repeats a read if the server closed the kept-alive connection before it answered.
sub ask {
    my ($self, @request) = @_;
    my $kept = $self->{socket};
    my $r = $self->ask_once(@request);
    return $r->{status} == 0 && $kept && $request[0] eq 'GET' ? $self->ask_once(@request) : $r;
}

sub ask_once {
    my ($self, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    my $bytes = CatalogTest::Http::request_bytes($method, "/api$path", $body, headers => { Connection => 'keep-alive' }, @more);
    my $socket = delete $self->{socket} // eval { $self->connect } or return { status => 0, body => 'no connection' };
    my $text = print({$socket} $bytes) ? read_answer($socket) : '';

    return { status => 0, body => "no whole answer: $text" } unless is_whole($text);
    my $r = CatalogTest::Http::parse($text);
    $self->{socket} = $socket unless ($r->{headers}{connection} // '') =~ /close/i;
    return $r;
}

sub connect { CatalogTest::Http::connection($_[0]{port}, LocalAddr => $_[0]{address}) }

# The whole answer, or what arrived before the connection closed or $PATIENCE ended.
sub read_answer {
    my ($socket) = @_;
    my $select = IO::Select->new($socket);
    my $text = '';
    my $end = Time::HiRes::time() + $PATIENCE;
    until (is_whole($text) || Time::HiRes::time() > $end) {
        next unless $select->can_read(1);
        sysread $socket, $text, 65536, length $text or last;
    }
    return $text;
}

sub is_whole {
    my ($head, $body) = split /\r\n\r\n/, $_[0], 2;
    return defined $body && $head =~ /^Content-Length: (\d+)/im && length $body >= $1;
}

# ---- what clients do ----

sub sign_up {
    my ($self) = @_;
    my $name = sprintf 'u%d-%d-%d', $self->{number}, $$, ++$self->{count};
    my $r = $self->expect(write => 201, POST => '/register', Goods::user($name));
    $self->{ledger}{users}{$name} = $r->{json}{user}{id} if $r;
    $self->{ledger}{maybe_users}{$name} = 1 if !$r;
    return $r && { name => $name, token => $r->{json}{token}, refresh => $r->{json}{refreshToken} };
}

# known: products that existed before and do not change.
sub browse {
    my ($self, $known) = @_;
    my ($id) = (keys %$known)[rand keys %$known];
    my $one = $self->expect(read => 200, GET => "/products/$id");
    $self->compare("product $id", $one->{json}{data}, $known->{$id}) if $one;

    my $list = $self->expect(read => 200, GET => '/products?page=' . (1 + int rand 3));
    return unless $list;
    my $total = $list->{json}{pagination}{total} // 0;
    $self->lie("a list that is too short: $list->{body}") if $total < keys %$known || @{ $list->{json}{data} } != 10;
}

sub compare {
    my ($self, $what, $got, $want) = @_;
    my $fault = Goods::difference($got, $want);
    $self->lie("$what: $fault") if $fault;
}

# A product's life. The client reads each step back, mostly from another server. After a missing answer, it does not know the stored
# version and leaves the product alone: may has all possible versions, 0 if it is deleted.
sub trade {
    my ($self) = @_;
    my $token = ($self->{user} //= $self->sign_up or return)->{token};
    my $stem = sprintf 'p%d-%d-%d', $self->{number}, $$, ++$self->{count};
    my $made = $self->expect(write => 201, POST => '/products', Goods::product($stem, 1), token => $token);
    if (!$made) {
        $self->{ledger}{maybe_products}{$stem} = 1;
        return;
    }
    my $id = $made->{json}{data}{id};
    my $entry = $self->{ledger}{products}{$id} = { stem => $stem, may => [1] };
    for my $version (2 .. 2 + int rand 5) {
        $self->look($id, $stem, $version - 1);
        $self->step($entry, $version, PUT => "/products/$id", Goods::product($stem, $version), token => $token) or return;
    }
    return if rand() < 0.5;
    $self->step($entry, 0, DELETE => "/products/$id", token => $token) or return;
    $self->expect(read => 404, GET => "/products/$id");
}

sub look {
    my ($self, $id, $stem, $version) = @_;
    my $r = $self->expect(read => 200, GET => "/products/$id") or return;
    $self->compare("product $id, read back", $r->{json}{data}, Goods::product($stem, $version));
}

sub step {
    my ($self, $entry, $version, @request) = @_;
    my $r = $self->expect(write => 200, @request);
    $entry->{may} = $r ? [$version] : [@{ $entry->{may} }, $version];
    $self->compare("answer to $request[0] $request[1]", $r->{json}{data}, $request[2]) if $r && $version;
    return $r;
}

# Registers, signs in and refreshes, each on another server.
sub visit {
    my ($self) = @_;
    my $user = $self->sign_up or return;
    my $in = $self->expect(write => 200, POST => '/auth/login', { login => $user->{name}, password => Goods::PASSWORD })
        or return;
    my $refreshed = $self->refresh($in->{json}{refreshToken}) or return;
    $self->expect(read => 200, GET => '/auth/me', token => $refreshed->{json}{token});
}

# Repeats a refresh whose answer was lost with the same token.
sub refresh {
    my ($self, $token) = @_;
    my $end = Time::HiRes::time() + $GRACE;
    while (Time::HiRes::time() < $end) {
        my $r = $self->expect(write => 200, POST => '/auth/refresh', { refreshToken => $token });
        return $r if $r;
        Time::HiRes::sleep(0.2);
    }
    return;
}

# Updates the product that all clients update at the same time, and records the times.
sub quarrel {
    my ($self, $id, $stem, $token) = @_;
    my $version = 1000 * ($self->{number} + 1) + ++$self->{count};
    my $product = Goods::product($stem, $version);
    my $start = Time::HiRes::time();
    my $r = $self->expect(write => 200, PUT => "/products/$id", $product, token => $token);
    push @{ $self->{ledger}{puts} },
        { version => $version, start => $start, end => Time::HiRes::time(), status => $self->{ledger}{asked}[-1][3] };
    $self->compare("answer to a PUT among others", $r->{json}{data}, $product) if $r;
}

1;
