# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: GET /products/:id
# db: mysql pgsql
# mpm: event
# runs: first
# again: db
# A database whose encoding lacks characters: catalogctl and the log report it. The MPM does
# not matter.
use utf8;
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for problems);

my $engine = CatalogTest::Database::engine();

sub pot { ({ name => "teapot \x{1FAD6}", price => 1 }, token => forge()) }

# A server on a database that the test creates.
sub server_on {
    my ($name, $sql) = @_;
    $engine->admin->do($sql);
    return server(engine => $engine, conf => 'DBDParams "' . $engine->params($name) . "\"\n");
}

if (driver eq 'pgsql') {
    my $latin = server_on('cat_latin1',
        q(CREATE DATABASE cat_latin1 OWNER catalog ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0));
    my $what = qr/server_encoding is LATIN1, not UTF8, so the schema is not created in it; create a database with: createdb --encoding UTF8/;
    my $made = ctl_for($latin, 'migrate');
    is_deeply([@$made{qw(status out)}], [1, ''], 'catalogctl migrate does not create the schema');
    like($made->{err}, qr/^catalogctl: CAT059: .*$what/, 'catalogctl migrate prints the encoding and a command');
    like(problems(ctl_for($latin, 'check')), qr/^server_encoding: LATIN1, not UTF8; create a database with: createdb/m,
        'catalogctl check reports the encoding');
    $latin->start;
    answers($latin->api(GET => '/products'), 503, refusal(error => 'database unavailable'),
        'the server does not create the schema');
    expect_log(qr/CAT059: .*$what/);
}
else {
    my $latin = server_on('cat_latin1', 'CREATE DATABASE cat_latin1 CHARACTER SET latin1')->start;
    my $r = $latin->api(POST => '/products', pot());
    answers($r, 201, undef, 'tables do not have the character set of their database');
    is($latin->api(GET => "/products/$r->{json}{data}{id}")->{json}{data}{name}, "teapot \x{1FAD6}",
        'the name is stored unchanged');
    is(problems(ctl_for($latin, 'check')), '', 'catalogctl check finds no problem');
}

# A database already in use keeps working, as it can store most texts.
my $server = server(engine => $engine)->start;
answers($server->api(POST => '/products', { name => 'plain', price => 1 }, token => forge()), 201, undef, 'a product is created');
is(problems(ctl_for($server, 'check')), '', 'catalogctl check finds no problem in a database with UTF-8');
$server->stop;
my $name = $server->database_named->{name};
if (driver eq 'pgsql') {
    $engine->admin->do(q(UPDATE pg_database SET encoding = pg_char_to_encoding('LATIN1') WHERE datname = ?), undef, $name);
}
else {
    $server->database->do('ALTER TABLE products MODIFY name VARCHAR(200) CHARACTER SET latin1 NOT NULL');
}
my $narrow = driver eq 'pgsql' ? 'LATIN1, not UTF8' : 'latin1 in products.name, not utf8mb4';
like(problems(ctl_for($server, 'check')), qr/^\w+: \Q$narrow\E; /m, 'catalogctl check reports the narrow character set');
$server->start;
answers($server->api(POST => '/products', { name => 'plain as well', price => 1 }, token => forge()), 201, undef,
    'ASCII text is stored');
like($server->api(POST => '/products', pot())->{status}, qr/^(?:400|503)$/, 'text outside the character set is refused');
is($server->api(GET => '/products')->{json}{pagination}{total}, 2, 'the refused text is not stored');
expect_log(qr/CAT059: .* is \Q$narrow\E, so other characters cannot be stored; /);
allow_log(qr/\[dbd:error\]/, qr/CAT003: /);
done_testing;
