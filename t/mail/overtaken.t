# SPDX-License-Identifier: Apache-2.0
# db: mysql pgsql
# again: db
# A mail that is withdrawn after a mailer has claimed it, and before it has stored the token of its link, is not sent. On SQLite,
# which has one writer, the unit tests do the same.
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => "CatalogRateLimit Off\n");
my ($db, $other) = ($server->database, $server->database);
my $user = confirmed($server);
my ($id, $email) = @{ $user->{user} }{qw(id email)};
sub count { my ($sql, @values) = @_; return $db->selectrow_array($sql, undef, @values) }

# The mailer claims the mail, and then waits for the user's row.
$other->begin_work;
$other->do('UPDATE users SET id = id WHERE id = ?', undef, $id);
answers($server->api(POST => '/auth/password/forgot', { email => $email }), 202, undef, 'a link is asked for');
ok(wait_until(10, sub { count(q(SELECT COUNT(*) FROM outbox WHERE email_key = ? AND lease <> ''), $email) }), 'a mailer has claimed the mail');
$other->do('DELETE FROM outbox WHERE email_key = ?', undef, $email);
$other->do('DELETE FROM mail_tokens WHERE user_id = ?', undef, $id);
$other->commit;

my $next = register($server);
ok(mail_token($server, $next->{user}{email}, 'confirm'), 'the mailer goes on to the next mail');
is(count('SELECT COUNT(*) FROM mail_tokens WHERE user_id = ?', $id), 0, 'the withdrawn mail has no token');
is(scalar(grep { /reset\.html/ } mails($server, $email)), 0, 'and was not sent');
answers($server->api(POST => '/auth/password/forgot', { email => $email }), 202, undef, 'a link is asked for again');
ok(mail_token($server, $email, 'reset'), 'and sent');
done_testing;
