# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: POST /products/import
# db: mysql pgsql
# runs: first
# The disk of the database server is full.
use CatalogTest;
use File::Temp ();

my $engine = CatalogTest::Database::engine();
my $server = server(engine => $engine)->start;
my $token = register($server)->{token};
my $full = refusal(message => 'Disk full', error => 'a disk of the server or of its database is full; ask the administrator for room');
my $disk = File::Temp->newdir('catalog-test.XXXXXX', TMPDIR => 1);
plan(skip_all => 'no file system can be mounted here') if system("mount -t tmpfs -o size=24m tmpfs $disk 2>/dev/null") != 0;
CatalogTest::Server::hand_over("$disk");

# The products move to the small disk: PostgreSQL's as a tablespace, MariaDB's as the directory of the database.
my $name = $server->database_named->{name};
if (driver eq 'pgsql') {
    $engine->admin->do("CREATE TABLESPACE cat_small LOCATION '$disk'");
    $engine->admin->do('GRANT CREATE ON TABLESPACE cat_small TO catalog');
    $server->database->do('ALTER TABLE products SET TABLESPACE cat_small');
}
else {
    $engine->stop;
    my $data = $engine->{dir} . "/data/$name";
    system("cp -a $data/. $disk && mv $data $data.away && ln -s $disk $data") == 0 or die;
    $engine->start;
}

sub create { $server->api(POST => '/products', { name => 'x' x 200, price => 1, category => 'y' x 100 }, token => $token) }
ok(wait_until(60, sub { create()->{status} == 201 }), 'a product fits');
open my $out, '>', "$disk/filler" or die "$disk: $!";
1 while syswrite $out, 'x' x 4096;
close $out;
my $file = join '', "name,price,category\n", map { 'n' x 200 . ",$_," . 'c' x 100 . "\n" } 1 .. 9000;
my ($stored, $r) = ($server->api(GET => '/products')->{json}{pagination}{total});
answers($server->api(POST => '/products/import', $file, token => $token, headers => { 'Content-Type' => 'text/csv' }), 507, undef,
    'an import for which there is no room is a 507', 'retry-after' => qr/^[1-9]\d*$/);
for (1 .. 20_000) {
    $r = create();
    last if $r->{status} != 201;
    $stored++;
}
answers($r, 507, $full, 'so is a product', 'retry-after' => qr/^[1-9]\d*$/);
answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == $stored }, 'reads are served, and nothing of the rest is stored');
unlink "$disk/filler";
answers(create(), 201, undef, 'with room again a product is stored');

expect_log(qr/CAT003: .*(?:full|No space left)/);
allow_log(qr/CAT00[235]: /, qr/\[dbd:error\]/);
$server->stop;
$engine->kill;
system("umount -l $disk");
done_testing;
