# SPDX-License-Identifier: Apache-2.0
package Copies;

# Catalogues of Varied.pm on MariaDB and PostgreSQL.

use strict;
use warnings FATAL => 'all';

use DBI ();

use Catalogue ();
use Engine ();

my $ROWS = 50; # of one statement: DBD::Pg looks each value up among all of it

# Copies the catalogue in a SQLite file into the engine's empty database. catalogctl index builds the indexes afterwards, and compares
# all that is derived of each product; catalogctl recount makes the counts.
sub fill {
    my ($engine, $ctl, $file) = @_;
    my @command = ($ctl, '-d', $engine->driver, '-p', $engine->params(Engine::DATABASE));
    my $from = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    my $indexes = q(SELECT name FROM sqlite_master WHERE tbl_name = 'products' AND type = 'index' AND name LIKE 'products_by%');

    Catalogue::capture(@command, 'migrate');
    my $db = $engine->connect(Engine::DATABASE);
    $engine->begin_copy($db, grep { $_ ne 'products_by_time' } @{ $from->selectcol_arrayref($indexes) });
    copy_table($from, $db, $_) for qw(products product_words dictionary catalog_fields product_keys product_unique);
    $engine->end_copy($db);
    my ($count) = $db->selectrow_array('SELECT COUNT(*) FROM products');
    $db->do('UPDATE product_indexes SET complete = 1, filled = ?', undef, $count);
    $db->disconnect;
    $engine->settle; # as its statistics tell it how to look things up

    Catalogue::capture(@command, 'recount');
    my $said = Catalogue::capture(@command, 'index');
    $said =~ /^$count products, 0 indexed anew$/m or die "catalogctl index says:\n$said";
}

sub copy_table {
    my ($from, $to, $table) = @_;
    my $columns = $from->selectcol_arrayref('SELECT name FROM pragma_table_info(?)', undef, $table);
    my $list = join ', ', @$columns;
    my $row = '(' . join(', ', ('?') x @$columns) . ')';
    my $rows = $from->prepare("SELECT $list FROM $table");
    my ($insert, $size) = (undef, 0);

    $rows->execute;
    $to->begin_work;
    while (my @some = @{ $rows->fetchall_arrayref(undef, $ROWS) // [] }) {
        $insert = $to->prepare("INSERT INTO $table ($list) VALUES " . join ', ', ($row) x ($size = @some)) if @some != $size;
        $insert->execute(map { @$_ } @some);
    }
    $to->commit;
}

1;
