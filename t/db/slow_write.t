# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: PUT /products/:id
# db: mysql pgsql
# runs: first
# again: db
# A write that the database ends, because one of its statements takes longer than it may, was not stored: 503, and a line in the log.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);

my $server = server()->start;
my $db = $server->database;
my %editor = (token => forge(claims => claims(role => 'editor')));
my $id = $server->api(POST => '/products', { name => 'Kettle', price => 1, category => 'kitchen' }, %editor)->{json}{data}{id};

expect_log(qr/CAT003: .*SQL_PRODUCT_\w+ failed.*(?:max_statement_time|statement timeout)/);
for my $event (qw(INSERT UPDATE)) {
    $db->do($_) for driver() eq 'pgsql' ? (
        q(CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(60); RETURN NEW; END'),
        "CREATE TRIGGER slow BEFORE $event ON products FOR EACH ROW EXECUTE FUNCTION sleep()")
        : "CREATE TRIGGER slow BEFORE $event ON products FOR EACH ROW SET \@slept = SLEEP(60)";
    my $r = $server->api($event eq 'INSERT' ? (POST => '/products') : (PUT => "/products/$id"), { name => 'Teapot', price => 2 }, %editor, patience => 60);
    is($r->{status}, 503, "$event: the answer") or diag $r->{body};
    is($r->{headers}{'retry-after'}, 2, 'has Retry-After');
    $db->do($_) for driver() eq 'pgsql' ? ('DROP TRIGGER slow ON products', 'DROP FUNCTION sleep()') : 'DROP TRIGGER slow';
}
is_deeply($db->selectcol_arrayref('SELECT name FROM products'), ['Kettle'], 'nothing is stored');
my $lines = () = $server->log_text =~ /CAT003/g;
is($lines, 2, 'the log has a line for each');
is($server->api(POST => '/products', { name => 'Teapot', price => 2 }, %editor)->{status}, 201, 'the next write is stored');

# case: statements of catalogctl may take longer
my %slow = (
    pgsql => [q(CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(7); RETURN NULL; END'),
        'CREATE TRIGGER slow BEFORE DELETE ON category_counts FOR EACH STATEMENT EXECUTE FUNCTION sleep()'],
    mysql => ['CREATE TRIGGER slow BEFORE DELETE ON category_counts FOR EACH ROW SET @slept = SLEEP(7)'],
);
ok(wait_until(30, sub { $db->selectrow_array(q(SELECT COUNT(*) FROM category_counts WHERE category = 'kitchen')) }), 'there is a category');
$db->do($_) for @{ $slow{ +driver } };
my $start = time;
my $recount = ctl_for($server, 'recount');
cmp_ok(time - $start, '>=', 6, 'catalogctl recount has a statement that takes longer than a request may');
is("$recount->{status} $recount->{err}", '0 ', 'it succeeds');
$db->do(driver eq 'pgsql' ? 'DROP TRIGGER slow ON category_counts' : 'DROP TRIGGER slow');

done_testing;
