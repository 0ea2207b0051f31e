# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/password/change
# db: sqlite3
# runs: last
# hashes: real
# A password that the server did not check, because its queue was full, does not count as a wrong one.
use CatalogTest;
use CatalogAccounts;
use CatalogLoad;
use List::Util qw(min);
use POSIX qw(ceil);
use Time::HiRes qw(time);

my $enough = mpm() eq 'prefork' ? "StartServers 16\n" : ''; # a request that waits for a child comes when the hash is ready
my $server = server(conf => "CatalogHashConcurrency 1\n$enough")->start;
my $db = $server->database;
my $owner = register($server);
my $name = $owner->{user}{username};

# One whose hash takes three seconds or more to compare, which is longer than anybody waits for the only place. Each step of the cost
# doubles the time. No password gives this hash.
sub bcrypt { sprintf '$2b$%02d$%s', $_[0], 'abcdefghijklmnopqrstuu' . 'a' x 31 }
sub seconds { my $start = time; crypt('slow', bcrypt($_[0])) or die $!; time - $start }
my $cost = 8 + ceil(log(3 / min(map { seconds(8) } 1 .. 5)) / log 2);
my $slow = register($server)->{user};
$db->do('UPDATE users SET password_hash = ? WHERE id = ?', undef, bcrypt($cost), $slow->{id});

# Statuses of requests that are sent while the only place is taken. A delay that they cause is made to last for a while.
sub while_busy {
    my (@requests) = @_;
    my $busy = clients($server, 1, sub { $_[0]->ask(POST => '/auth/login', { login => $slow->{username}, password => 'wrong' }) });
    wait_until(10, sub { $db->selectrow_array('SELECT COUNT(*) FROM login_failures') }) or die "nobody hashes\n";
    my @statuses = map { $_->{status} } $server->burst(@requests);
    $busy->results;
    $db->do('UPDATE login_failures SET allowed_at = allowed_at + 60000 WHERE allowed_at > 0');
    return join ' ', @statuses;
}

my %login = (login => $name, password => $owner->{password});
my %change = (currentPassword => $owner->{password}, newPassword => 'another horse');
is(while_busy((wire(POST => '/auth/login', \%login)) x 5, (wire(POST => '/auth/password/change', \%change, token => $owner->{token})) x 5), join(' ', (503) x 10),
    'five sign-ins and five password changes during another password check get 503');
answers(sign_in($server, $name, $owner->{password}), 200, undef, 'the owner can then sign in');

expect_log(qr/CAT011: /);
done_testing;
