# SPDX-License-Identifier: Apache-2.0
package Depth;

# What conditions, orders and searches cost in a large catalogue and in a small one, on SQLite without the cache, under the worker
# MPM, whose rounds vary least: the first page by cursor, the same with a capped total, and the next page by cursor. The base is the
# first page without conditions.

use strict;
use warnings FATAL => 'all';

use POSIX ();
use Time::HiRes ();

use CatalogTest::Tools qw(setting);
use Catalogue ();
use Httpd ();
use Load ();
use Rounds ();
use Varied ();

my $SMALL = 10_000;
my $FEW = 4;   # connections that a long query should not disturb
my $PAIRS = 5; # of runs, without a long query and beside one

# The questions: name => a query, in which {word} is a fact of the catalogue.
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
    'two common words' => 'q={common}+{common2}',
    'a common and a rare word' => 'q={common}+{rare}',
);

# No product of the large category is out of stock, which no index says.
my $WORST = 'category={big}&inStock=false&cursor=';

sub run {
    my ($c) = @_;
    my (@cells, %server, %facts);
    for my $size ($SMALL, $c->{large}) {
        my $label = $size == $SMALL ? 'small' : 'large';
        (my $file, $facts{$label}) = Varied::file("$c->{dir}/data", setting('ctl'), $size);
        $server{$label} = Httpd->new("depth, $label", mpm => 'worker', params => $file, more => 'CatalogCacheSize 0' . "\n" . Httpd::ALL_INDEXES)->start;
        push @cells, cells($label, $server{$label}, $facts{$label});
    }
    my %figures = $c->{rounds}->measure(@cells);
    my %worst = worst($server{large}, $facts{large}, $c->{seconds});
    CatalogTest::Process::stop_all(values %server);
    $c->{results}->add(depth => %figures, %worst);
}

sub cells {
    my ($label, $server, $facts) = @_;
    my @cells = (
        cell("$label: page 1 of all", $server, 'page=1', Rounds::ALWAYS),
        cell("$label: facets", $server, 'facets=category,inStock'),
        cell("$label: categories", $server, '', Rounds::SELDOM, '/api/categories'));
    my @questions = @QUESTIONS;
    while (my ($name, $question) = splice @questions, 0, 2) {
        my $query = asked($question, $facts);
        my $first = answer($server, "$query&cursor=");
        push @cells, cell("$label: $name", $server, "$query&cursor="), cell("$label: $name, capped total", $server, $query);
        my $next = $first->{pagination}{nextCursor} or next;
        push @cells, cell("$label: $name, next page", $server, "$query&cursor=$next");
    }
    return @cells;
}

sub asked {
    my ($question, $facts) = @_;
    return $question =~ s/\{(\w+)\}/$facts->{$1}/gr;
}

sub cell {
    my ($name, $server, $query, $every, $path) = @_;
    my $target = ($path // '/api/products') . "?$query";
    answer($server, $query, $path);
    return ($name => { server => $server, requests => ["1 GET $target"], warm => 1, every => $every // Rounds::SELDOM });
}

# ---- the worst query ----

# How long the worst query takes, and what pages take beside it.
sub worst {
    my ($server, $facts, $seconds) = @_;
    my $target = '/api/products?' . asked($WORST, $facts);
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

# Dies unless there are products.
sub answer {
    my ($server, $query, $path) = @_;
    my $answer = $server->get(($path // '/api/products') . "?$query");
    return $answer->{json} if $answer->{status} == 200 && @{ $answer->{json}{data} };
    die $server->name . ": $query: $answer->{status} $answer->{body}\n";
}

1;
