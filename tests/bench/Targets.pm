# SPDX-License-Identifier: Apache-2.0
package Targets;

# THE TABLE OF TARGETS: which figures to compare, and the limit of their ratio. A row: group, what (its title), figure, base, member
# (the field of both figures), relation, limit. A row without a limit is only reported; without a base, the limit is the figure's.

use strict;
use warnings FATAL => 'all';

use Plain ();

my %PEERS = (
    Fastify => { event => { one => 0.95, page => 0.60, post => 0.95 }, worker => { one => 0.70, page => 0.40, post => 0.80 } },
    Express => { map { $_ => { one => 1, page => 1, post => 1 } } qw(event worker) },
    Bun => { map { $_ => { page => 1, post => 1 } } qw(event worker) },
    mod_php => { map { $_ => { one => 1, page => 1, post => 1 } } qw(event worker) },
    nginx => { event => { page => 0.60 }, worker => { one => 1, page => 0.50 } },
);
my @PEERS = qw(Fastify Express Bun mod_php nginx);
# On shared databases, to Fastify: a page to that with a counter, a POST to that without.
my %DATABASES = (
    PostgreSQL => { event => { one => 0.70, page => 0.55, post => 1.00 }, worker => { one => 0.45, page => 0.40, post => 0.95 } },
    MariaDB => { event => { one => 0.55, page => 0.55, post => 0.95 }, worker => { one => 0.45, page => 0.50, post => 0.90 } },
);
my $DATABASES_PHP = 0.60; # to mod_php
my $DATABASES_BUN = 0.50; # a page, to Bun.sql, which counts
my $COUNTER = ' with a counter';
my %WORDS = (one => 'one product', page => 'page of 10', post => 'POST with a token');

sub rows {
    return (
        (map { cheap($_) } qw(event worker)),
        (map { my $peer = $_; map { peer($peer, $_) } qw(event worker) } @PEERS),
        (map { indexed("$_ MPM", '', $_) } qw(event worker)),
        (map { my $engine = $_; map { database($engine, $_) } qw(event worker) } qw(PostgreSQL MariaDB)),
        (map { https($_) } qw(event worker)),
        sizes(), depth(), fields(), search(), history(), inserts(), transfers(), memory(), tokens(), Plain::targets());
}

sub cpu {
    my ($group, $what, $figure, $base, $most) = @_;
    return { group => $group, what => $what, figure => $figure, base => $base, member => 'cpu', relation => '<=', limit => $most };
}

sub cheap {
    my ($mpm) = @_;
    my $row = sub { my ($what, $figure, $base, $most) = @_; cpu("$mpm MPM", $what, "$mpm: $figure", "$mpm: $base", $most) };
    return (
        $row->('one product / static file', 'one', 'static one', 0.85),
        $row->('one product / constant', 'one', 'constant one', 1.10),
        $row->('one product, no cache / static file', 'one, no cache', 'static one', 1.10),
        $row->('page of 10 / static file', 'page', 'static page', 1.00),
        $row->('page of 10, no cache / static file', 'page, no cache', 'static page', 1.45),
        $row->('304 for a product / static file', 'one, 304', 'static one', 0.80),
        $row->('304 for a page / static file', 'page, 304', 'static page', 0.80),
        $row->('one product among 5 % writes / without writes', 'one among writes', 'one', 1.20),
        $row->('page of 10 among 5 % writes / without writes', 'page among writes', 'page', 1.20));
}

sub peer {
    my ($peer, $mpm) = @_;
    my $limits = $PEERS{$peer}{$mpm};
    my @what = $peer eq 'nginx' ? qw(one page) : qw(one page post);
    return map { cpu("$mpm MPM", "$WORDS{$_} / $peer", "$mpm: $_", "$peer: $_", $limits->{$_}) } @what;
}

# A product is inserted into all indexes that conditions and search require. Fastify's database has none.
sub indexed {
    my ($group, $engine, $mpm) = @_;
    my $figure = "$engine$mpm, indexed: post";
    return (
        cpu($group, "$WORDS{post}, all indexes / without", $figure, "$engine$mpm: post", 3.00),
        cpu($group, "$WORDS{post}, all indexes / Fastify", $figure, "${engine}Fastify: post", $engine ? undef : 1.00));
}

sub database {
    my ($engine, $mpm) = @_;
    my $limits = $DATABASES{$engine}{$mpm};
    my $row = sub {
        my ($what, $base, $most) = @_;
        cpu("$mpm MPM, $engine", "$WORDS{$what} / $base", "$engine, $mpm: $what", "$engine, $base: $what", $most);
    };
    return (
        $row->('one', 'Fastify', $limits->{one}),
        $row->('page', "Fastify$COUNTER", $limits->{page}),
        $row->('page', 'Fastify', undef),
        $row->('post', 'Fastify', $limits->{post}),
        $row->('post', "Fastify$COUNTER", undef),
        $row->('one', 'Bun.sql', undef),
        $row->('page', 'Bun.sql', $DATABASES_BUN),
        $row->('post', 'Bun.sql', undef),
        $row->('one', 'mod_php', $DATABASES_PHP),
        $row->('page', "mod_php$COUNTER", $DATABASES_PHP),
        $row->('page', 'mod_php', undef),
        $row->('post', 'mod_php', $DATABASES_PHP),
        $row->('post', "mod_php$COUNTER", undef),
        indexed("$mpm MPM, $engine", "$engine, ", $mpm),
        $mpm eq 'event' ? map { $row->($_, 'SQLite', undef) } qw(one page post) : ());
}

