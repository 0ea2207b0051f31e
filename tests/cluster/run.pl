#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Three MariaDB nodes, a server of the catalogue beside each and a front before them, with the configuration of conf/examples;
# what they must agree on, and what clients notice when parts of it are killed:
#     MPM=event tests/cluster/run.pl build/mod_catalog.so [SECONDS]
# FOLLOW=100: only that programs follow the changes, so often.
use strict;
use warnings FATAL => 'all';

use Cpanel::JSON::XS ();
use Cwd ();
use File::Temp ();
use FindBin;
use Test::More;
use Time::HiRes qw(sleep time);

use lib $FindBin::RealBin, "$FindBin::RealBin/../../t/lib";
use CatalogTest::Tools qw(wait_until);
use Goods ();
use Ledger ();
use Load ();
use Node ();
use Server ();
use Stories ();

my $LONGEST = 3;  # seconds without a successful read, or without a successful write
my $CLIENTS = 32; # each may meet one failure when a part is lost
my $LOSSES = 5;   # each may interrupt one mail, which is then sent again
my $MAIL = 90;    # seconds until then: more than a lease
my $SETTLED = 20; # seconds until all nodes have the same

my ($module, $seconds) = (Cwd::realpath($ARGV[0]), $ARGV[1] // 120);
my $examples = Cwd::realpath("$FindBin::RealBin/../../conf/examples");
my $dir = File::Temp->newdir('catalog-cluster.XXXXXX', TMPDIR => 1);
chmod 0755, "$dir"; # other users' servers go through it

# ---- the cluster ----

my @nodes = Node->cluster(dir => "$dir", cnf => "$examples/galera.cnf", count => 3);
$nodes[0]->launch('--wsrep-new-cluster')->wait_up;
$nodes[0]->database->do($_) for 'CREATE DATABASE catalog CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    "CREATE USER catalog\@'127.0.0.1' IDENTIFIED BY 'secret'", "GRANT ALL ON catalog.* TO catalog\@'127.0.0.1'";
$_->launch->wait_up for @nodes[1, 2];

# Two of the five keep no connection, so that each request prepares its statements again.
my %site = (dir => "$dir", examples => $examples, mpm => $ENV{MPM} // 'event', module => $module);
my $conf = "CatalogRefreshGrace $Stories::GRACE\n" . Goods::FIELDS;
Server->make_key(\%site);
my @servers = map { Server->node({ %site, conf => $conf }, "server$_", $nodes[$_ - 1]) } 1 .. 3;
my @five = (@servers, map { Server->node({ %site, conf => "${conf}DBDPersist Off\n" }, "server$_", $nodes[$_ - 4]) } 4, 5);
$_->launch for @five;
$_->wait_up for @five;
my $schema = () = glob "$examples/../schema/mysql/*.sql";
is_deeply([map { $_->api(GET => '/health/ready')->{json}{data}{schema} } @five], [($schema) x 5],
    'five servers start at once on an empty database, and have one schema');
is_deeply([map { grep { /:(?:error|crit|alert|emerg)\]/ } split /\n/, $_->log_text } @five], [], 'without an error');

if ($ENV{FOLLOW}) {
    Stories::followers("$dir/followers", $ENV{FOLLOW}, \@nodes, @servers);
    done_testing;
    exit;
}

# ---- all is well ----

Stories::sessions(@servers);
Stories::replays(@servers);
Stories::delays(@servers);
Stories::guesses("$dir/guesses", @servers);
Stories::namesakes("$dir/namesakes", @servers);
Stories::twins(\@nodes, @five);
Stories::rivals(\@nodes, @five);
Stories::quarrels("$dir/quarrels", \@nodes, @five);
Stories::followers("$dir/followers", 4, \@nodes, @servers);
$_->stop for @five[3, 4];

# ---- parts are lost, under load ----

my %known = map { $_->{id} => $_ } map { Stories::make_product($servers[$_ % 3], $_) } 1 .. 40;
my $before = database()->selectall_hashref('SELECT id FROM products', 'id');
my $front = Server->front(\%site, @servers)->launch;
$front->wait_up;
my $load = Load->start("$dir/load", map { [$front->port, $_] }
    (sub { $_[0]->browse(\%known); sleep 0.4 }) x 16,
    (sub { $_[0]->trade; sleep 0.4 }) x 12,
    (sub { $_[0]->visit; sleep 2 }) x 4);

sleep 5; # until the servers have started all children
my @events;
event('nothing');
event('a node is killed', sub { $nodes[1]->crash; wait_for(sub { !$servers[1]->is_ready }) });
event('the node is started', sub { $nodes[1]->launch; wait_for(sub { $servers[1]->is_ready }) });
event('a server is killed', sub { $servers[0]->crash; wait_for(sub { !$servers[0]->is_ready }) });
event('the server is started', sub { $servers[0]->launch; wait_for(sub { $servers[0]->is_ready }) });
event('a node is cut off', sub { $nodes[2]->isolate; wait_for(sub { !$servers[2]->is_ready }) });
knows_nothing($servers[2]);
event('the node is connected again', sub { $nodes[2]->heal; wait_for(sub { $servers[2]->is_ready }) });
event('a node hangs', sub { $nodes[0]->suspend; return });
event('the node continues', sub { $nodes[0]->resume; wait_for(sub { $servers[0]->is_ready }) });
event('a machine is updated', sub { update($servers[1], $nodes[1]) });
event('a node is set up again', sub { set_up_anew($nodes[1]); wait_for(sub { $servers[1]->is_ready }) });
my $end = time;
my $ledger = Ledger->new($load->stop);

# ---- what is left of it ----

cmp_ok(scalar keys %{ $ledger->{products} }, '>', 100, 'there was something to lose');
is_deeply([$ledger->lies], [], 'no client was told what was not so');
ok(wait_until($MAIL, sub { !database()->selectrow_array('SELECT COUNT(*) FROM outbox') }), 'all mails are sent');
my @contents;
wait_until($SETTLED, sub { # jobs still count products, and a node applies a moment later what another has committed
    @contents = map { contents($_->database('catalog')) } @nodes;
    my %seen = map { $_ => 1 } map { Cpanel::JSON::XS->new->canonical->encode($_) } @contents;
    return keys %seen == 1;
});
is_deeply($contents[$_], $contents[0], 'all nodes have the same') for 1, 2;
is_deeply([$ledger->check_products(database(), $before)], [], 'products are as they were acknowledged');
is_deeply([$ledger->check_own(database())], [], 'values of fields of the shop\'s own are unique, and counted');
my ($products) = database()->selectrow_array('SELECT COUNT(*) FROM products');
is_deeply([map { $_->api(GET => '/products')->{json}{pagination}{total} } @servers], [($products) x @servers], 'each server knows how many');
is_deeply([$ledger->check_users(database())], [], 'so are users');
my @mails = map { $_->mails } @five;
is_deeply([$ledger->check_mails(database(), @mails)], [], 'each user has one mail');
my $repeated = Ledger::repeated(@mails);
cmp_ok($repeated, '<=', $LOSSES, "of @{[ scalar @mails ]} mails, $repeated came twice, as the same message");
is_deeply([grep { /exit signal/ } map { split /\n/, $_->log_text } @five, $front], [], 'no child of a server crashed');
$_->stop for @servers;
my $alone = $front->api(GET => '/products');
is_deeply([$alone->{status}, $alone->{headers}{'content-type'}, $alone->{json}{message}],
    [503, 'application/json', 'Service unavailable'], 'a front without servers says so');

print "\n", table(), "\n";
if (!Test::More->builder->is_passing) {
    $dir->unlink_on_destroy(0);
    diag "logs and databases are left in $dir";
}
done_testing;

# ---- how it is done ----

sub database { $nodes[0]->database('catalog') }

# What do gives is how long it took until the servers were as they have to be.
sub event {
    my ($name, $do) = @_;
    push @events, { name => $name, from => time };
    $events[-1]{took} = $do->() if $do;
    sleep $seconds / 10;
}

sub wait_for {
    my ($done) = @_;
    my $start = time;
    ok(wait_until(60, $done), "$events[-1]{name}: the servers know") or return;
    return time - $start;
}

# As an administrator does it: stops the server first and starts it last.
sub update {
    my ($server, $node) = @_;
    $server->stop_gracefully;
    $node->stop;
    $node->launch->wait_up;
    $server->launch;
    wait_for(sub { $server->is_ready });
}

sub set_up_anew {
    my ($node) = @_;
    $node->crash;
    $node->forget;
    $node->launch;
}

# The server of a node without a quorum neither answers from its cache nor waits.
sub knows_nothing {
    my ($server) = @_;
    for my $path ('/products', "/products/@{[ (keys %known)[0] ]}", '/health/ready') {
        my $start = time;
        like($server->api(GET => $path)->{status}, qr/^50[03]$/, "cut off: $path is refused");
        cmp_ok(time - $start, '<', CatalogTest::Tools::slowness(), 'at once'); # a second of an idle machine
    }
}

# All rows of all tables.
sub contents {
    my ($db) = @_;
    my %rows;
    for my $table (map { $_->[0] } @{ $db->selectall_arrayref('SHOW TABLES') }) {
        $rows{$table} = $db->selectall_arrayref("SELECT * FROM $table ORDER BY 1, 2");
    }
    return \%rows;
}

# For docs/how-to/cluster.md.
sub table {
    my @rows = (
        '| What happens | Requests | Failed | Longest without a read | without a write | Ready, or out, after |',
        '|---|---|---|---|---|---|');
    for my $i (0 .. $#events) {
        my $e = $events[$i];
        my $f = $ledger->figures($e->{from}, $events[$i + 1] ? $events[$i + 1]{from} : $end);
        cmp_ok($f->{$_}, '<=', $LONGEST, "$e->{name}: ${_}s go on") for qw(read write);
        cmp_ok($f->{failed}, '<=', $CLIENTS, "$e->{name}: few notice");
        push @rows, sprintf '| %s | %d | %d | %.1f s | %.1f s | %s |', $e->{name}, @$f{qw(requests failed read write)},
            defined $e->{took} ? sprintf '%.1f s', $e->{took} : '';
    }
    return join "\n", @rows;
}
