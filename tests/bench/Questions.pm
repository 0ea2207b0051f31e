# SPDX-License-Identifier: Apache-2.0
package Questions;

# What lists cost: cells for Rounds.pm that put a question to a server of this module without the response cache, under the worker MPM,
# whose rounds vary least. A question is a name and a query, in which {word} is a fact of the catalogue (Varied.pm); a question mark behind
# it: there may be no such product.

use strict;
use warnings FATAL => 'all';

use List::Util qw(pairs);

use Httpd ();
use Rounds ();

my $CONNECTIONS = 8; # of more, which wait for each other (CatalogMaxSearches), some would be refused on a busy machine

sub httpd {
    my ($name, %o) = @_;
    return Httpd->new($name, mpm => 'worker', %o, more => join "\n", 'CatalogCacheSize 0', Httpd::ALL_INDEXES, $o{more} // ())->start;
}

# The first page of all products, which is the base, and of each question: by cursor, with a capped total, and the next page by cursor.
sub cells {
    my ($label, $server, $facts, @questions) = @_;
    my @cells = cell("$label: page 1 of all", $server, '/api/products?page=1', Rounds::ALWAYS);
    for my $question (pairs @questions) {
        my ($name, $query) = ($question->[0], asked($question->[1], $facts));
        my $may_be_empty = $query =~ s/\?$//;
        my $first = answer($server, "/api/products?$query&cursor=", $may_be_empty);
        push @cells, load("$label: $name", $server, "/api/products?$query&cursor=", Rounds::SELDOM),
            load("$label: $name, capped total", $server, "/api/products?$query", Rounds::SELDOM);
        my $next = $first->{pagination}{nextCursor} or next;
        push @cells, cell("$label: $name, next page", $server, "/api/products?$query&cursor=$next");
    }
    return @cells;
}

# Pages of all products, at random: `last` is the number of the last one. The base is the first five.
sub pages {
    my ($label, $server, $last) = @_;
    my @pages = (
        ['first pages', 1, 5], ['pages 1 to 199', 1, 199], ['pages in the middle', int(0.49 * $last), int(0.51 * $last)],
        ['last pages', $last - 4, $last]);
    my @cells;
    for my $pages (grep { $_->[2] <= $last } @pages) {
        my ($name, $from, $to) = @$pages;
        answer($server, "/api/products?page=$_") for $from, $to;
        push @cells, load("$label: $name", $server, "/api/products?page={$from-$to}", Rounds::USUALLY);
    }
    return @cells;
}

sub cell {
    my ($name, $server, $target, $every) = @_;
    answer($server, $target);
    return load($name, $server, $target, $every // Rounds::SELDOM);
}

sub load {
    my ($name, $server, $target, $every) = @_;
    return ($name => { server => $server, connections => $CONNECTIONS, requests => ["1 GET $target"], every => $every });
}

sub asked {
    my ($question, $facts) = @_;
    return $question =~ s/\{(\w+)\}/$facts->{$1}/gr;
}

# Dies unless there is something, or there need not be.
sub answer {
    my ($server, $target, $may_be_empty) = @_;
    my $answer = $server->get($target);
    my $data = $answer->{status} == 200 && $answer->{json}{data};
    return $answer->{json} if ref $data eq 'HASH' || $data && ($may_be_empty || @$data);
    die $server->name . ": $target: $answer->{status} $answer->{body}\n";
}

1;
