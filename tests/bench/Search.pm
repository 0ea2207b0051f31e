# SPDX-License-Identifier: Apache-2.0
package Search;

# What it costs to find what people type: inside words, with a slip, by relevance, and suggestions, each beside the first page of all
# products, without the response cache. And what the same questions cost that are put to the engine itself (Native.pm).

use strict;
use warnings FATAL => 'all';

use DBI ();
use List::Util qw(first);

use CatalogTest::Tools qw(setting);
use Copies ();
use Engine ();
use Native ();
use Questions ();
use Rounds ();
use Varied ();

# Name, kind (of Native.pm), query.
my @QUESTIONS = (
    ['the beginning of a word', 'beginning', 'q={begun}'],
    ['inside a common word', 'inside', 'q={inside}'],
    ['inside a rare word', 'inside', 'q={inside_rare}'],
    ['three letters inside words', 'inside', 'q={three}'],
    ['another letter', 'slip', 'q={slip}'],
    ['another letter, a rare word', 'slip', 'q={slip_rare}'],
    ['a letter missing', 'slip', 'q={missing}'],
    ['two common words by relevance', 'relevance', 'q={common}+{common2}&sort=relevance'],
);
my @SUGGESTIONS = (['suggestions for a word', '{begun}'], ['suggestions for two words', '{common}+{begun2}']);

sub run {
    my ($c) = @_;
    my ($file, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{searched});
    my $server = Questions::httpd('search, SQLite', params => $file);
    measure($c, 'search', $server, words_of($file, $facts), Native->new('sqlite3', file => $file));
}

sub postgresql { run_on_engine('pgsql', @_) }
sub mariadb { run_on_engine('mysql', @_) }

sub run_on_engine {
    my ($driver, $c) = @_;
    my ($file, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{searched});
    my $engine = Engine::start($driver);
    Copies::fill($engine, setting('ctl'), $file);
    my $native = Native->new($driver, engine => $engine);
    $engine->settle;
    my $name = Engine::name($driver);
    my $server = Questions::httpd("search, $name", driver => $driver, params => $engine->params(Engine::DATABASE), engine => $engine);
    measure($c, 'search_' . lc $name, $server, words_of($file, $facts), $native);
    $engine->stop;
}

sub measure {
    my ($c, $part, $server, $words, $native) = @_;
    my $label = $server->name;
    my %figures = $c->{rounds}->measure(
        Questions::cell("$label: page 1 of all", $server, '/api/products?page=1', Rounds::ALWAYS),
        (map { question($label, $server, $native, $words, @$_) } @QUESTIONS),
        (map { request("$label: $_->[0]", $server, 'products/suggest?q=' . Questions::asked($_->[1], $words)) } @SUGGESTIONS));
    $server->stop;
    $c->{results}->add($part => %figures);
}

# Beside the engine's own way, if it has one.
sub question {
    my ($label, $server, $native, $words, $name, $kind, $asked) = @_;
    my $query = Questions::asked($asked, $words);
    my $statement = $native->statement($kind, $query =~ /q=(\w+)(?:\+(\w+))?/);
    check($server, $kind, $name, $query, $statement);
    return (
        request("$label: $name", $server, "products?$query&cursor="),
        $statement ? ("$label, " . $native->name . ": $name" => { statement => $statement, every => Rounds::ALWAYS }) : ());
}

sub request { my ($name, $server, $target) = @_; return Questions::cell($name, $server, "/api/$target", Rounds::ALWAYS) }

# Dies unless other words take part where they should. Says how many products are found.
sub check {
    my ($server, $kind, $name, $query, $statement) = @_;
    my $answer = Questions::answer($server, "/api/products?$query&limit=100");
    die $server->name . ": $query: no words were meant\n" if $kind =~ /inside|slip/ && !$answer->{corrected};
    my $pagination = $answer->{pagination};
    printf "%-32s %8d%s products found, %s by the engine itself\n", $name, $pagination->{total}, $pagination->{totalRelation} ? ' or more' : '',
        $statement ? $statement->count : 'none';
}

# The facts, and what people type of such words. A slip is no beginning of another word.
sub words_of {
    my ($file, $facts) = @_;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    my ($common, $common2, $rare) = @$facts{qw(common common2 rare)};
    return {
        %$facts, begun => substr($common, 0, 4), begun2 => substr($common2, 0, 4),
        inside => substr($common, 1), inside_rare => substr($rare, 1), three => substr($common, 1, 3),
        slip => slip($db, $common), slip_rare => slip($db, $rare), missing => substr($common, 0, 2) . substr($common, 3),
    };
}

# The word with another vowel in the middle.
sub slip {
    my ($db, $word) = @_;
    my $begins = $db->prepare(q(SELECT 1 FROM product_words WHERE word >= ? AND word < ? || '~' LIMIT 1));
    return first { !$db->selectrow_array($begins, undef, $_, $_) } map { substr($word, 0, 3) . $_ . substr($word, 4) } qw(a e i o u);
}

1;
