# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/logout
# route: GET /products
# route: POST /products
# db: mysql
# runs: first
# again: db
# A database server whose sessions begin with autocommit off, as an administrator may configure it.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);

my $engine = CatalogTest::Database::engine();
$engine->admin->do('SET GLOBAL autocommit = 0');
my $server = server(engine => $engine);
my $db = $server->database;
$db->do('SET SESSION autocommit = 1'); # for the test's own session
is($engine->admin->selectrow_array('SELECT @@GLOBAL.autocommit'), 0, 'new sessions have autocommit off');

is(ctl_for($server, 'migrate')->{status}, 0, 'catalogctl migrate creates the schema');
is(problems(ctl_for($server, 'check')), '', 'catalogctl check finds no problem');
$server->start;

my $user = register($server);
my @login = (POST => '/auth/login', { login => $user->{user}{username}, password => 'wrong password' });
is($server->api(@login)->{status}, 401, 'a wrong password is refused') for 1 .. 3;
is($db->selectrow_array('SELECT SUM(failures) FROM login_failures'), 3, 'failed sign-ins are stored');

answers($server->api(POST => '/products', { name => "product $_", price => 1 }, token => $user->{token}), 201, undef,
    'a product is created')
    for 1 .. 12;
is($db->selectrow_array('SELECT COUNT(*) FROM products'), 12, 'other sessions see the acknowledged writes');
my @lists = $server->burst((wire(GET => '/products')) x 24);
is(scalar(grep { $_->{status} == 200 && $_->{json}{pagination}{total} == 12 } @lists), 24, 'each list has all products');

is($server->api(POST => '/auth/logout', {}, token => $user->{token})->{status}, 200, 'the logout succeeds');
is($db->selectrow_array('SELECT COUNT(*) FROM sessions'), 0, 'the logout deletes the session');

done_testing;
