# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: POST /register
# route: POST /auth/refresh
# db: pgsql
# again: db
# runs: first
# PgBouncer stands between the server and PostgreSQL. In transaction mode each transaction may get another server session, on which
# other statements are prepared.
use CatalogTest;
use CatalogTest::Pooler;

my $engine = CatalogTest::Database::engine();
my %modes = (
    session => { pool_mode => 'session', default_pool_size => 100, server_reset_query => 'DISCARD ALL' },
    'session, nothing is reset' => { pool_mode => 'session', default_pool_size => 100, server_reset_query => '' },
    transaction => { pool_mode => 'transaction', default_pool_size => 3 },
    'transaction, all is reset' => { pool_mode => 'transaction', default_pool_size => 3, server_reset_query => 'DISCARD ALL',
        server_reset_query_always => 1 },
);
my $serial = 0;

for my $mode (sort keys %modes) {
    my $pooler = CatalogTest::Pooler->new($engine, %{ $modes{$mode} });
    my $direct = server(engine => $engine); # names the database, and is never started
    $direct->make_databases;
    my $server = server(engine => $engine, conf => qq(DBDParams "${\$pooler->params($direct->database_named->{name})}"\n))->start;
    my $user = register($server);
    my $path = '/products/' . $server->api(POST => '/products', { name => 'first', price => 1 }, token => $user->{token})->{json}{data}{id};
    my ($products, $users) = (1, 1);
    my $refresh = $user->{refreshToken};

    # Reads, writes and transactions at once: none fails, and each write is stored once.
    my $all_is_well = sub {
        my ($why) = @_;
        my @answers = $server->burst((wire(GET => '/products'), wire(GET => '/products?page=9'), wire(GET => $path)) x 8,
            (map { wire(POST => '/products', { name => "n$_", price => 1 }, token => $user->{token}) } 1 .. 8),
            (map { wire(PUT => $path, { price => $_ }, token => $user->{token}) } 1 .. 4),
            (map { $serial++; wire(POST => '/register', { username => "user$serial", email => "user$serial\@example.com",
                password => 'correct horse' }) } 1 .. 2));
        is(join(' ', map { $_->{status} } @answers), join(' ', (200) x 24, (201) x 8, (200) x 4, (201) x 2), "reads, writes and registrations succeed: $mode, $why");
        my $answer = $server->api(POST => '/auth/refresh', { refreshToken => $refresh });
        is($answer->{status}, 200, "a refresh succeeds: $mode, $why");
        $refresh = $answer->{json}{refreshToken} // $answer->{json}{data}{refreshToken};
        $products += 8;
        $users += 2;
        my $db = $direct->database;
        is($db->selectrow_array('SELECT COUNT(*) FROM products'), $products, "each product is stored once: $mode, $why");
        is($db->selectrow_array('SELECT COUNT(*) FROM users'), $users, "each user is stored once: $mode, $why");
    };

    $all_is_well->("round $_") for 1 .. 2;
    $pooler->order('RECONNECT');
    $all_is_well->('server sessions replaced');
    $engine->cut;
    $all_is_well->('server sessions ended');
    $pooler->stop;
    $pooler->start;
    $all_is_well->('PgBouncer restarted');
    $direct->database->do('ALTER TABLE products ALTER COLUMN name TYPE VARCHAR(1000)');
    $all_is_well->('the type of a column changed');
    $server->stop;
    $pooler->stop;
}

# Background jobs: while PgBouncer is stopped, just when it stops, and those whose server session ends while it commits.
allow_log(qr/\[dbd:error\]/, qr/CAT002: /, qr/CAT003: .*(?:server closed the connection|COMMIT failed with (?:57P01|08P01): )/);
done_testing;