sub https {
    my ($mpm) = @_;
    return map { cpu("$mpm MPM, $_", 'one product / static file', "$mpm: one, $_", "$mpm: static one, $_", 1.00) }
        'HTTPS', 'HTTP/2';
}

sub sizes {
    my @flat = ('one', 'page 1', 'one, no cache', 'page 1, no cache', 'next page by cursor');
    return (
        (map { cpu('large catalogue', "$_ / in the small one", "large: $_", "small: $_", 1.10) } @flat),
        (map { cpu('large catalogue', "$_ / in the small one", "large: $_", "small: $_", undef) } 'one, no cache, spread'),
        pages('large catalogue', 'large'));
}

# Limits of the first page by cursor; with a capped total, which counts too, it may cost more.
my @DEPTH = (
    (map { [$_, 1.5, 4] } 'a large category', 'a tiny category', '2 % of the prices', 'in stock'),
    (map { [$_, 1.5] } 'by price', 'by name', 'by rating', map { "a large category by $_" } qw(price name rating)),
    (map { [$_, 2] } 'a rare word', 'a common word', 'a prefix of two letters',
        'a frequent prefix of two letters'),
    ['two common words', 5], ['a common and a rare word', 40]);
my $WORST = 2000 * 1.1; # ms: CatalogQueryTimeout and a tenth

sub depth {
    my %worst = (group => 'conditions, order, search', relation => '<=');
    my $row = sub { my ($what, $figure, $base, $most) = @_; cpu($worst{group}, $what, $figure, $base, $most) };
    return (
        questions($worst{group}, 'large'),
        (map { $row->("$_ / in the small catalogue", "large: $_", "small: $_", 2) } map { $_->[0] } @DEPTH),
        (map { my $peer = $_; map { $row->("$_->[0] / $peer", "ours: $_->[0]", "$peer: $_->[0]", 1) } @DEPTH } qw(Fastify json-server)),
        { %worst, what => 'the worst query, ms', figure => 'worst query', member => 'ms', limit => $WORST },
        {
            %worst, what => 'p99 of others beside the worst query / alone', figure => 'page of others, beside the worst query',
            base => 'page of others, alone', member => 'p99', limit => 1.2,
        },
        map { (questions("$worst{group}, $_", "depth, $_"), pages("pages, $_", "depth, $_")) } qw(PostgreSQL MariaDB));
}

# A page in the middle passes over half of the list in the index, so it has no target.
sub pages {
    my ($group, $label) = @_;
    return map { cpu($group, "$_->[0] / first pages", "$label: $_->[0]", "$label: first pages", $_->[1]) }
        ['pages 1 to 199', 1.3], ['last pages', 1.3];
}

# In the catalogue of that label.
sub questions {
    my ($group, $label) = @_;
    my $to_page = sub { my ($name, $most) = @_; cpu($group, "$name / page 1 of all", "$label: $name", "$label: page 1 of all", $most) };
    return (
        (map { $to_page->($_->[0], $_->[1]) } @DEPTH),
        (map { $to_page->("$_->[0], capped total", $_->[2]) } @DEPTH),
        (map { cpu($group, "$_, next page / first", "$label: $_, next page", "$label: $_", 1.2) } map { $_->[0] } @DEPTH),
        (map { $to_page->($_, 2) } 'facets', 'categories'));
}

# Of catalogues with the fields of Own.pm. Of questions, the first page by cursor has the limit; of one the capped total has it.
my @FIELDS = (
    (map { [$_, 2.5] } 'a brand of 5 %', 'a brand of 0.01 %', 'a tag', 'by weight', 'by brand'),
    ['a category of 20 % by price', 2.5], ['a category of 1 % by price', 3], ['a category of 0.05 % by price', 4],
    ['a brand of 5 % by price', 20], ['a brand of 5 % in a category of 20 % by price', 20],
    ['a brand of 0.01 % in a category of 0.05 % by price', 5],
    ['a tag and a common word', 4], ['a tag and a rare word', 4],
    ['2 % of the weights', 10], ['2 % of the weights by weight', 2], ['changed in the last hour', 2],
    ['a category of 20 %, capped total', 4], ['facets', 3]);
my @TOTALS = map { "$_->[0], capped total" } grep { $_->[0] !~ /total|facets/ } @FIELDS;

