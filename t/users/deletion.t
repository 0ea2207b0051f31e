# SPDX-License-Identifier: Apache-2.0
# route: DELETE /users/:id
# route: DELETE /auth/me
# again: db
# The access token of a sign-in that is being stored while the user is deleted is refused afterwards, as those of all other sessions.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for);
use POSIX ();

my $server = server()->start;
my $admin = register($server);
set_role($server, $admin->{user}{username}, 'admin');
$admin = sign_in($server, $admin->{user}{username}, 'correct horse')->{json};

# Stores a session as a sign-in does, and ends its transaction after the deletion has begun. The session's id, and whether the deletion
# succeeded.
sub delete_during_sign_in {
    my ($user, $delete) = @_;
    my ($db, $id, $now) = ($server->database, claims()->{sid}, 1000 * time);
    $db->begin_work;
    $db->do('UPDATE users SET password_hash = password_hash WHERE id = ?', undef, $user->{user}{id});
    $db->do('INSERT INTO sessions (id, user_id, created_at, expires_at, used_at, client, agent) VALUES (?, ?, ?, ?, ?, ?, ?)', undef, $id,
        $user->{user}{id}, $now, $now + 3_600_000, $now, '', '');
    my $pid = fork // die "fork: $!\n";
    POSIX::_exit($delete->($user) ? 0 : 1) if !$pid;
    select undef, undef, undef, 1;
    $db->commit;
    waitpid $pid, 0;
    return ($id, $? == 0);
}

my %ways = (
    'DELETE /users/:id' => sub { $server->api(DELETE => "/users/$_[0]{user}{id}", token => $admin->{token})->{status} == 200 },
    'DELETE /auth/me' => sub { $server->api(DELETE => '/auth/me', { password => 'correct horse' }, token => $_[0]{token})->{status} == 200 },
    'catalogctl user delete' => sub { ctl_for($server, 'user', 'delete', $_[0]{user}{username})->{status} == 0 },
);
for my $way (sort keys %ways) {
    my $user = register($server);
    my ($session, $deleted) = delete_during_sign_in($user, $ways{$way});
    ok($deleted, "$way deletes the user");
    is($server->database->selectrow_array('SELECT COUNT(*) FROM sessions WHERE user_id = ?', undef, $user->{user}{id}), 0, "$way: no session is left");
    is($server->database->selectrow_array('SELECT COUNT(*) FROM revoked_sessions WHERE session_id = ?', undef, $session), 1,
        "$way: the access tokens of the session have ended");
}
done_testing;
