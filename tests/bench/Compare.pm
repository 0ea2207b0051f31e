# SPDX-License-Identifier: Apache-2.0
package Compare;

# Compares one product, a page of ten and a new product: from mod_catalog under two MPMs, with and without its cache, from
# static files and a constant in httpd, and from the alternatives to mod_catalog; all on SQLite.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting);
use Answers ();
use Catalogue ();
use Httpd ();
use Load ();
use Peers ();
use Rounds ();

my $COUNT = 10_000;
my $SOME = 5001; # the product to read where one is enough
my %ONE = (count => $COUNT, size => $COUNT, requests => ['1 GET /api/products/{id}']);
my $WRITERS = 3; # connections; with so few, writes share a commit as rarely as in the mixed load, where 5 % of 48 connections write
my %PAGE = (requests => ['1 GET /api/products']);
my $CHANGE = 'PUT /api/products/{id} {"price":{n}.25}';

my (@servers, %server);

# What reads and writes share.
sub start {
    my ($c) = @_;
    return if @servers;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT);
    my @no_cache = (database => $file, more => 'CatalogCacheSize 0');
    @servers = (
        (map { Httpd->new($_, mpm => $_, database => $file) } qw(event worker)),
        (map { Httpd->new("$_, no cache", mpm => $_, @no_cache) } qw(event worker)),
        (map { Httpd->new("$_, mixed", mpm => $_, database => $file) } qw(event worker)),
        Peers::all(Catalogue::peer_file("$c->{dir}/data", $COUNT), "$c->{dir}/peers"));
    %server = map { $_->name => $_ } @servers;
    $_->start for @servers;
    Answers::check($_, $COUNT) for @servers;
}

sub stop { CatalogTest::Process::stop_all(@servers) }

# ---- reads ----

sub reads {
    my ($c) = @_;
    start($c);
    for my $httpd (@server{qw(event worker)}) {
        $httpd->offer(one => '/api/products/' . Catalogue::id($SOME));
        $httpd->offer(page => '/api/products');
        $httpd->stop;
        $httpd->start;
    }
    my @peers = map { $_->name } grep { !$_->isa('Httpd') || $_->isa('Httpd::Php') } @servers;
    my %figures = $c->{rounds}->measure(
        (map { ours($_) } qw(event worker)),
        map { theirs($_) } @peers);
    for my $mpm (qw(event worker)) {
        for my $what (qw(one page)) {
            my ($mixed, $change) = @figures{ "$mpm: $what, 5 % writes", "$mpm: change" };
            $figures{"$mpm: $what among writes"} =
                { cpu => ($mixed->{cpu} - 0.05 * $change->{cpu}) / 0.95, failed => $mixed->{failed} };
        }
    }
    $c->{results}->add(reads => %figures);
}

sub ours {
    my ($mpm) = @_;
    my ($httpd, $no_cache, $mixed) = map { { server => $_ } } @server{ $mpm, "$mpm, no cache", "$mpm, mixed" };
    my @token = (header => 'Authorization: Bearer ' . Contestant::token());
    my @always = (every => Rounds::ALWAYS);
    my @often = $mpm eq 'event' ? @always : (); # under event, a run depends on how httpd spreads connections over children
    return (
        "$mpm: static one" => { %$httpd, %ONE, @always, requests => ['1 GET /one.json?{id}'] },
        "$mpm: constant one" => { %$httpd, %ONE, @always, requests => ['1 GET /constant/one/{id}'] },
        "$mpm: one" => { %$httpd, %ONE, @always, warm => 1 },
        "$mpm: one, no cache" => { %$no_cache, %ONE, @often, warm => 2 },
        unmodified("$mpm: one, 304", $server{$mpm}, '/api/products/' . Catalogue::id($SOME), @often),
        "$mpm: static page" => { %$httpd, @often, requests => ['1 GET /page.json'] },
        "$mpm: page" => { %$httpd, %PAGE },
        "$mpm: page, no cache" => { %$no_cache, %PAGE },
        unmodified("$mpm: page, 304", $server{$mpm}, '/api/products', @often),
        "$mpm: one, 5 % writes" => { %$mixed, %ONE, @token, warm => 1, requests => ['95 GET /api/products/{id}', "5 $CHANGE"] },
        "$mpm: page, 5 % writes" => { %$mixed, %ONE, @token, requests => ['95 GET /api/products', "5 $CHANGE"] },
        "$mpm: change" => { %$mixed, %ONE, @token, connections => $WRITERS, requests => ["1 $CHANGE"] });
}

sub theirs {
    my ($peer) = @_;
    my %load = (server => $server{$peer}, warm => $server{$peer}->warm_up, how_often($server{$peer}));
    return ("$peer: one" => { %load, %ONE }, "$peer: page" => { %load, %PAGE });
}

# Few runs suffice where the costs differ several times.
sub how_often { my ($server) = @_; return $server->name eq 'nginx' ? () : (every => Rounds::SELDOM) }

sub unmodified {
    my ($name, $httpd, $path, @more) = @_;
    my $tag = $httpd->get($path)->{headers}{etag};
    my $status = $httpd->get($path, headers => { 'If-None-Match' => $tag })->{status};
    die "$name: $status\n" if $status != 304;
    return ($name => { server => $httpd, header => "If-None-Match: $tag", requests => ["1 GET $path"], @more });
}

# ---- writes ----

# After the reads, because each write makes the catalogue grow. The peers on Node.js run with better-sqlite3's default
# synchronous=NORMAL. Unlike the others, they may acknowledge a write before it is on disk.
sub posts {
    my ($c) = @_;
    start($c);
    my %fastify = map { $_ => $server{Fastify}{$_} } qw(database packages program);
    my $safe = Peers::Node->new('Fastify, synchronous=FULL', %fastify, environment => { SYNCHRONOUS => 'FULL' })->start;
    my @indexed = map {
        Httpd->new("$_, indexed", mpm => $_, database => $server{$_}{database}, more => Httpd::ALL_INDEXES)->start
    } qw(event worker);
    my %post = (header => 'Authorization: Bearer ' . Contestant::token(), requests => [Catalogue::NEW]);
    my %figures = $c->{rounds}->measure(
        map { ($_->name . ': post' => { server => $_, warm => $_->warm_up, every => Rounds::SELDOM, %post }) }
            grep { $_->name !~ /^nginx|no cache|mixed/ } @servers, @indexed, $safe);
    $_->stop for @indexed, $safe;
    $c->{results}->add(posts => %figures);
}

1;
