# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: POST /register
# case: 1 8 9 11
# db: sqlite3
# runs: first
# The database's file: missing, deleted, replaced, read-only, or not a database.
use CatalogTest;

use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Tools ();

my $outage = { success => false, message => qr/./, error => 'database unavailable' };
my $token = forge();
my @routes = (
    [GET => '/products'], [GET => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b'],
    [POST => '/products', { name => 'x', price => 1 }, token => $token],
    [PUT => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b', { price => 1 }, token => $token],
    [DELETE => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b', token => $token],
    [POST => '/register', { username => 'outage', email => 'outage@example.com', password => 'x' x 8 }],
    [POST => '/users', { username => 'outage', email => 'outage@example.com', password => 'x' x 8 }],
);
sub is_out {
    my ($server, $why) = @_;
    answers($server->api(@$_), 503, $outage, "$why: $_->[0] " . $_->[1] =~ s/01a.*/:id/r,
        'retry-after' => qr/^[1-9]\d*$/) for @routes;
}
sub create { return $_[0]->api(POST => '/products', { name => 'x', price => 1 }, token => $token) }

# The directory does not exist yet. httpd -t refuses such a path, but does not look into a URI.
my $server = server(mount => undef, conf => <<'END');
DBDParams "file:@dir@/data/later/catalog.db"
<Location "/api">
    CatalogEnable   On
    CatalogKeyFile  "@key@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
$server->start;
is_out($server, 'no directory');
answers($server->api(POST => '/register', '{'), 400, undef, 'a request that needs no database is answered');
mkdir my $dir = $server->dir . '/data/later';
CatalogTest::Server::hand_over($dir);
answers(create($server), 201, undef, 'a write succeeds as soon as the directory exists');
answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 1 }, 'the server creates the schema');
$server->stop;

# While the server runs, the file is deleted or replaced, or its WAL or the WAL's index is deleted. All children have it open, and
# httpd starts no more.
my $few = 'MaxRequestWorkers ' . (mpm() eq 'prefork' ? 4 : 64);
for (['', 0], ['', 1], ['-wal', 0], ['-shm', 0]) {
    my ($suffix, $replaced) = @$_;
    my $what = "catalog.db$suffix, " . ($replaced ? 'replaced' : 'deleted');
    $server = server(conf => $few)->start;
    create($server) for 1 .. 3;
    sleep 1;
    $server->burst((wire(GET => '/products')) x 16);
    my $file = $server->dir . "/data/catalog.db$suffix";
    unlink $file or die "$file: $!";
    if ($replaced) {
        system('cp', "$dir/catalog.db", $file) == 0 or die;
        CatalogTest::Server::hand_over($file);
    }
    sleep 2; # the server checks the file once a second
    is_out($server, $what);
    like($server->log_text, qr/CAT006: .*catalog\.db$suffix was removed or replaced; stop the server, do not restart it/,
        "$what: the log says to stop the server");
    $server->burst((wire(GET => '/products')) x 16) for 1 .. 3;
    cmp_ok(scalar(() = $server->log_text =~ /\[client .*CAT006: /g), '<', 20, "$what: but not for each request");
    if (!$replaced) {
        kill KILL => $server->children;
        my $served = wait_until(10,
            sub { my $r = eval { $server->api(GET => '/products') }; $r && $r->{status} != 599 && $r });
        answers($served, 503, $outage, "$what: new children do not create an empty database");
        ok(!-e $file, "$what: new children do not create the file") if $suffix;
    }
    $server->stop;
    if (!$suffix && !$replaced) {
        my ($status, $text) = $server->configtest;
        like("$status $text", qr{^1 .*cannot use its database, \Q$file\E: is missing or empty, but commits of it are in \Q$file\E-wal}s, "$what: httpd does not start");
        unlink glob "$file-*";
    }
    $server->start;
    answers(create($server), 201, undef, "$what: a write succeeds after a restart");
    $server->stop;
}

# The file is moved away: no start deletes the commits in the -wal file, and what the page says loses none.
for my $empty (0, 1) {
    $server = server(conf => $few)->start;
    create($server) for 1 .. 5;
    $server->burst((wire(GET => '/products')) x 16);
    my $file = $server->dir . '/data/catalog.db';
    rename $file, "$file.away" or die;
    if ($empty) {
        CatalogTest::Tools::spew($file, '');
        CatalogTest::Server::hand_over($file);
    }
    my $what = $empty ? 'an empty file in its place' : 'the file is moved away';
    my $graceful = sub { my $r = eval { $server->api(GET => '/products') }; $r && $r->{status} != 599 && $r };
    ok(wait_until(10, sub { $server->log_text =~ /CAT006: .*catalog\.db was removed/ }), "$what: the server notices it");
    $server->graceful;
    ok(wait_until(20, sub { $graceful->(); $server->log_text =~ m{CAT070: .*/catalog\.db: is missing or empty, but commits of it are in} }), "$what: a child of a graceful restart notices it");
    for my $command (['check'], ['migrate'], ['user', 'list']) {
        my $r = ctl_for($server, @$command);
        ok($r->{status} && "$r->{out}$r->{err}" =~ /is missing or empty, but commits of it are in/, "$what: catalogctl @$command refuses to create one") or diag "$r->{out}$r->{err}";
    }
    ok(-s "$file-wal", "$what: the commits are still there");
    $server->stop;
    is(($server->configtest)[0], 1, "$what: httpd does not start");
    rename "$file.away", $file or die;
    $server->start;
    answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 5 }, "$what: once it is back, nothing is lost");
    $server->stop;
}

