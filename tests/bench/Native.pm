# SPDX-License-Identifier: Apache-2.0
package Native;

# What engines have of their own to find products inside words, with a slip, or by relevance: FTS5 with trigrams on SQLite, pg_trgm on
# PostgreSQL, FULLTEXT on MariaDB. The products are in a table `goods`, with an index in the order of the list. A statement is prepared
# with its words, so that the planner knows them, and returns ten products over one connection.

use strict;
use warnings FATAL => 'all';

use Time::HiRes ();

use CatalogTest::Engine ();
use Engine ();
use Machine ();
use Rounds ();

my $COLUMNS = 'id, name, price, category, in_stock, rating, created_at';
my $OURS = $COLUMNS =~ s/created_at/n >> 20 AS created_at/r;
my $NEWEST = 'created_at DESC, id DESC';

# Of each kind of question: a condition and an order. {1} and {2} are the words, {parts} those of three letters of the first one, joined by OR.
# What is not there cannot be asked: FTS5 knows no beginning of a word with these tokens, FULLTEXT nothing else of one word.
my %OF = (
    sqlite3 => {
        name => 'FTS5', from => 'names JOIN goods g ON g.number = names.rowid',
        tables => [
            'CREATE TABLE goods (number INTEGER PRIMARY KEY, id TEXT, name TEXT, price TEXT, category TEXT, in_stock INTEGER, rating TEXT,'
                . ' created_at INTEGER)',
            "INSERT INTO goods ($COLUMNS) SELECT $OURS FROM ours.products ORDER BY n",
            q(CREATE VIRTUAL TABLE names USING fts5(name, content='goods', content_rowid='number', tokenize='trigram')),
            q(INSERT INTO names (names) VALUES ('rebuild'))],
        inside => [q(names MATCH '"{1}"'), 'names.rowid DESC'],
        slip => [q(names MATCH '{parts}'), 'rank'],
        relevance => [q(names MATCH '"{1}" "{2}"'), 'rank'],
    },
    pgsql => {
        name => 'pg_trgm', from => 'goods g',
        tables => [
            'CREATE EXTENSION pg_trgm', "CREATE TABLE goods AS SELECT $OURS FROM products",
            'CREATE INDEX goods_by_time ON goods (created_at, id)', 'CREATE INDEX goods_by_parts ON goods USING gin (lower(name) gin_trgm_ops)'],
        # At the default, 0.6, a word of six letters with another letter in the middle is not found: it is 0.43 similar.
        session => ['SET pg_trgm.word_similarity_threshold = 0.4'],
        beginning => [q(lower(name) ~ '\m{1}'), $NEWEST],
        inside => [q(lower(name) LIKE '%{1}%'), $NEWEST],
        slip => [q('{1}' <% lower(name)), "'{1}' <<-> lower(name), $NEWEST"],
        relevance => [q(lower(name) LIKE '%{1}%' AND lower(name) LIKE '%{2}%'), "similarity(lower(name), '{1} {2}') DESC, $NEWEST"],
    },
    mysql => {
        name => 'FULLTEXT', from => 'goods g',
        tables => [
            'CREATE TABLE goods (PRIMARY KEY (id), KEY goods_by_time (created_at, id)) AS SELECT '
                . ($OURS =~ s/name/name COLLATE utf8mb4_general_ci AS name/r) . ' FROM products',
            'ALTER TABLE goods ADD FULLTEXT (name)'],
        beginning => [q(MATCH (name) AGAINST ('{1}*' IN BOOLEAN MODE)), $NEWEST],
        relevance => [q(MATCH (name) AGAINST ('+{1} +{2}' IN BOOLEAN MODE)), q(MATCH (name) AGAINST ('+{1} +{2}' IN BOOLEAN MODE) DESC)],
    },
);

# file: our SQLite catalogue; or engine: one that has our catalogue.
sub new {
    my ($class, $driver, %o) = @_;
    my $of = $OF{$driver};
    my $db = $o{file} ? file_beside($o{file}) : $o{engine}->connect(Engine::DATABASE);
    $db->do($_) for $o{file} ? () : @{ $of->{tables} }, @{ $of->{session} // [] };
    return bless { %$of, driver => $driver, db => $db, engine => $o{engine} }, $class;
}

sub name { $_[0]{name} }

# A SQLite file with the same products, made once.
sub file_beside {
    my ($file) = @_;
    my $own = $file =~ s/\.db$/-trigrams.db/r;
    if (!-e $own) {
        my $db = CatalogTest::Engine::open_dbi("dbi:SQLite:dbname=$own.new", '', '');
        $db->do($_) for 'PRAGMA synchronous=OFF', 'PRAGMA journal_mode=OFF';
        $db->do('ATTACH ? AS ours', undef, $file);
        $db->do($_) for @{ $OF{sqlite3}{tables} };
        $db->disconnect;
        rename "$own.new", $own or die "$own: $!\n";
    }
    return CatalogTest::Engine::open_dbi("dbi:SQLite:dbname=$own", '', '');
}

# undef: the engine has nothing for such a question.
sub statement {
    my ($self, $kind, @words) = @_;
    my $template = $self->{$kind} or return;
    my %value = (1 => $words[0], 2 => $words[1], parts => join ' OR ', map { '"' . substr($words[0], $_, 3) . '"' } 0 .. length($words[0]) - 3);
    my ($condition, $order) = map { s/\{(\w+)\}/$value{$1}/gr } @$template;
    return Native::Statement->new($self, "FROM $self->{from} WHERE $condition", $order);
}

package Native::Statement;

sub new {
    my ($class, $native, $found, $order) = @_;
    my $select = 'SELECT ' . join(', ', map { "g.$_" } split /, /, $COLUMNS) . " $found ORDER BY $order LIMIT 10";
    return bless { native => $native, found => $found, select => prepare(@$native{qw(db driver)}, $select) }, $class;
}

my $prepared = 0;

sub prepare {
    my ($db, $driver, $text) = @_;
    return $db->prepare($text, { mariadb_server_prepare => 1 }) if $driver eq 'mysql';
    return $db->prepare($text) if $driver eq 'sqlite3';
    my $name = 'asked_' . ++$prepared;
    $db->do("PREPARE $name AS $text");
    return $db->prepare("EXECUTE $name");
}

sub count { my ($self) = @_; return $self->{native}{db}->selectrow_array("SELECT COUNT(*) $self->{found}") }

# SQLite is a part of this process.
sub cpu { my ($engine) = $_[0]{native}{engine}; return $engine ? Machine::cpu($engine->pid) : Time::HiRes::clock() }

# What Load::run returns.
sub run {
    my ($self, $seconds) = @_;
    my ($begin, $before) = (Time::HiRes::time(), $self->cpu);
    my @ms;
    my $end = $begin;
    do {
        my $from = $end;
        $self->{select}->execute;
        @{ $self->{select}->fetchall_arrayref } or die "no product: $self->{found}\n";
        $end = Time::HiRes::time();
        push @ms, 1000 * ($end - $from);
    } until $end - $begin >= $seconds;
    @ms = sort { $a <=> $b } @ms;
    return {
        requests => scalar @ms, failed => 0, rate => @ms / ($end - $begin), cpu => 1e6 * ($self->cpu - $before) / @ms,
        p50 => $ms[0.50 * $#ms], p99 => $ms[0.99 * $#ms],
    };
}

1;
