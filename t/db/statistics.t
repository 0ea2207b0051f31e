# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# db: pgsql
# mpm: event
# PostgreSQL keeps plans that suit tables as they were, until it is told that they have grown; autovacuum tells it after a minute. An import tells it
# at once, and so does the job that gives products keys, but only of tables that have become many times larger. The MPM does not matter.
use CatalogTest;

my $server = server()->start;
my %editor = (token => forge(claims => claims(role => 'editor')));
my $db = $server->database;
my @tables = qw(products product_words dictionary);
$db->do("ALTER TABLE $_ SET (autovacuum_enabled = false)") for @tables;

sub import_products {
    my ($from, $to) = @_;
    my $file = join '', "name,price,category\n", map { 'Kettle number' . ($_ =~ tr/0-9/a-j/r) . ",1,Tea\n" } $from .. $to;
    my $r = $server->api(POST => '/products/import', $file, headers => { 'Content-Type' => 'text/csv' }, %editor);
    is($r->{json}{summary}{created}, $to - $from + 1, "products $from to $to") or diag $r->{body};
    return;
}

sub known { return [map { $db->selectrow_array('SELECT reltuples FROM pg_class WHERE relname = ?', undef, $_) } @_] }
sub are { return [map { $db->selectrow_array("SELECT COUNT(*) FROM $_") } @_] }

import_products(1, 20);
$db->do('ANALYZE ' . join ', ', @tables);
import_products(21, 1000);
is_deeply(known(@tables), are(@tables), 'the planner knows the size of a catalogue that has grown tenfold');
import_products(1001, 1200);
is_deeply(known('products'), [1000], 'a little more is left to autovacuum');

import_products(1201, 2000);

# So does the job that gives products the keys of a field that is new.
$db->do('ALTER TABLE product_keys SET (autovacuum_enabled = false)');
$db->do('ANALYZE product_keys');
my $second = server(mount => "CatalogField weight number index\n", conf => 'DBDParams "' . $server->params . "\"\n")->start;
ok(wait_until(120, sub { are('product_keys')->[0] == 2000 }), 'products get keys');
ok(wait_until(120, sub { known('product_keys')->[0] > 0 }), 'and the planner knows of them');

done_testing;
