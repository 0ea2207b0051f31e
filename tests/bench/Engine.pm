# SPDX-License-Identifier: Apache-2.0
package Engine;

# A MariaDB or PostgreSQL with one database. Unlike the suite's engines, its commits survive a crash of the machine. url and
# dsn name the database to Node.js and to PHP. settle updates the statistics, as the engine itself would within minutes. begin_copy drops
# indexes of the products and, until end_copy, what counts them.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Engine ();
use CatalogTest::Tools ();

use constant { DATABASE => 'cat_bench', USER => 'catalog' };

my %NAME = (mysql => 'MariaDB', pgsql => 'PostgreSQL');
my $engines = 0;

sub name { $NAME{ $_[0] } }

sub start {
    my ($driver) = @_;
    my $dir = CatalogTest::Tools::setting('home') . "/$driver" . ++$engines;
    mkdir $dir or die "$dir: $!\n";
    CatalogTest::Tools::settle(db => $driver);
    my $engine = bless CatalogTest::Engine->new($dir), "Engine::$NAME{$driver}";
    $engine->start->make(DATABASE);
    return $engine;
}

package Engine::MariaDB;

our @ISA = 'CatalogTest::Engine::MariaDB';

sub command { ($_[0]->SUPER::command, qw(--innodb-flush-log-at-trx-commit=1 --innodb-flush-method=fsync --innodb-buffer-pool-size=512M)) }
sub driver { 'mysql' }
sub login { Engine::USER . ":$CatalogTest::Engine::PASSWORD" }
sub url { 'mysql://' . login() . "\@127.0.0.1:$_[0]{port}/" . Engine::DATABASE }
sub dsn { "mysql:host=127.0.0.1;port=$_[0]{port};charset=utf8mb4;dbname=" . Engine::DATABASE }

sub settle {
    my $db = $_[0]->connect(Engine::DATABASE);
    $db->selectall_arrayref('ANALYZE TABLE ' . join ', ', @{ $db->selectcol_arrayref(q(SHOW FULL TABLES WHERE Table_type = 'BASE TABLE')) });
    return;
}

sub begin_copy { my ($self, $db, @indexes) = @_; $db->do('ALTER TABLE products ' . join ', ', map { "DROP INDEX $_" } @indexes) }
sub end_copy { }

package Engine::PostgreSQL;

our @ISA = 'CatalogTest::Engine::PostgreSQL';

sub command { ($_[0]->SUPER::command, qw(-c fsync=on -c full_page_writes=on -c shared_buffers=512MB)) }
sub driver { 'pgsql' }
sub url { 'postgresql://' . Engine::USER . "\@127.0.0.1:$_[0]{port}/" . Engine::DATABASE }
sub dsn { "pgsql:host=127.0.0.1;port=$_[0]{port};dbname=" . Engine::DATABASE }
sub settle { $_[0]->connect(Engine::DATABASE)->do('VACUUM ANALYZE') }

sub begin_copy {
    my ($self, $db, @indexes) = @_;
    $db->do("DROP INDEX $_") for @indexes;
    $db->do('ALTER TABLE products DISABLE TRIGGER USER');
}

sub end_copy { $_[1]->do('ALTER TABLE products ENABLE TRIGGER USER') }

1;
