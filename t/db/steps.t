# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /health/ready
# case: 5 23
# runs: first
# again: db
use CatalogTest;
use POSIX ();
use Time::HiRes qw(sleep);

# case: a newer version applies its schema step while the server answers requests: none fails
my $server = server()->start;
my $token = register($server)->{token};
my $version = $server->database->selectrow_array('SELECT MAX(version) FROM schema_version');
$server->burst((wire(GET => '/products')) x 12);

sub step_up {
    my $db = $server->database;
    for ('ALTER TABLE products ADD COLUMN note VARCHAR(100)', 'CREATE INDEX products_by_note ON products (name, note)',
        'CREATE TABLE later (id INTEGER NOT NULL PRIMARY KEY)', 'ALTER TABLE users ADD COLUMN language VARCHAR(10)',
        "INSERT INTO schema_version (version, name, applied_at) VALUES ($version + 1, 'later', 1)") {
        sleep 0.2;
        $db->do($_);
    }
}

my $pid = fork // die "fork: $!\n";
if (!$pid) {
    my $done = eval { step_up(); 1 };
    print STDERR $@ unless $done;
    POSIX::_exit($done ? 0 : 1);
}
my %count;
my ($left, $rounds) = ($pid, 0);
while ($left) {
    my @work = (['GET', '/products'], ['POST', '/products', { name => 'x', price => 1 }, token => $token],
        ['POST', '/users', { username => fresh('step'), email => fresh('step') . '@example.com', password => 'correct horse' }]);
    $count{"$_->{status}"}++ for $server->burst((map { wire(@$_) } @work[0, 0, 1, 1]), wire(@{ $work[2] }));
    $rounds++;
    $left = 0 if waitpid($pid, POSIX::WNOHANG()) == $pid;
}
is($?, 0, 'the schema step succeeds');
cmp_ok($rounds, '>', 1, 'clients send requests meanwhile');
is_deeply(\%count, { 200 => 2 * $rounds, 201 => 3 * $rounds }, 'all requests succeed');

# case: this version starts with the newer schema and accepts it
$server->stop;
$server->start;
answers($server->api(GET => '/products?limit=1'), 200, sub { $_[0]{pagination}{total} == 2 * $rounds },
    'the list is served with a newer schema');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef,
    'a write succeeds with a newer schema');
is($server->api(GET => '/health/ready')->{json}{data}{schema}, $version + 1, '/health/ready has the newer version');

done_testing;
