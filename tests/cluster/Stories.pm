# SPDX-License-Identifier: Apache-2.0
package Stories;

# What several servers on one cluster must agree on in normal operation.

use strict;
use warnings FATAL => 'all';

use Test::More;
use Time::HiRes qw(sleep time);

use CatalogTest::Histories ();
use CatalogTest::Http ();
use CatalogTest::Tools qw(wait_until);
use Goods ();
use Ledger ();
use Load ();

my $DELAY = 2; # CatalogRevocationDelay
our $GRACE = 5; # CatalogRefreshGrace, as the test sets it; the clients of the load reuse a token in a part of it

sub statuses { map { $_->{status} } @_ }

sub register {
    my ($server, $name) = @_;
    my $r = $server->api(POST => '/register', Goods::user($name));
    die "register: $r->{status} $r->{body}\n" unless $r->{status} == 201;
    return $r->{json};
}

my $maker; # of products

sub make_product {
    my ($server, $number) = @_;
    $maker //= register($server, 'maker')->{token};
    return $server->api(POST => '/products', Goods::product("known$number", 1), token => $maker)->{json}{data};
}

sub log_in { $_[0]->api(POST => '/auth/login', { login => $_[1], password => $_[2] // Goods::PASSWORD }) }
sub refresh { $_[0]->api(POST => '/auth/refresh', { refreshToken => $_[1] }) }
sub me { $_[0]->api(GET => '/auth/me', token => $_[1]) }

sub sessions {
    my (@servers) = @_;
    my $in = register($servers[0], 'session');
    is_deeply([statuses(map { me($_, $in->{token}) } @servers)], [200, 200, 200], 'a token is good on all servers');

    is($servers[0]->api(POST => '/auth/logout', {}, token => $in->{token})->{status}, 200, 'logout on one');
    is(me($servers[0], $in->{token})->{status}, 401, 'its token is refused there at once');
    my $refused = wait_until($DELAY + 1, sub { 2 == grep { me($_, $in->{token})->{status} == 401 } @servers[1, 2] });
    ok($refused, 'and on the others within CatalogRevocationDelay');
    is_deeply([statuses(map { refresh($_, $in->{refreshToken}) } @servers)], [401, 401, 401], 'its refresh token is dead on all');
}

sub replays {
    my (@servers) = @_;
    my $first = register($servers[1], 'replay')->{refreshToken};
    my @answers = map { refresh($_, $first) } @servers[0, 2];
    is_deeply([statuses(@answers)], [200, 200], 'a refresh token comes to two servers within the grace');

    sleep $GRACE + 1;
    is(refresh($servers[1], $first)->{status}, 401, 'later it is refused by the third');
    is(refresh($servers[0], $answers[1]{json}{refreshToken})->{status}, 401, 'and has ended the session on the first');
    ok(wait_until($DELAY + 1, sub { me($servers[2], $answers[0]{json}{token})->{status} == 401 }),
        'and its access tokens on the second');
}

sub delays {
    my (@servers) = @_;
    register($servers[0], 'delay');
    my @five = map { log_in($servers[$_ % 3], 'delay', 'wrong password') } 0 .. 4;
    is_deeply([statuses(@five)], [(401) x 5], 'five wrong passwords, on all servers in turn');
    is_deeply([statuses(map { log_in($_, 'delay') } @servers)], [429, 429, 429], 'then all servers make the account wait');
}

# Parallel guesses get at most five password checks, over all servers.
sub guesses {
    my ($dir, @servers) = @_;
    register($servers[0], 'guessed');
    my $guess = sub { $_[0]->ask(POST => '/auth/login', { login => 'guessed', password => 'wrong password' }) };
    my @statuses = once($dir, $guess, map { ($_) x 4 } @servers);
    my $looked = grep { $_ == 401 } @statuses;
    ok($looked > 0 && $looked <= 5, "12 guesses at once: $looked looks at the password") or diag "@statuses";
    is_deeply([grep { $_ != 401 && $_ != 429 && $_ != 503 } @statuses], [], 'the others have to wait') or diag "@statuses";
}

# Registers one name on all servers at once, and again.
sub namesakes {
    my ($dir, @servers) = @_;
    for my $round (1 .. 5) {
        my @statuses = once("$dir$round", sub { $_[0]->ask(POST => '/register', Goods::user("same$round")) }, @servers, @servers);
        is_deeply([sort @statuses], [201, (409) x 5], "one name on three servers at once: one has it") or diag "@statuses";
    }
}

# One request with an Idempotency-Key comes to all servers at once, again and again; whoever has to wait asks once more.
sub twins {
    my ($nodes, @servers) = @_;
    my $token = register($servers[0], 'twin')->{token};
    my $before = conflicts(@$nodes);
    for my $round (1 .. 10) {
        my @request = (POST => '/api/products', Goods::product("twin$round", 1), token => $token,
            headers => { 'Idempotency-Key' => "\"twin$round\"" });
        my @answers = all_at_once(\@request, map { $servers[$_ % @servers] } 1 .. 20);
        my %statuses;
        $statuses{ $_->{status} }++ for @answers;
        is_deeply([grep { !/^(?:201|409|503)$/ } keys %statuses], [], 'one request comes to all servers at once, twenty times')
            or diag explain \%statuses;
        my ($again) = all_at_once(\@request, $servers[0]);
        my %ids = map { $_->{json}{data}{id} => 1 } $again, grep { $_->{status} == 201 } @answers;
        is(scalar keys %ids, 1, 'all who get a product get the same');
        my $stored = $nodes->[0]->database('catalog')->selectcol_arrayref('SELECT id FROM products WHERE name = ?', undef,
            Goods::product("twin$round", 1)->{name});
        is_deeply($stored, [keys %ids], 'one is stored');
        note join ', ', map { "$_: $statuses{$_}" } sort keys %statuses;
    }
    note 'conflicts: ', conflicts(@$nodes) - $before;
}

# 32 writers, over all servers, want one value of a unique field: products that are created, and products that are there.
sub rivals {
    my ($nodes, @servers) = @_;
    my $token = register($servers[0], 'rival')->{token};
    my @there = map { $servers[0]->api(POST => '/products', Goods::product("there$_", 1), token => $token)->{json}{data}{id} } 1 .. 8;
    my $before = conflicts(@$nodes);
    for my $round (1 .. 10) {
        my $value = "rivals-$round";
        my @requests = ((map { [POST => '/api/products', { %{ Goods::product("rival$round-$_", 1) }, sku => $value }] } 1 .. 24),
            map { [PUT => "/api/products/$_", { sku => $value }] } @there);
        my @answers = each_at_once([map { [@$_, token => $token] } @requests], @servers);
        my %statuses;
        $statuses{ $_->{status} =~ /^20/ ? 'got it' : $_->{body} =~ /"code":"taken"/ ? 'taken' : $_->{status} }++ for @answers;
        is($statuses{'got it'}, 1, 'one of 32 writers on five servers gets a value') or diag explain \%statuses;
        is_deeply([grep { !/^(?:got it|taken|503)$/ } keys %statuses], [], 'the others are refused') or diag explain \%statuses;
        my $is_stored = sub { grep { $_->database('catalog')->selectrow_array('SELECT COUNT(*) FROM product_unique WHERE value = ?', undef, $value) == 1 } @$nodes };
        ok(wait_until(10, sub { $is_stored->() == @$nodes }), 'each node has it once');
        $servers[0]->api(DELETE => "/products/sku=$value", token => $token);
        @there = grep { $servers[0]->api(GET => "/products/$_")->{status} == 200 } @there;
        note join ', ', map { "$_: $statuses{$_}" } sort keys %statuses;
    }
    note 'conflicts: ', conflicts(@$nodes) - $before;
    $servers[0]->api(DELETE => "/products/$_", token => $token) for @there;
}

sub all_at_once {
    my ($request, @servers) = @_;
    return each_at_once([($request) x @servers], @servers);
}

# The servers get the requests in turn.
sub each_at_once {
    my ($requests, @servers) = @_;
    my @bytes = map { CatalogTest::Http::request_bytes(@$_) } @$requests;
    my @sockets = map { CatalogTest::Http::connection($servers[$_ % @servers]->port) } 0 .. $#bytes;
    print { $sockets[$_] } $bytes[$_] for 0 .. $#bytes;
    return map { CatalogTest::Http::parse(CatalogTest::Http::read_all($_)) } @sockets;
}

# Each client runs the function once, all at the same time; returns the statuses.
sub once {
    my ($dir, $work, @servers) = @_;
    my $go = time + 1;
    my $load = Load->start($dir, map { [$_->port, sub {
        my ($client) = @_;
        sleep $go - Time::HiRes::time() if $go > Time::HiRes::time();
        my $r = $work->($client);
        push @{ $client->ledger->{asked} }, ['once', 0, 0, $r->{status}];
        sleep 10; # until the parent stops it
    }, '127.0.1.1'] } @servers);
    sleep 4;
    return map { $_->[3] } map { @{ $_->{asked} } } $load->stop;
}

# All servers update one product until updates have collided often.
sub quarrels {
    my ($dir, $nodes, @servers) = @_;
    my $token = register($servers[0], 'quarrel')->{token};
    my $made = $servers[0]->api(POST => '/products', Goods::product('quarrel', 1), token => $token)->{json}{data};
    my $before = conflicts(@$nodes);
    my $change = sub { $_[0]->quarrel($made->{id}, 'quarrel', $token) };
    my $load = Load->start($dir, map { [$_->port, $change] } @servers, @servers);
    sleep 10;
    my $ledger = Ledger->new($load->stop);
    my %statuses;
    $statuses{ $_->{status} }++ for @{ $ledger->{puts} };
    my $conflicts = conflicts(@$nodes) - $before;

    cmp_ok($conflicts, '>', 100, 'servers collided');
    note "conflicts: $conflicts; PUTs by status: ", join ', ', map { "$_: $statuses{$_}" } sort keys %statuses;
    is_deeply([$ledger->lies], [], 'nobody was told what was not so');
    is_deeply([grep { !/^(?:200|503)$/ } keys %statuses], [], 'a PUT is done, or refused as too much');
    for my $node (@$nodes) {
        my $row = $node->database('catalog')->selectrow_hashref('SELECT * FROM products WHERE id = ?', undef, $made->{id});
        is_deeply([$ledger->check_puts($row)], [], 'what was acknowledged last is there');
    }
}

# Programs follow the changes while clients write through all servers, one of which is killed, and in every second round a node leaves, in turns with
# its data and at once, and comes back.
sub followers {
    my ($dir, $rounds, $nodes, @servers) = @_;
    mkdir $dir or die "$dir: $!\n";
    my $histories = CatalogTest::Histories->new(ports => [map { $_->port } @servers], connect => sub { $nodes->[0]->database('catalog') },
        driver => 'mysql', dir => $dir, writes => 15);
    for my $round (1 .. $rounds) {
        my $begin = time;
        my @faults = $histories->round(disturb => sub { $round % 2 ? lose_server(@servers) : lose_node($round % 4, $nodes->[1], @servers) });
        is_deeply(\@faults, [], sprintf 'round %d of those who follow the changes, %.0f s', $round, time - $begin);
    }
    note "$histories->{read} changes were followed; ", join ', ', map { "$_: $histories->{checked}{$_}" } sort keys %{ $histories->{checked} };
}

sub lose_server {
    my (@servers) = @_;
    sleep 0.5 + rand 1;
    my $victim = $servers[rand @servers];
    $victim->crash;
    $victim->launch->wait_up;
}

sub lose_node {
    my ($is_killed, $node, @servers) = @_;
    sleep 0.5 + rand 0.5;
    $is_killed ? $node->crash : $node->stop;
    sleep 1;
    $node->launch->wait_up;
    wait_until(30, sub { @servers == grep { $_->is_ready } @servers });
}

sub conflicts {
    my $count = 0;
    $count += $_->status('wsrep_local_cert_failures') + $_->status('wsrep_local_bf_aborts') for @_;
    return $count;
}

1;
