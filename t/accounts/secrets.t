# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: POST /auth/login
# route: POST /auth/refresh
# route: POST /auth/password/reset
# route: POST /auth/password/change
# No password, token or hash of one appears in logs or a process list, nor in clear text in the database.
use CatalogTest;
use CatalogAccounts;
use Digest::SHA ();
use File::Find ();

# The logs of most sites, and more.
my $server = accounts(mount => 'CatalogRefreshGrace 0', conf => <<'END');
LogLevel  debug catalog:trace8
LogFormat "%h %u \"%r\" %>s \"%{Referer}i\" \"%{User-Agent}i\" %q %U %{CATALOG_USER_ID}e %{CATALOG_ROLE}e" combined
CustomLog "@dir@/logs/combined" combined
END
my $host = $server->dir;
my (%secret, %processes);

# The secrets and their names.
sub keep { my ($name, @values) = @_; $secret{$_} = $name for @values }
sub watch { $processes{$_} = 1 for map { slurp("$_/cmdline") . slurp("$_/environ") } glob '/proc/[0-9]*' }
sub keep_pair {
    my ($what, $r) = @_;
    $r->{json}{token} or die "$what: $r->{status} $r->{body}\n";
    my ($cookie) = ($r->{headers}{'set-cookie'} // '') =~ /^[^=]+=([\w-]+)/;
    keep("access token of $what", $r->{json}{token});
    keep("refresh token of $what", $r->{json}{refreshToken} // $cookie);
    return $r->{json};
}

my @passwords = map { sprintf 'S3cret-%s-%08x', $_, rand 2**32 } qw(first wrong reset change mistyped short);
my ($first, $wrong, $reset, $change, $mistyped) = @passwords;
keep('password', @passwords);

# All uses of secrets, valid and invalid.
my $name = fresh();
my $email = "$name\@example.com";
my $user = keep_pair('register', $server->api(POST => '/register',
    { username => $name, email => $email, password => $first }));
watch();
my $confirm = mail_token($server, $email, 'confirm');
$server->api(GET => "/auth/confirm?token=$confirm");
$server->api(HEAD => "/auth/confirm/?x=y&token=$confirm");
$server->api(POST => '/auth/confirm', { token => $confirm });
$server->api(POST => '/register', { username => $name, email => $email, password => $first }); # taken
$server->api(POST => '/users', { username => 'x', email => 'x', password => $first });         # invalid
my $session = keep_pair('login', sign_in($server, $name, $first, cookie => true));
sign_in($server, $name, $wrong);
sign_in($server, $mistyped, $name); # the password in the field of the name
sign_in($server, $name, $first, $mistyped => 1);
$server->api(POST => '/auth/login', qq({"login":"$name","password":"$first"),
    headers => { Cookie => "__Host-catalog_refresh%2fapi=$user->{refreshToken}" }); # no JSON
my $next = keep_pair('refresh', refresh($server, $user->{refreshToken}));
watch();
refresh($server, $user->{refreshToken}); # a replay, which is logged
$session = keep_pair('login', sign_in($server, $email, $first));
$server->api(POST => '/products', { name => 'x', price => 1 }, token => $session->{token});
$server->api(POST => '/products', { name => 'x', price => 1 }, token => "$session->{token}x");
$server->api(POST => '/products', { name => 'x', price => 1 },
    headers => { Authorization => "Bearer $session->{token} $session->{token}" });
$server->api(POST => '/auth/password/forgot', { email => $email });
my $link = mail_token($server, $email, 'reset');
keep('mail token', $confirm, $link);
$server->api(GET => "/auth/password/reset?token=$link");
$server->api(POST => '/auth/password/reset', { token => $link, password => 'short' });
$server->api(POST => '/auth/password/reset', { token => $link, password => $reset });
$server->api(POST => '/auth/password/reset', { token => $link, password => $reset }); # used up
$session = keep_pair('login', sign_in($server, $name, $reset));
$server->api(POST => '/auth/password/change', { currentPassword => $wrong, newPassword => $change },
    token => $session->{token});
$server->api(POST => '/auth/password/change', { currentPassword => $reset, newPassword => $change },
    token => $session->{token});
$session = keep_pair('login', sign_in($server, $name, $change));
watch();
my ($stored) = $server->database->selectrow_array('SELECT password_hash FROM users WHERE username = ?', undef, $name);
$server->api(POST => '/auth/logout', { refreshToken => $session->{refreshToken} }, token => $session->{token});
my $last = keep_pair('login', sign_in($server, $name, $change));

# If the database fails in the middle, the driver logs its message.
my $latest = $server->database->selectrow_array('SELECT MAX(created_at) FROM sessions');
my ($spoil, $mend) = driver eq 'sqlite3'
    ? ("CREATE TRIGGER fail BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'made to fail'); END", 'DROP TRIGGER fail')
    : ('ALTER TABLE sessions ADD CONSTRAINT made_to_fail CHECK (created_at <= ' . $latest . ')',
        'ALTER TABLE sessions DROP CONSTRAINT made_to_fail');
my $db = $server->database;
$db->do($spoil);
sign_in($server, $name, $change);
$db->do($mend);
$server->stop;

# Hashes of secrets, in every textual form.
my %clear = %secret;
for my $value (keys %clear) {
    keep("hash of the $clear{$value}", Digest::SHA::sha256_hex($value), Digest::SHA::sha1_hex($value),
        Digest::SHA::sha256_base64($value));
}
keep('hash of the password', $stored);
my $key = key();
keep('key', $key);
$clear{$key} = 'key';

# A part of a token that has the signature is as secret as the token.
$secret{ (split /\./, $_)[2] } = "signature of the $clear{$_}" for grep { $clear{$_} =~ /^access/ } keys %clear;

sub found {
    my ($text, %of) = (lc shift, @_); # names are stored in small letters
    return join ', ', sort map { index($text, lc $_) >= 0 ? $of{$_} : () } keys %of;
}
my @logs = grep { -f } glob "$host/logs/*";
my $logged = join '', map { slurp($_) } @logs;
my @known = grep { $logged =~ /$_/ } 'POST /api/auth/login', 'GET /api/auth/confirm HTTP', 'GET /api/auth/password/reset HTTP', 'CAT040: ', 'CAT021: ',
    'made.to.fail';
is(scalar @known, 6, 'the logs record the actions') or diag explain \@known;
is(found($logged, %secret), '', scalar(keys %secret) . ' secrets and hashes: the logs have none of them');

my $data = $server->dump;
File::Find::find({ no_chdir => 1, wanted => sub { $data .= slurp($_) if /catalog\.db/ } }, "$host/data");
ok(index($data, $stored) >= 0 && index($data, Digest::SHA::sha256_hex($last->{refreshToken})) >= 0,
    'the database has hashes of a password and of tokens');
is(found($data, %clear), '', 'the database files have none of them in clear text');
my $processes = join '', keys %processes;
ok(index($processes, "$host/httpd.conf") >= 0, 'the process list has the server\'s command line');
is(found($processes, %secret), '', 'the process list has no secret');

expect_log(qr/CAT040: /, qr/made.to.fail/);
done_testing;
