# SPDX-License-Identifier: Apache-2.0
package Databases;

# Compares one product, a page of ten at random and a new product on MariaDB or PostgreSQL: from mod_catalog under two MPMs, and from
# Fastify and mod_php, each of which counts the products with COUNT(*), or reads a counter that triggers keep, and from Bun, which
# counts them. Each server has a database engine of its own, whose CPU counts. The base for the engine's share is mod_catalog on SQLite.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting wait_until);
use Answers ();
use Catalogue ();
use Engine ();
use Httpd ();
use Peers ();
use Rounds ();

my $COUNT = 10_000;
my %ONE = (count => $COUNT, size => $COUNT, requests => ['1 GET /api/products/{id}']);
my %PAGE = (requests => ['1 GET /api/products?page={1-199}']); # at random: few clients want the same page at one instant
my $COUNTER = ' with a counter';

sub postgresql { run('pgsql', @_) }
sub mariadb { run('mysql', @_) }

sub run {
    my ($driver, $c) = @_;
    my $name = Engine::name($driver);
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my @packages = (packages => "$c->{dir}/peers");
    my @node = (@packages, program => 'fastify');
    my @servers = (
        (map { with_and_without_indexes("$name, $_", mpm => $_, ours($driver)) } qw(event worker)),
        Httpd->new("$name, SQLite", database => $file, more => 'CatalogCacheSize 0'),
        (map { Peers::Node->new("$name, Fastify" . ($_ && $COUNTER), @node, theirs($driver, $_)) } '', 1),
        Peers::Bun->new("$name, Bun.sql", @packages, theirs($driver, '')),
        (map { Httpd::Php->new("$name, mod_php" . ($_ && $COUNTER), theirs($driver, $_)) } '', 1));
    $_->start for @servers;
    Answers::check($_, $COUNT) for @servers;

    my %reads = $c->{rounds}->measure(map { reads($_) } @servers);
    my %posts = $c->{rounds}->measure(map { posts($_) } @servers);
    for my $server (@servers) {
        check_total($server) if $server->{engine};
        Answers::check_created($server);
    }
    CatalogTest::Process::stop_all(@servers, map { $_->{engine} // () } @servers);
    $c->{results}->add(lc $name => %reads, %posts);
}

# Both use the same database.
sub with_and_without_indexes {
    my ($name, @options) = @_;
    return (Httpd->new($name, @options), Httpd->new("$name, indexed", @options, more => Httpd::ALL_INDEXES));
}

# The total must be the number of products, also while those are committed that were sent when the load ended.
sub check_total {
    my ($server) = @_;
    my $db = $server->{engine}->connect(Engine::DATABASE);
    my ($total, $count);
    wait_until(5, sub {
        $total = $server->get('/api/products?limit=1')->{json}{pagination}{total};
        ($count) = $db->selectrow_array('SELECT COUNT(*) FROM products');
        return $total == $count;
    }) or die $server->name . ": a total of $total with $count products\n";
}

# ---- engines ----

sub ours {
    my ($driver) = @_;
    my $engine = Engine::start($driver);
    Catalogue::import_into(setting('ctl'), $driver, $engine->params(Engine::DATABASE), $COUNT);
    $engine->settle;
    return (driver => $driver, params => $engine->params(Engine::DATABASE), engine => $engine);
}

sub theirs {
    my ($driver, $counter) = @_;
    my $engine = Engine::start($driver);
    my $db = $engine->connect(Engine::DATABASE);
    Catalogue::peer_tables($db, $driver, $COUNT);
    Catalogue::peer_counter($db, $driver) if $counter;
    $engine->settle;
    return (engine => $engine, counter => $counter);
}

# ---- requests ----

sub reads {
    my ($server) = @_;
    my $name = $server->name;
    return () if $name =~ /indexed/;
    return (
        $server->{counter} ? () : ("$name: one" => { load($server, 'one'), %ONE }),
        "$name: page" => { load($server, 'page'), %PAGE });
}

# After the reads, because each write makes the catalogue grow.
sub posts {
    my ($server) = @_;
    my %post = (header => 'Authorization: Bearer ' . Contestant::token(), requests => [Catalogue::NEW]);
    return ($server->name . ': post' => { load($server, 'post'), %post });
}

sub load {
    my ($server, $what) = @_;
    return (server => $server, warm => $server->warm_up, every => how_often($server, $what));
}

# Few runs suffice for what has no target: SQLite, a page that counts all products, and a POST that waits for the counter.
sub how_often {
    my ($server, $what) = @_;
    return Rounds::SELDOM if $server->name =~ /SQLite|indexed/;
    return Rounds::OFTEN unless defined $server->{counter};
    return Rounds::SELDOM if $what eq ($server->{counter} ? 'post' : 'page');
    return $server->isa('Httpd') ? Rounds::USUALLY : Rounds::OFTEN;
}

1;
