# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: GET /auth/me
# route: GET /auth/sessions
# route: POST /auth/refresh
# runs: first
# catalogctl user: its changes take effect on a running server.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for listed);
use Time::HiRes qw(time sleep);

my $server = server(mount => "CatalogWriteRole editor\nCatalogRevocationDelay 2\nCatalogRateLimit Off")->start;
my $password = 'correct horse';

sub user { return ctl_for($server, ref $_[0] ? shift : {}, 'user', @_) }
sub sign_in { my ($login, $with) = @_; return $server->api(POST => '/auth/login', { login => $login, password => $with // $password }) }
sub me { return $server->api(GET => '/auth/me', token => $_[0]) }
sub create { return $server->api(POST => '/products', { name => 'x', price => 1 }, token => $_[0]) }
sub said { my ($r, $status, $out, $err, $name) = @_; is($r->{status}, $status, $name); like($r->{out}, $out, "$name: output"); like($r->{err}, $err, "$name: errors") }
my $nothing = qr/^\z/;

# How many of 16 simultaneous requests are refused.
sub refused {
    my ($token) = @_;
    my @answers = $server->burst((wire(GET => '/auth/sessions', token => $token)) x 16);
    return scalar grep { $_->{status} == 401 && $_->{headers}{'www-authenticate'} =~ /error="invalid_token"/ } @answers;
}

# Every child refuses the token within the delay. The route checks only the token, not whether the user still exists.
sub ends_within {
    my ($seconds, $token, $name) = @_;
    my $start = time;
    wait_until($seconds + 5, sub { refused($token) == 16 });
    takes_less(time - $start, $seconds, $name);
    is(refused($token), 16, "$name, and later, too");
}

# add
ok(wait_until(10, sub { user('list')->{status} == 0 }), 'the server creates its database');
my $added = user({ in => "$password\n" }, 'add', 'Ada', 'ada@example.com');
said($added, 0, qr/^[0-9a-f-]{36}\n\z/, $nothing, 'user add creates a user');
chomp(my $id = $added->{out});
my $r = sign_in('ada');
answers($r, 200, undef, 'that user can sign in');
is($r->{json}{user}{id}, $id, 'the user has the id that was printed');
answers(me($r->{json}{token}), 200, sub { $_[0]{data}{role} eq 'user' && !$_[0]{data}{emailVerified} },
    'the user has the role user and an unconfirmed address');
is_deeply([map { "$_->{to} $_->{template}" } listed(ctl_for($server, qw(mail list)))], ['ada@example.com confirm'],
    'the mail that confirms the address is queued');

$added = user('add', '--generate', '--verified', '--role', 'editor', 'eve', 'Eve@Example.com');
said($added, 0, qr/^[0-9a-f-]{36}\t[\w-]{24}\n\z/, $nothing, 'user add --generate prints a password');
my ($eve, $made_up) = $added->{out} =~ /(\S+)\t(\S+)/;
$r = sign_in('eve@example.com', $made_up);
answers(me($r->{json}{token}), 200, sub { $_[0]{data}{role} eq 'editor' && $_[0]{data}{emailVerified} },
    'that user has the role and a confirmed address');
answers(create($r->{json}{token}), 201, undef, 'the role allows writes');

# A reserved name, which its user keeps; and one that somebody gave up.
said(user({ in => "$password\n" }, 'add', 'support', 'support@example.com'), 0, qr/^[0-9a-f-]{36}\n\z/, $nothing, 'user add gives a reserved name');
my $support = sign_in('support')->{json};
answers($server->api(PATCH => '/auth/me', { username => 'Support' }, token => $support->{token}), 200, undef, 'whose user may change its case');
$support = sign_in('support')->{json};
answers($server->api(PATCH => '/auth/me', { username => 'helper' }, token => $support->{token}), 200, undef, 'and give it up');
said(user({ in => "$password\n" }, 'add', 'Support', 'second@example.com'), 1, $nothing, qr/gave up this name less than 90 days ago; use --force/, 'then it is refused');
said(user({ in => "$password\n" }, 'add', '--force', 'Support', 'second@example.com'), 0, qr/^[0-9a-f-]{36}\n\z/, $nothing, 'unless --force says so');
said(user('delete', $_), 0, $nothing, $nothing, "user delete $_") for 'Support', 'helper';

my @refused = (
    ['a password that is the name', qr/password must not be the user name/, "FreshName\n", 'freshname', 'new@example.com'],
    ['a password that is the address', qr/password must not be/, "New\@example.com\n", 'freshname', 'new@example.com'],
    ['a name that is taken', qr/taken/, "$password\n", 'ADA', 'new@example.com'],
    ['an address that is taken', qr/taken/, "$password\n", 'new', 'ADA@example.com'],
    ['a short name', qr/username must/, "$password\n", 'ab', 'new@example.com'],
    ['no address', qr/email must/, "$password\n", 'new', 'example.com'],
    ['all faults at once', qr/username must.*; email must.*; password must/, "short\n", 'a b', 'x'],
    ['a short password', qr/password must/, "1234567\n", 'new', 'new@example.com'],
    ['an empty password', qr/password must/, "\n", 'new', 'new@example.com'],
    ['no password', qr/expected on standard input/, '', 'new', 'new@example.com'],
    ['a password without a line end', qr/line does not end/, $password, 'new', 'new@example.com'],
    ['a password with NUL', qr/contains NUL/, "correct\0horse\n", 'new', 'new@example.com'],
    ['a password of 257 characters', qr/password must/, 'x' x 257 . "\n", 'new', 'new@example.com'],
    ['a password that is not UTF-8', qr/UTF-8/, "correct \xff horse\n", 'new', 'new@example.com'],
    ['an unknown role', qr/root: is not a role/, "$password\n", '--role', 'root', 'new', 'new@example.com'],
);
for (@refused) {
    my ($name, $words, $in, @args) = @$_;
    said(user({ in => $in }, 'add', @args), 1, $nothing, $words, "refused: $name");
}
my $long = "\xc3\xa4" x 255;
is(user({ in => "${long}x\r\n" }, 'add', 'long', 'long@example.com')->{status}, 0,
    'a password of 256 characters before CR LF is accepted');
answers($server->talk(wire(POST => '/auth/login', qq({"login":"long","password":"${long}x"}))), 200, undef,
    'the user signs in with these 256 characters');

# list
is_deeply([map { "$_->{username} $_->{email} $_->{role} $_->{emailVerified}" } listed(user('list'))],
    ['Ada ada@example.com user false', 'eve Eve@Example.com editor true', 'long long@example.com user false'],
    'user list has all users, by name');
my $json = Cpanel::JSON::XS::decode_json(user('list', '--json')->{out});
is(match($json->[0], { id => $id, username => 'Ada', email => 'ada@example.com', role => 'user', emailVerified => false, locked => false, createdAt => $TIME, lastSignInAt => $TIME }), '',
    'user list --json has each field');
is(scalar @$json, 3, 'user list --json has all users');
my $db = $server->database;
$db->begin_work;
$db->do('INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, 1)', undef, "many-$_", ("Many$_", "many$_"), ("m$_\@example.com") x 2, 'x') for 1 .. 1203;
$db->do(q(UPDATE users SET username = ? WHERE id = 'many-7'), undef, "many\t\n\e7");
$db->commit;
my @all = listed(user('list'));
is_deeply([scalar @all, scalar keys %{ { map { $_->{id} => 1 } @all } }], [1206, 1206], 'user list has each of many users once');
is((grep { $_->{id} eq 'many-7' } @all)[0]{username}, 'many???7', 'no control character reaches the terminal');
$db->do(q(DELETE FROM users WHERE id LIKE 'many-%'));

# role
my $token = sign_in('ada')->{json}{token};
answers(create($token), 403, undef, 'the role user may not write');
is(user('role', 'ada@example.com', 'editor')->{status}, 0, 'user role makes the user an editor');
ends_within(2.2, $token, 'the old token is refused within the delay');
$token = sign_in('ada')->{json}{token};
answers(me($token), 200, sub { $_[0]{data}{role} eq 'editor' }, 'the next sign-in has the role');
answers(create($token), 201, undef, 'and may write');
is(user('role', $id, 'editor')->{status}, 0, 'user role accepts the present role');
sleep 2.5;
answers(me($token), 200, undef, 'setting the present role ends no session');
said(user('role', 'ada', 'owner'), 1, $nothing, qr/owner: is not a role/, 'user role refuses an unknown role');

# unlock
sign_in('ada', 'wrong') for 1 .. 6;
answers(sign_in('ada'), 429, undef, 'after failed sign-ins the right password is delayed', 'retry-after' => qr/^\d+$/);
is(user('unlock', 'Ada')->{status}, 0, 'user unlock succeeds');
answers(sign_in('ada'), 200, undef, 'after user unlock the right password is accepted');

# revoke
my @sessions = map { sign_in('ada')->{json} } 1 .. 3;
my $other = sign_in('eve', $made_up)->{json}{token};
is(user('revoke', 'ada')->{status}, 0, 'user revoke succeeds');
ends_within(2.2, $_->{token}, 'user revoke ends a session') for @sessions;
answers($server->api(POST => '/auth/refresh', { refreshToken => $sessions[0]{refreshToken} }), 401, undef,
    'its refresh token is refused');
answers(me($other), 200, undef, 'another user\'s session continues');
answers(sign_in('ada'), 200, undef, 'the user can sign in again');

# password
$token = sign_in('ada')->{json}{token};
sign_in('ada', 'wrong') for 1 .. 6;
for (['the address', 'Ada@Example.com', qr/password must not be/], ['short', 'x' x 7, qr/password must/], ['missing', '', qr/expected on standard input/]) {
    my ($what, $new, $words) = @$_;
    said(user({ in => length $new ? "$new\n" : '' }, 'password', 'ada'), 1, $nothing, $words, "user password refuses one: $what");
}
said(user({ in => "battery staple\n" }, 'password', 'ada'), 0, $nothing, $nothing, 'user password sets one from the standard input');
ends_within(2.2, $token, 'the session ends');
answers(sign_in('ada'), 401, undef, 'the former password is refused');
answers(sign_in('ada', 'battery staple'), 200, undef, 'the new one is accepted at once');
my $made = user('password', '--generate', $id);
said($made, 0, qr/^[\w-]{24}\n\z/, $nothing, 'user password --generate prints it');
chomp $made->{out};
answers(sign_in('ada', $made->{out}), 200, undef, 'and it is accepted');
is_deeply($db->selectcol_arrayref(q(SELECT action FROM audit WHERE target_id = ? AND source = 'catalogctl' AND action = 'user.password'), undef, $id),
    ['user.password', 'user.password'], 'both are in the audit trail');
said(user({ in => "$password\n" }, 'password', 'ada'), 0, $nothing, $nothing, 'the old one is back');

# After a restart, the server refills the set in shared memory.
$server->stop;
$server->start;
answers(me($sessions[0]{token}), 401, undef, 'the token is refused after a restart');

# delete
said(user({ in => "$password\n" }, 'add', $_, 'mimic@example.com'), 1, $nothing, qr/must not have the form of an id/, 'user add refuses a name that looks like an id') for $id, uc $id;
$token = sign_in('ada@example.com')->{json}{token};
is(user('delete', $id)->{status}, 0, 'user delete accepts an id');
ends_within(2.2, $token, 'a deleted user\'s token is refused');
answers($server->api(@$_, token => $token), 401, undef,
    "the token is refused by $_->[0] $_->[1], too", 'www-authenticate' => qr/error="invalid_token"/)
    for [GET => '/auth/me'], [POST => '/auth/logout', {}], [DELETE => "/auth/sessions/$id"], [POST => '/products', { name => 'x', price => 1 }],
    [POST => '/auth/password/change', { currentPassword => $password, newPassword => "$password!" }];
answers(sign_in('ada@example.com'), 401, undef, 'the deleted user cannot sign in');
is_deeply([map { $_->{email} } listed(user('list'))], ['Eve@Example.com', 'long@example.com'], 'the user is deleted');
is($db->selectrow_array('SELECT COUNT(*) FROM outbox WHERE user_id = ?', undef, $id), 0,
    'the deleted user has no mail in the outbox');
is(user({ in => "$password\n" }, 'add', 'ada', 'ada@example.com')->{status}, 1, 'the name stays reserved');
is(user({ in => "$password\n" }, 'add', 'lovelace', 'ada@example.com')->{status}, 0, 'the address is free again');

said(user(@$_, 'nobody', $_->[0] eq 'role' ? 'user' : ()), 1, $nothing, qr/nobody: there is no such user/,
    "user $_->[0] fails with an unknown user") for ['role'], ['unlock'], ['revoke'], ['delete'], ['password'];

done_testing;
