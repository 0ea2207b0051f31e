# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/logout
# route: GET /auth/me
# runs: first
# A token that is logged out is refused by every child at once, and by other servers that share the database within
# CatalogRevocationDelay; after a restart; and whoever was killed.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Smtp;
use Time::HiRes qw(sleep time);

my $children = <<'END';
<IfModule mpm_prefork_module>
    StartServers        8
    MaxRequestWorkers   8
</IfModule>
<IfModule !mpm_prefork_module>
    StartServers        4
    ServerLimit         4
    ThreadsPerChild     8
    MinSpareThreads     8
    MaxSpareThreads     32
    MaxRequestWorkers   32
</IfModule>
LogFormat "%P %s" child
CustomLog "@dir@/logs/children" child
END
my $one = server(mount => 'CatalogRevocationDelay 2', conf => $children)->start;
my $database = 'CatalogDatabase @driver@ "' . $one->params . '"';
my $smtp = CatalogTest::Smtp->new(scratch(), '--hang', 'DATA');
my $mail = 'CatalogMail ' . $smtp->url . "\nCatalogMailFrom shop\@catalog.test\nCatalogBaseURL https://shop.test";
my $two = server(mount => "CatalogRevocationDelay 2\n$database", conf => $children)->start;
# Beside them one whose mail server has fallen silent.
my $three = server(mount => "CatalogRevocationDelay 1\n$database\n$mail", conf => $children)->start;

my $user = register($one);
sub session { sign_in($one, $user->{user}{username}, $user->{password})->{json} }
sub leave { $one->api(POST => '/auth/logout', token => $_[0]{token}) }

# Asks until every child has answered; which statuses there were. Those that have answered pause, because on one processor a child may
# take all connections.
sub all_say {
    my ($server, $session) = @_;
    my ($log, %status, %pids) = ($server->dir . '/logs/children');
    my $read = length slurp($log);
    my $asked = wait_until(10, sub {
        CatalogTest::Process::pause(keys %pids);
        $status{ $_->{status} }++ for $server->burst((wire(GET => '/auth/me', token => $session->{token})) x 24);
        kill CONT => keys %pids;
        $pids{$_} = 1 for substr(slurp($log), $read) =~ /^(\d+) /mg;
        return !grep { !$pids{$_} } $server->children;
    });
    ok($asked, 'each child answers');
    return join ' ', sort keys %status;
}

# Remembered by every child, then refused by every child.
my $first = session();
is(all_say($one, $first), '200', 'every child accepts the token');
is(all_say($two, $first), '200', 'every child of the second server accepts it, too');
my $stays = session();
my $sending = q(SELECT COUNT(*) FROM outbox WHERE lease <> '');
ok(wait_until(5, sub { $one->database->selectrow_array($sending) }), 'a mail is being sent');
is(leave($first)->{status}, 200, 'the user signs out');
my $left = time;
is(all_say($one, $first), '401', 'every child refuses the token at once');
is(all_say($one, $stays), '200', 'another session of the user continues');

sleep 0.05 while time < $left + 2.2;
is(all_say($two, $first), '401', 'every child of the other server refuses it after CatalogRevocationDelay');
is(all_say($three, $first), '401', 'a server that waits for a mail server refuses it as well');

# Many that leave while others ask.
my @sessions = map { session() } 1 .. 10;
is(join(' ', map { leave($_)->{status} } @sessions), join(' ', (200) x 10), 'ten sessions are ended');
my @answers = $one->burst(map { wire(GET => '/auth/me', token => $_->{token}) } (@sessions) x 10);
is(scalar(grep { $_->{status} != 401 } @answers), 0, 'a hundred requests of these sessions are refused');

# Children that die: their successors know; and what others end meanwhile is learned in time, whoever died.
kill KILL => $one->children;
ok(wait_until(10, sub { eval { works($one, $stays->{token}) } }), 'new children answer');
is(all_say($one, $first), '401', 'after SIGKILL of all children the ended session is refused');
my $second = session();
is(all_say($two, $second), '200', 'the second server accepts a new session');
my ($survivor, @victims) = $two->children;
kill KILL => @victims;
ok(wait_until(10, sub { eval { works($two, $stays->{token}) } }),
    'the second server answers after all but one of its children are killed');
leave($second);
$left = time;
sleep 0.05 while time < $left + 2.2;
is(all_say($two, $second), '401', 'the old and the new children refuse the ended session');

# A restart has nothing in memory, and refuses what was ended meanwhile.
$two->stop;
my $third = session();
leave($third);
$two->start;
is(all_say($two, $_), '401', 'after a restart the ended sessions are refused') for $first, $third;
is(all_say($two, $stays), '200', 'the session that was not ended is accepted');
$one->graceful;
sleep 1;
is(all_say($one, $_), '401', 'after a graceful restart the ended sessions are refused') for $first, $third;
is(all_say($one, $stays), '200', 'the session that was not ended is accepted');

# Who could not ask the database says so, and does not guess. A URI, because httpd -t refuses a path whose directory is not there.
if (driver eq 'sqlite3') {
    my $four = server(mount => 'CatalogDatabase sqlite3 "file:@dir@/data/later/catalog.db"', conf => $children)->start;
    answers($four->api(GET => '/auth/me', token => $_->{token}), 503, refusal(error => 'database unavailable'),
        'without a database the server answers 503 to any token',
        'retry-after' => qr/^[1-9]\d*$/, 'www-authenticate' => undef) for $first, $stays;
    symlink $one->dir . '/data', $four->dir . '/data/later' or die;
    is(all_say($four, $first), '401', 'with the database the ended session is refused');
    is(all_say($four, $stays), '200', 'with the database the other session is accepted');
    expect_log(qr/CAT002: /);
}

allow_kills();
allow_log(qr/CAT015: /, qr/AH00161: |AH00286: |AH10159: /);
done_testing;
