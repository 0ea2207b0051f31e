# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/logout
# route: GET /auth/me
# runs: first
# While a server is cut off from the database, other servers end sessions. It accepts no token of those sessions: neither during the
# outage, once CatalogRevocationDelay has passed, nor when the database is back.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $DELAY = 2;
my $CUT = 8; # seconds; so long that a reader with unlimited backoff would come back only seconds after the end

my $engine = driver eq 'sqlite3' ? undef : CatalogTest::Database::engine();
my $one = server(engine => $engine, mount => "CatalogRevocationDelay $DELAY")->start;
my $user = register($one);
my ($params, $cut, $mend, $sign_out) = other_way();
my $key = key_path;
my $two = server(engine => $engine, mount => "CatalogRevocationDelay $DELAY", conf => <<"END");
# No child begins during the outage: it would have read nothing.
<IfModule !mpm_prefork_module>
    ServerLimit         2
    MaxRequestWorkers   64
    MinSpareThreads     16
    MaxSpareThreads     64
</IfModule>
DBDParams "$params"
<Location "/files">
    AuthType        Catalog
    AuthName        files
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogRevocationDelay $DELAY
    Require         valid-user
</Location>
<Location "/files/patient">
    CatalogRevocationDelay 60
</Location>
END
mkdir $two->dir . "/htdocs/$_" or die for qw(files files/patient);
$two->write($two->dir . "/htdocs/files/$_", "a report\n") for qw(report.txt patient/report.txt);
$two->start;

# Another way to the first server's database: its parameters, and functions that close it, open it, and sign out meanwhile.
sub other_way {
    return $engine ? other_user() : moved_file();
}

sub other_user {
    $engine->add_user('other');
    return ($engine->params($one->database_named->{name}, 'other'), sub { $engine->lock_out('other') },
        sub { $engine->let_in('other') },
        sub { is($one->api(POST => '/auth/logout', {}, token => $_[0])->{status}, 200, 'a user signs out at the other server') });
}

# There is no other way to a file: both servers lose it, and only the test's open connection remains.
sub moved_file {
    my ($dir, $db) = ($one->dir . '/data', $one->database);
    my $end = sub {
        my $session = claims_of($_[0])->{sid};
        $db->do('INSERT INTO revoked_sessions (session_id, ended_at) VALUES (?, ?)', undef, $session, int 1000 * time);
        is($db->do('DELETE FROM sessions WHERE id = ?', undef, $session), 1, 'the session is deleted from the database');
    };
    $db->selectrow_array('SELECT COUNT(*) FROM sessions'); # opens it
    return ("$dir/catalog.db", sub { rename $dir, "$dir-away" or die }, sub { rename "$dir-away", $dir or die }, $end);
}

sub session { sign_in($one, $user->{user}{username}, $user->{password})->{json}{token} }

# The distinct statuses of many answers of the second server.
sub statuses {
    my ($path, $token) = @_;
    my %status = map { $_->{status} => 1 } $two->burst((CatalogTest::Http::request_bytes(GET => $path, undef, token => $token)) x 12);
    return join ' ', sort keys %status;
}
sub file { statuses('/files/report.txt', $_[0]) }
sub patient { statuses('/files/patient/report.txt', $_[0]) }
sub me { statuses('/api/auth/me', $_[0]) }

my ($stays, $ends) = (session(), session());
sleep 1; # until each child has read the ended sessions, and needs no database to refuse them
is(file($_), '200', 'the server accepts both tokens in front of a file') for $stays, $ends;
is(me($_), '200', 'the API accepts both tokens') for $stays, $ends;

$cut->();
my $start = time;
wait_until(15, sub { time > $start + $DELAY + 2 && file($stays) eq '503' }); # each child checks its file once a second
$sign_out->($ends);
is(file($_), '503', 'without the database the server answers 503 in front of a file') for $stays, $ends;
is(me($_), '503', 'without the database the API answers 503') for $stays, $ends;
is(patient($stays), '200', 'a longer CatalogRevocationDelay hides the outage')
    if mpm() ne 'prefork'; # whose new children have read nothing yet
answers($two->api(GET => '/auth/me', token => $ends), 503, refusal(error => 'database unavailable'), 'the answer names the cause',
    'retry-after' => qr/^[1-9]\d*$/, 'www-authenticate' => undef);

sleep 0.1 while time < $start + $CUT;
$mend->();
ok(wait_until(10, sub { file($stays) eq '200' }), 'with the database back the first token is accepted');
is(file($ends), '401', 'the other token is refused in front of a file');
is(me($ends), '401', 'the API refuses the other token');
my $until = time + $DELAY;
my %later;
while (time < $until) {
    $later{ file($ends) }++;
    sleep 0.1;
}
is(join(' ', sort keys %later), '401', 'the other token is refused in each request');
is(me($stays), '200', 'the API accepts the first token');

expect_log(driver eq 'sqlite3' ? qr/CAT006: / : qr/CAT002: /);
allow_log(qr/\[dbd:error\]/, qr/CAT00[2356]: /, qr/FATAL: /);
done_testing;
