# SPDX-License-Identifier: Apache-2.0
package Depth;

# What conditions, orders and searches cost in a large catalogue and in a small one, on SQLite (Questions.pm). And what the same questions
# cost there and in other servers, and on MariaDB and PostgreSQL.

use strict;
use warnings FATAL => 'all';

use List::Util qw(pairs);
use POSIX ();
use Time::HiRes ();

use CatalogTest::Tools qw(setting);
use Chance ();
use Copies ();
use Engine ();
use Load ();
use Peers ();
use Questions ();
use Rounds ();
use Varied ();

my $SMALL = 10_000;
my $FEW = 4;   # connections that a long query should not disturb
my $PAIRS = 5; # of runs, without a long query and beside one
my $FREQUENT = substr Chance::word_of(1), 0, 2; # the beginning of the most frequent words; of one of three products

my @QUESTIONS = (
    'a large category' => 'category={big}',
    'a tiny category' => 'category={tiny}',
    '2 % of the prices' => 'price[gte]={costly}',
    'in stock' => 'inStock=true',
    'by price' => 'sort=-price',
    'by name' => 'sort=name',
    'by rating' => 'sort=-rating',
    'a large category by price' => 'category={big}&sort=-price',
    'a large category by name' => 'category={big}&sort=name',
    'a large category by rating' => 'category={big}&sort=-rating',
    'a rare word' => 'q={rare}',
    'a common word' => 'q={common}',
    'a prefix of two letters' => 'q={prefix}',
    'a frequent prefix of two letters' => "q=$FREQUENT",
    'two common words' => 'q={common}+{common2}',
    'a common and a rare word' => 'q={common}+{rare}',
);

# No product of the large category is out of stock; of a prefix no index says that, and no counter.
my $WORST = 'category[prefix]={big}&inStock=false&cursor=';

sub run {
    my ($c) = @_;
    my (@cells, %server, %facts);
    for my $size ($SMALL, $c->{large}) {
        my $label = $size == $SMALL ? 'small' : 'large';
        (my $file, $facts{$label}) = Varied::file("$c->{dir}/data", setting('ctl'), $size);
        $server{$label} = Questions::httpd("depth, $label", params => $file);
        push @cells, cells($label, $server{$label}, $facts{$label});
    }
    my %figures = $c->{rounds}->measure(@cells);
    my %worst = worst($server{large}, $facts{large}, $c->{seconds});
    CatalogTest::Process::stop_all(values %server);
    $c->{results}->add(depth => %figures, %worst, beside_peers($c));
}

sub postgresql { run_on_engine('pgsql', @_) }
sub mariadb { run_on_engine('mysql', @_) }

# Of a million products. Without the response cache too.
sub run_on_engine {
    my ($driver, $c) = @_;
    my $name = 'depth, ' . Engine::name($driver);
    my ($file, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{beside_peers});
    my $engine = Engine::start($driver);
    Copies::fill($engine, setting('ctl'), $file);
    $engine->settle;
    my $server = Questions::httpd($name, driver => $driver, params => $engine->params(Engine::DATABASE), engine => $engine);
    my %figures = $c->{rounds}->measure(
        cells($name, $server, $facts), Questions::pages($name, $server, $c->{beside_peers} / 10));
    CatalogTest::Process::stop_all($server, $engine);
    $c->{results}->add('depth_' . lc Engine::name($driver) => %figures);
}

sub cells {
    my ($label, $server, $facts) = @_;
    return (
        Questions::cells($label, $server, $facts, @QUESTIONS),
        Questions::cell("$label: facets", $server, '/api/products?facets=category,inStock'),
        Questions::cell("$label: categories", $server, '/api/categories'));
}

# ---- peers ----

# What json-server calls the parameters. Its q finds parts of words, and nothing with two words.
my %JSON_SERVER = (
    'price[gte]=' => 'price_gte=', 'sort=-' => '_order=desc&_sort=', 'sort=' => '_sort=');
my $SLOW = 0.01; # seconds of an answer, from which on a run has only one connection, and time for five of them

sub beside_peers {
    my ($c) = @_;
    my ($file, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{beside_peers});
    my %of = (
        ours => Questions::httpd('beside peers', database => $file),
        Fastify => Peers::Node->new('shop', packages => "$c->{dir}/peers", program => 'shop', database => Varied::peer_file($file))->start,
        'json-server' => Peers::JsonServer->new('json-server', packages => "$c->{dir}/peers", json => Varied::json_file($file))->start);
    my @cells;
    for my $question (pairs @QUESTIONS) {
        my ($name, $query) = ($question->[0], Questions::asked($question->[1], $facts));
        my %request = (ours => $query, Fastify => $query, $name =~ /two|common and/ ? () : ('json-server' => for_json_server($query)));
        check_alike($name, map { $of{$_}->get("/api/products?$request{$_}") } sort keys %request);
        for my $who (sort keys %request) {
            push @cells, "$who: $name" => beside_cell($of{$who}, "/api/products?$request{$who}");
        }
    }
    my %figures = $c->{rounds}->measure(@cells);
    CatalogTest::Process::stop_all(values %of);
    return %figures;
}

sub beside_cell {
    my ($server, $target) = @_;
    my $begin = Time::HiRes::time();
    $server->get($target);
    my $took = Time::HiRes::time() - $begin;
    my $runs = 2 + POSIX::ceil(5 * $took);
    my @pace = $took < $SLOW ? (warm => 1) : (connections => 1, seconds => $runs, timeout => $runs);
    return { server => $server, every => Rounds::SELDOM, requests => ["1 GET $target"], @pace };
}

sub for_json_server {
    my ($query) = @_;
    my ($found) = grep { index($query, $_) >= 0 } sort { length $b <=> length $a } keys %JSON_SERVER;
    $query =~ s/\Q$found\E/$JSON_SERVER{$found}/ if $found;
    return "$query&_page=1&_limit=10";
}

# Dies unless all answers have the same number of products, of the same conditions.
sub check_alike {
    my ($name, @answers) = @_;
    my @counts = map { my $json = $_->{json}; ref $json eq 'HASH' ? scalar @{ $json->{data} } : scalar @$json } @answers;
    die "$name: @counts products\n" if !$counts[0] || grep { $_ != $counts[0] } @counts;
}

# ---- the worst query ----

# How long the worst query takes, and what pages take beside it.
sub worst {
    my ($server, $facts, $seconds) = @_;
    my $target = '/api/products?' . Questions::asked($WORST, $facts);
    my $begin = Time::HiRes::time();
    $server->get($target);
    my $took = Time::HiRes::time() - $begin;

    my %page = (server => $server, seconds => $seconds, connections => $FEW, requests => ['1 GET /api/products']);
    my (@alone, @beside);
    for (1 .. $PAIRS) {
        push @alone, Load::run(%page);
        push @beside, beside($server, $target, sub { Load::run(%page) });
    }
    return (
        'worst query' => { ms => 1000 * $took },
        'page of others, alone' => Rounds::together(@alone), 'page of others, beside the worst query' => Rounds::together(@beside));
}

# What $run returns while another process keeps requesting the target.
sub beside {
    my ($server, $target, $run) = @_;
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        $server->get($target) while 1;
        POSIX::_exit(0);
    }
    my $result = eval { $run->() };
    my $fault = $@;
    kill KILL => $pid;
    waitpid $pid, 0;
    return $result // die $fault;
}

1;
