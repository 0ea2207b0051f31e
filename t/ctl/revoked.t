# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/logout
# Sessions that had ended in the exported database also end on a running server whose database imports them.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for);
use Time::HiRes qw(sleep);

my ($old, $new) = map { server(mount => 'CatalogRevocationDelay 1')->start } 1, 2;
# Does the server accept a token of an unknown user?
sub is_taken { $_[0]->api(POST => '/products', { name => 'x', price => 1 }, token => $_[1]{token})->{status} == 201 }
my @users = map { register($old) } 1 .. 3;
my ($lives, @ended) = @users;
is($old->api(POST => '/auth/logout', token => $_->{token})->{status}, 200, 'a session ends') for @ended;
$old->database->do('UPDATE revoked_sessions SET ended_at = ended_at - ? WHERE session_id = ?', undef, $_->[0] * 60_000,
    claims_of($_->[1]{token})->{sid}) for [2, $ended[0]], [14, $ended[1]];
ok(is_taken($new, $_), 'the other server accepts the token before the import') for @users;
sleep 2; # until the server has read the ended sessions

my $file = ctl_for($old, 'export')->{out};
is(ctl_for($new, { in => $file }, 'import')->{status}, 0, 'the import succeeds');
ok(wait_until(10, sub { !is_taken($new, $ended[0]) }), 'a token of a session that ended two minutes before is refused');
ok(wait_until(10, sub { !is_taken($new, $ended[1]) }), 'a token of a session that ended 14 minutes before is refused');
ok(works($new, $lives->{token}), 'a session that has not ended continues');
my $ended_at = 'SELECT session_id, ended_at FROM revoked_sessions ORDER BY session_id';
is_deeply($new->database->selectall_arrayref($ended_at), $old->database->selectall_arrayref($ended_at),
    'the times of the ends are kept');

done_testing;