sub fields {
    my $member = sub {
        my ($what, $figure, $member, $most, $base) = @_;
        return { group => 'own fields, SQLite', what => $what, figure => $figure, base => $base, member => $member, relation => '<=', limit => $most };
    };
    return (
        (map { owned($_) } qw(SQLite MariaDB PostgreSQL)),
        (map { cpu('own fields, SQLite', "$_->[0], from the cache / without own fields", "own fields, SQLite, cache: $_->[1]",
            "own fields, SQLite, none, cache: $_->[1]", 1.1) } ['one product', 'one'], ['page of 10', 'page']),
        cpu('own fields, SQLite', 'one product by its number, from the cache / by id', 'own fields, SQLite, cache: by number',
            'own fields, SQLite, cache: one', 1.2),
        cpu('own fields, SQLite', "$WORDS{post} / Bun", 'own fields, SQLite: post', 'Bun, own fields: post', 1),
        $member->('a field filled in, seconds', 'a field added', 'seconds', 1800),
        $member->('p99 of others beside it / afterwards', 'page of others, beside a field added', 'p99', 2,
            'page of others, after a field was added'),
        $member->('import, seconds', 'import, own fields', 'seconds', 300), $member->('import, MiB', 'import, own fields', 'mib', 64));
}

# On an engine. A product and a page come from the database.
sub owned {
    my ($engine) = @_;
    my $label = "own fields, $engine";
    my $beside_none = sub { my ($what, $figure, $most) = @_; cpu($label, "$what / without own fields", "$label: $figure", "$label, none: $figure", $most) };
    my $to_page = sub { my ($name, $most) = @_; cpu($label, "$name / page 1 of all", "$label: $name", "$label: page 1 of all", $most) };
    return (
        $beside_none->('one product', 'one', 1.4), $beside_none->('page of 10', 'page', 1.4), $beside_none->($WORDS{post}, 'post', 2.5),
        cpu($label, 'one product by its number / by id', "$label: by number", "$label: one", 1.2),
        (map { $to_page->(@$_) } @FIELDS), map { $to_page->($_, undef) } @TOTALS);
}

# To page 1. What an engine has of its own for a question may cost as much.
my @SEARCH = (
    ['the beginning of a word', 2], (map { [$_, 5] } 'inside a common word', 'inside a rare word', 'three letters inside words'),
    (map { [$_, 8] } 'another letter', 'another letter, a rare word', 'a letter missing'),
    ['two common words by relevance', 10], (map { ["suggestions for $_", 1.5] } 'a word', 'two words'));
my %NATIVE = (SQLite => 'FTS5', PostgreSQL => 'pg_trgm', MariaDB => 'FULLTEXT');

sub search {
    return map {
        my ($engine, $label) = ($_, "search, $_");
        (
            (map { cpu($label, "$_->[0] / page 1 of all", "$label: $_->[0]", "$label: page 1 of all", $_->[1]) } @SEARCH),
            map { cpu($label, "$_->[0] / $NATIVE{$engine}", "$label: $_->[0]", "$label, $NATIVE{$engine}: $_->[0]", 1) } @SEARCH);
    } qw(SQLite PostgreSQL MariaDB);
}

# With the history, to without.
sub history {
    my %most = (import => 1.30);
    return map {
        my $engine = $_;
        map { cpu("history, $engine", $_, "history, $engine: $_", "history, $engine: $_, without", $most{$_} // 1.25) } qw(POST PUT DELETE import);
    } qw(SQLite PostgreSQL MariaDB);
}

sub inserts {
    my $at = 'inserts at 32';
    return map {
        my $row = { group => "$_ MPM, POST at 32 connections", figure => "$_: $at" };
        (
            {
                %$row, what => 'rate / one transaction per request', base => 'one transaction a request', member => 'rate',
                relation => '>=', limit => 3.5,
            },
            { %$row, what => 'p99, ms', member => 'p99', relation => '<', limit => 10 },
            { %$row, what => 'failed', member => 'failed', relation => '<=', limit => 0 });
    } qw(event worker);
}

# Of a million rows.
sub transfers {
    my $row = sub {
        my ($what, $figure, $member, $most) = @_;
        return { group => 'files of products', what => $what, figure => $figure, member => $member, relation => '<=', limit => $most };
    };
    return (
        (map { $row->("import, $_->[0], seconds", "import, $_->[0]", 'seconds', $_->[1]) } ['all indexes', 200], ['without search', 60]),
        $row->('import, all indexes, MiB', 'import, all indexes', 'mib', 64),
        $row->('longest wait of a writer beside an import, seconds', 'writer beside an import, all indexes', 'seconds', 1),
        (map { ($row->("export, $_, seconds", "export, $_", 'seconds', 5), $row->("export, $_, MiB", "export, $_", 'mib', 16)) } qw(csv ndjson)));
}

# The generations, which keep the cache valid, take another 256 KiB per database.
sub memory {
    my %row = (group => 'memory', member => 'mib', relation => '<=');
    return (
        { %row, what => 'server, last fifth of the requests / second fifth', figure => 'memory, at the end', base => 'memory, warm', limit => 1.05 },
        { %row, what => 'cache / CatalogCacheSize + 256 KiB for the database', figure => 'cache, held', base => 'cache, allowed', limit => 1.05 });
}

sub tokens {
    return map {
        { group => 'token', what => "$_ verified again, microseconds", figure => "$_, again", member => 'us', relation => '<=', limit => 1 }
    } qw(HS256 RS256 ES256);
}

1;