# The directory is closed for a while: the file is the same.
if ($> == 0) {
    $server = server(conf => $few)->start;
    create($server) for 1 .. 3;
    my $data = $server->dir . '/data';
    my ($uid, $gid) = (stat $data)[4, 5];
    chown 0, 0, $data;
    chmod 0700, $data;
    ok(wait_until(10, sub { $server->api(GET => '/products'); $server->log_text =~ /CAT069: / }), 'a closed directory is noticed');
    like($server->log_text, qr{CAT069: .*: the database file cannot be examined: \Q$data\E/catalog\.db: the directory \Q$data\E must belong to the user \S+, who may not write to it; run: install -d -o },
        'and the log has the command that opens it');
    unlike($server->log_text, qr/CAT006: /, 'it does not say that the file was removed');
    chmod 0750, $data;
    chown $uid, $gid, $data;
    ok(wait_until(10, sub { create($server)->{status} == 201 }), 'writes succeed as soon as it is open');
    $server->stop;
}

# A server that stops saves the content of its deleted WAL, whether it has noticed that or not; without the WAL's index nothing is lost.
for (['-wal', 0], ['-wal', 1], ['-shm', 1]) {
    my ($suffix, $notices) = @$_;
    $server = server(conf => $few)->start;
    create($server) for 1 .. 5;
    $server->burst((wire(GET => '/products')) x 16);
    unlink $server->dir . "/data/catalog.db$suffix" or die;
    if ($notices) {
        sleep 2;
        is_out($server, "catalog.db$suffix");
    }
    $server->stop;
    $server->start;
    answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 5 },
        "catalog.db$suffix is deleted: after a stop nothing is lost" . ($notices ? ', if the server has noticed it' : ''));
    $server->stop;
}

# The file is read-only. A URI, as above: httpd -t would refuse the path, but a running server continues.
my $uri = '"file:@dir@/data/catalog.db"';
for ([conf => "DBDParams $uri\n"], [mount => "CatalogDatabase \@driver\@ $uri"]) {
    $server = server(@$_)->start;
    create($server) for 1 .. 3;
    my $db = $server->database; # keeps the -wal and -shm files in place
    $db->selectrow_array('SELECT COUNT(*) FROM products');
    $server->stop;
    my $data = $server->dir . '/data';
    my @files = glob "$data/catalog.db*";
    my ($uid, $gid) = (stat $data)[4, 5];
    chown 0, 0, @files, $data if $> == 0;
    chmod 0444, @files;
    chmod 0555, $data;
    $server->start;
    answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == 3 }, 'read-only: a read is served');
    answers(create($server), 503, $outage, 'read-only: a write is refused', 'retry-after' => qr/^\d+$/);
    like($server->log_text, qr/CAT003: .*read-?only.*; \S*catalog\.db: .*(?:run|with): (?:install -d|chown|chmod) /, 'read-only: the log has the cause and the command');
    answers($server->api(GET => '/products'), 200, undef, 'read-only: a read is served after the refused write');
    $server->burst((wire(GET => '/products?limit=5')) x 16);
    answers($server->api(GET => '/health/ready'), 503, refusal(error => qr/accepts no writes/),
        'read-only: the server is not ready');
    chmod 0755, $data;
    chmod 0644, @files;
    chown $uid, $gid, @files, $data if $> == 0;
    # A child maps the index anew when none of its connections is in use, which others that wait for the processor can put off.
    my $stored = 3;
    ok(wait_until(10, sub {
        my @made = grep { $_->{status} == 201 } $server->burst((wire(POST => '/products', { name => 'x', price => 1 }, token => $token)) x 16);
        $stored += @made;
        return @made == 16;
    }), 'writes succeed as soon as the file is writable');
    answers(create($server), 201, undef, 'writes succeed on each connection') for 1 .. 8;
    answers($server->api(GET => '/products'), 200, sub { $_[0]{pagination}{total} == $stored + 8 },
        'exactly the acknowledged products are stored');
    answers($server->api(GET => '/health/ready'), 200, undef, 'the server is ready again');
    $server->stop;
}

# The file is not a database.
$server = server();
my $file = $server->dir . '/data/catalog.db';
$server->write($file, 'no database at all ' x 1000);
CatalogTest::Server::hand_over($file);
$server->start;
is_out($server, 'garbage');
$server->write($server->dir . '/htdocs/index.html', "outside\n");
is($server->api(GET => '/index.html', mount => '')->{status}, 200, 'the rest of the site is served');
$server->stop;
unlink glob "$file*";
$server->start;
answers(create($server), 201, undef, 'once the file is deleted, the server creates a new database');

expect_log(qr/CAT002: /, qr/CAT003: .*(?:readonly|read-only)/, qr/CAT003: .*(?:not a database|malformed)/,
    qr/CAT006: /, qr/CAT058: .*read-only/, qr/CAT070: /, $> ? () : qr/CAT069: /);
allow_log(qr/AH00161: |AH00629: |AH02655: /, qr/AH00052: child pid \d+ exit signal Killed/, qr/CAT00[0-9]: /);
done_testing;
