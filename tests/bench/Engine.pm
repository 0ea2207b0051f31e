# SPDX-License-Identifier: Apache-2.0
package Engine;

# A MariaDB or PostgreSQL with one database. Unlike the suite's engines, its commits survive a crash of the machine.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Engine ();
use CatalogTest::Tools qw(setting settle);

use constant DATABASE => 'cat_bench';

my %NAME = (mysql => 'MariaDB', pgsql => 'PostgreSQL');

sub name { $NAME{ $_[0] } }

sub start {
    my ($driver) = @_;
    my $dir = setting('home') . "/$driver";
    mkdir $dir or die "$dir: $!\n";
    settle(db => $driver);
    my $engine = bless CatalogTest::Engine->new($dir), "Engine::$NAME{$driver}";
    $engine->start->make(DATABASE);
    return $engine;
}

package Engine::MariaDB;

our @ISA = 'CatalogTest::Engine::MariaDB';

sub command { ($_[0]->SUPER::command, '--innodb-flush-log-at-trx-commit=1', '--innodb-buffer-pool-size=512M') }

package Engine::PostgreSQL;

our @ISA = 'CatalogTest::Engine::PostgreSQL';

sub command { ($_[0]->SUPER::command, qw(-c fsync=on -c full_page_writes=on -c shared_buffers=512MB)) }

1;
