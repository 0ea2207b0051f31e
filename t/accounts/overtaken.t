# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /auth/password/change
# runs: first
# A change of an account during the password check takes effect; a sign-in replaces a hash of an outdated kind.
use CatalogTest;
use CatalogAccounts;
use Digest::SHA ();
use POSIX ();

my $server = server()->start;
my $db = $server->database;

# Checking this hash takes half a second.
my $slow = crypt 'brought along', '$2b$13$abcdefghijklmnopqrstuu';
my $other = crypt 'another one', '$2b$04$abcdefghijklmnopqrstuu';

sub set { $db->do("UPDATE users SET $_[1] = ? WHERE id = ?", undef, $_[2], $_[0]{user}{id}) }
sub stored { $db->selectrow_array('SELECT password_hash FROM users WHERE id = ?', undef, $_[0]{user}{id}) }
sub brought {
    my $user = register($server);
    set($user, password_hash => $slow);
    return $user;
}

# The answer to a request during which a function runs: after the attempt is counted, when the server has read the account.
# key: what the attempt counts for, if not the user's name.
sub during {
    my ($user, $do, $ask, $key) = @_;
    pipe my $ready, my $say or die "pipe: $!\n";
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        $db = $server->database;
        close $say;
        my $digest = Digest::SHA::sha256_hex($key // $user->{user}{username});
        my @count = ('SELECT COUNT(*) FROM login_failures WHERE account = ?', undef, $digest);
        my $counted = wait_until(10, sub { $db->selectrow_array(@count) });
        $do->() if $counted;
        $db->disconnect;
        POSIX::_exit($counted ? 0 : 1);
    }
    close $say;
    readline $ready; # until the other process has connected
    my $r = $ask->();
    waitpid $pid, 0;
    is($?, 0, 'the change was made during the request');
    return $r;
}
sub signs_in { my ($user) = @_; return sub { sign_in($server, $user->{user}{username}, 'brought along') } }

my $promoted = brought();
my $r = during($promoted, sub { set($promoted, role => 'editor') }, signs_in($promoted));
answers($r, 200, tokens(), 'a sign-in during a change of the role succeeds');
is(claims_of($r->{json}{token})->{role}, 'editor', 'the access token has the new role');

my $reset = brought();
answers(during($reset, sub { set($reset, password_hash => $other) }, signs_in($reset)), 401, refusal(error => qr/./),
    'a sign-in during a change of the password is refused', 'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
is(stored($reset), $other, 'the new hash stays');
is($db->selectrow_array('SELECT COUNT(*) FROM sessions WHERE user_id = ?', undef, $reset->{user}{id}), 1,
    'the refused sign-in starts no session');

my $gone = brought();
my $delete = sub {
    $db->do('DELETE FROM refresh_tokens WHERE session_id IN (SELECT id FROM sessions WHERE user_id = ?)', undef,
        $gone->{user}{id});
    $db->do("DELETE FROM $_->[0] WHERE $_->[1] = ?", undef, $gone->{user}{id})
        for ['sessions', 'user_id'], ['mail_tokens', 'user_id'], ['outbox', 'user_id'], ['users', 'id'];
};
answers(during($gone, $delete, signs_in($gone)), 401, refusal(error => qr/./),
    'a sign-in during the deletion of the user is refused');

# A client with the old password must not undo a password that was set meanwhile.
my $changing = brought();
$r = during($changing, sub { set($changing, password_hash => $other) }, sub {
    return $server->api(POST => '/auth/password/change',
        { currentPassword => 'brought along', newPassword => 'correct horse' }, token => $changing->{token});
}, "ID $changing->{user}{id}");
answers($r, 400, invalid(currentPassword => 'wrong'), 'a change of the password during a reset is refused');
is(stored($changing), $other, 'the hash of the reset stays');

# A lock during the comparison takes the same effect: nothing is done any more.
my $locked = brought();
my $lock = sub { set($locked, locked_at => 1) };
answers(during($locked, $lock, signs_in($locked)), 401, refusal(error => qr/./), 'a sign-in during a lock is refused');
my %own = (
    'a change of the password' => [POST => '/auth/password/change', { currentPassword => 'brought along', newPassword => 'correct horse' }, 'currentPassword'],
    'a change of the address' => [POST => '/auth/email/change', { newEmail => 'thief@example.net', password => 'brought along' }, 'password'],
    'a deletion' => [DELETE => '/auth/me', { password => 'brought along' }, 'password'],
);
for my $name (sort keys %own) {
    my ($method, $path, $body, $field) = @{ $own{$name} };
    $locked = brought();
    answers(during($locked, $lock, sub { $server->api($method => $path, $body, token => $locked->{token}) }, "ID $locked->{user}{id}"),
        400, invalid($field => 'wrong'), "$name during a lock is refused");
    is(stored($locked), $slow, "$name: the account is as it was");
    is($db->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE user_id = ? AND template <> 'confirm'), undef, $locked->{user}{id}), 0, "$name: no mail is queued");
}

# Outdated hashes: the next sign-in replaces them.
my %old = (
    bcrypt => crypt('brought along', '$2b$04$abcdefghijklmnopqrstuu'),
    yescrypt => crypt('brought along', '$y$j75$abcdefghijklmnop'),
    'argon2id of other costs' =>
        '$argon2id$v=19$m=8192,t=3,p=1$YWJjZGVmZ2hpamtsbW5vcA$/eTgeGbbZ6RHYxwuFeHqHtUJ++/ptM+FVgQ/iYNWfcQ',
);
for (sort keys %old) {
    my $user = register($server);
    set($user, password_hash => $old{$_});
    answers(sign_in($server, $user->{user}{username}, 'wrong horse'), 401, undef, "$_: a wrong password is refused");
    is(stored($user), $old{$_}, "$_: a failed sign-in leaves the hash");
    answers(sign_in($server, $user->{user}{username}, 'brought along'), 200, undef, "$_: the sign-in succeeds");
    my $new = stored($user);
    like($new, qr/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/, "$_: the sign-in replaces the hash with argon2id of the current costs");
    answers(sign_in($server, $user->{user}{username}, 'brought along'), 200, undef,
        "$_: the next sign-in succeeds with the new hash");
    is(stored($user), $new, "$_: the next sign-in leaves the new hash");
}

done_testing;
