# SPDX-License-Identifier: Apache-2.0
# route: GET /audit
# What administrators change, over HTTP and with catalogctl, is in the audit table.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for listed);
use CatalogTest::Tools qw(setting);

my $server = accounts(mount => "CatalogRateLimit Off\nCatalogRevocationDelay 1\n");
my $db = $server->database;
my $admin = register($server, username => 'boss');
set_role($server, 'boss', 'admin');
$admin = { %$admin, %{ sign_in($server, 'boss', 'correct horse')->{json} } };
my $ann = register($server, username => 'ann');
sub call { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $admin->{token}) }
sub audit { my ($query) = @_; return call(GET => '/audit' . ($query ? "?$query" : ''))->{json}{data} }
my $operator = getpwuid $<;

sub entry { my ($action, %more) = @_; return { id => $ID, createdAt => $TIME, source => 'http', actorId => $admin->{user}{id}, actor => 'boss', address => '127.0.0.1',
    requestId => qr/^\S+$/, action => $action, targetId => $ann->{user}{id}, target => 'ann', %more } }
sub by_ctl { my ($action, %more) = @_; my $e = entry($action, source => 'catalogctl', actor => $operator, %more); delete @{$e}{qw(actorId address requestId)}; return $e }

answers(call(GET => '/audit'), 200, { success => true, data => [], pagination => { page => 1, limit => 10, total => 0, pages => 0 } }, 'at first there is nothing',
    'cache-control' => 'no-store');
my $path = "/users/$ann->{user}{id}";
my $r = call(PATCH => $path, { role => 'editor', emailVerified => true });
call(PATCH => $path, { role => 'editor' });
call(PATCH => $path, { locked => true });
call(POST => "$path/unlock");
call(DELETE => "$path/sessions");
my $log = audit();
my @want = (
    entry('user.revoke'), entry('user.unlock', changes => { locked => { from => true, to => false } }),
    entry('user.update', changes => { locked => { from => false, to => true } }),
    entry('user.update', requestId => $r->{headers}{'x-request-id'},
        changes => { emailVerified => { from => false, to => true }, role => { from => 'user', to => 'editor' } }),
);
is(match($log, \@want), '', 'each change is there, newest first, but not one that changed nothing') or diag explain $log;

# What administrators change of their own accounts. A new name ends the access token.
my @own = (actorId => $admin->{user}{id}, targetId => $admin->{user}{id});
for (['boss', 'bossy'], ['bossy', 'boss']) {
    my ($from, $to) = @$_;
    $r = call(PATCH => '/auth/me', { username => $to });
    $admin = { %$admin, %{ refresh($server, $admin->{refreshToken})->{json} } };
    is(match(audit('limit=1'), [entry('user.update', @own, actor => $from, target => $from, requestId => $r->{headers}{'x-request-id'},
        changes => { username => { from => $from, to => $to } })]), '', "the change of an administrator's own name to $to is there") or diag explain audit('limit=1');
}

# Not refused ones, or reads.
call(DELETE => "/users/$admin->{user}{id}");
call(PATCH => $path, { role => 'none' });
$server->api(PATCH => $path, { role => 'user' }, token => $admin->{token}, headers => { 'If-Match' => '"x"' });
call(GET => '/users');
is(scalar @{ audit() }, 6, 'what failed or was read is not there');

# catalogctl
sub ctl { my ($status, @words) = @_; my $ran = ctl_for($server, @words); is($ran->{status}, $status, "catalogctl @words") or diag $ran->{err}; return $ran }
my $added = ctl_for($server, { in => "correct horse\n" }, qw(user add --role editor --verified eve eve@example.com));
chomp(my $eve = $added->{out});
ctl(0, qw(user role ann user));
ctl(0, qw(user lock ann));
answers(sign_in($server, 'ann', 'correct horse'), 401, undef, 'catalogctl locks a user');
ctl(0, qw(user unlock ann));
answers(sign_in($server, 'ann', 'correct horse'), 200, undef, 'and unlocks the user');
ctl(0, qw(user revoke ann));
ctl(0, qw(user delete eve));
my $refused = ctl(1, qw(user role boss user));
like($refused->{err}, qr/last administrator.*--force/, 'catalogctl keeps the last administrator');
ctl(1, qw(user delete boss));
ctl(1, qw(user lock boss));
$log = audit();
@want = (
    by_ctl('user.delete', target => 'eve', targetId => $eve), by_ctl('user.revoke'),
    by_ctl('user.unlock', changes => { locked => { from => true, to => false } }),
    by_ctl('user.update', changes => { locked => { from => false, to => true } }),
    by_ctl('user.update', changes => { role => { from => 'editor', to => 'user' } }),
    by_ctl('user.create', target => 'eve', targetId => $eve,
        changes => { email => { to => 'eve@example.com' }, role => { to => 'editor' }, emailVerified => { to => true } }),
);
is(match([@{$log}[0 .. 5]], \@want), '', 'catalogctl\'s changes are there, with the operating system\'s user') or diag explain $log;
unlike(call(GET => '/audit?limit=100')->{body}, qr/argon2|correct horse|password/, 'no secret is there');

# mail retry
$db->do(q(INSERT INTO outbox (id, template, user_id, state, next_at, created_at) VALUES (?, 'changed', ?, 'dead', 1, 1)), undef, $_, $ann->{user}{id})
    for my ($dead, $other) = ('01a1fd8d-47a8-77ac-9778-38d2c78c295b', '01a1fd8d-47a8-77ac-9778-38d2c78c295c');
ctl(0, qw(mail retry), $dead);
ctl(0, qw(mail retry));
$log = audit('action=mail.retry');
is(match($log, [map { my $e = by_ctl('mail.retry', changes => { mails => { to => 1 } }, @$_); delete $e->{target}; delete $e->{targetId} if !@$_; $e } [], [targetId => $dead]]), '',
    'a mail that was queued again is there') or diag explain $log;

# Filters and pages.
my $total = call(GET => '/audit')->{json}{pagination}{total};
is($total, 14, 'there are fourteen entries');
# An entry of a user whose name was this id; such names are refused.
$db->do(q(INSERT INTO audit (id, created_at, source, actor, action, target_id, target) VALUES ('01a1fd8d-47a8-77ac-9778-38d2c78c2960', 1, 'http', ?, 'user.lock', 'x', ?)), undef, ($ann->{user}{id}) x 2);
is(call(GET => "/audit?target=$ann->{user}{id}")->{json}{pagination}{total}, 8, 'an id is that of one user');
is(call(GET => '/audit?actor=' . uc $ann->{user}{id})->{json}{pagination}{total}, 0, 'of an actor too, in upper case as well');
$db->do(q(DELETE FROM audit WHERE action = 'user.lock'));
my %filters = ('actor=BOSS' => 5, "actor=$admin->{user}{id}" => 6, "actor=$operator" => 8, 'target=eve' => 2, "target=$eve" => 2,
    'action=user.update' => 6, 'action=user.update&target=ann&actor=boss' => 2, 'since=2020-01-01T00:00:00.123456Z' => 14, 'since=2999-01-01T00:00:00Z' => 0, 'actor=nobody' => 0);
is(call(GET => "/audit?$_")->{json}{pagination}{total}, $filters{$_}, "GET /audit?$_") for sort keys %filters;
answers(call(GET => '/audit?limit=5&page=3&target=ann'), 200, sub { @{ $_[0]{data} } == 0 }, 'a page behind the end');
answers(call(GET => '/audit?limit=5&page=2'), 200, sub { @{ $_[0]{data} } == 5 }, 'a page in the middle', link => qr{<\?page=1&limit=5>; rel="first"});
answers(call(GET => '/audit?since=yesterday&actor=&action=a&action=b'), 400, invalid(since => 'invalid', actor => 'invalid', action => 'duplicate'), 'bad parameters are refused');

# catalogctl audit
my @rows = listed(ctl(0, 'audit'));
is(scalar @rows, $total, 'catalogctl audit lists all entries');
is_deeply([map { $_->{action} } @rows[0, -1]], ['user.update', 'mail.retry'], 'oldest first');
is($rows[0]{changes}, '{"emailVerified":{"from":false,"to":true},"role":{"from":"user","to":"editor"}}', 'with the changes');
my $json = Cpanel::JSON::XS::decode_json(ctl(0, qw(audit --json --target eve --action user.create))->{out});
is(match($json, [$want[-1]]), '', 'catalogctl audit --json has the same fields') or diag explain $json;
is(scalar(listed(ctl(0, qw(audit --since 2999-01-01T00:00:00Z)))), 0, 'nothing is newer');
is(scalar(listed(ctl(0, qw(audit --actor), $admin->{user}{id}))), 6, 'catalogctl audit --actor');
like(ctl(1, qw(audit --since yesterday))->{err}, qr/yesterday: is not a time/, 'a time that is none');

# Each route on which an administrator changes something leaves an entry, of the same request.
my $max = register($server, username => 'max');
my ($mail) = map { my $id = "01a1fd8d-47a8-77ac-9778-38d2c78c295$_";
    $db->do(q(INSERT INTO outbox (id, template, user_id, state, next_at, created_at) VALUES (?, 'changed', ?, 'dead', 1, 1)), undef, $id, $max->{user}{id}); $id } qw(d e);
my ($about, $mails) = ("/users/$max->{user}{id}", sub { return changes => { mails => { to => $_[0] } } });
my @max = (target => 'max', targetId => $max->{user}{id});
my @changes = (
    # route, path, body, entry
    ['PATCH /users/:id', $about, { locked => true }, 'user.update', @max, changes => { locked => { from => false, to => true } }],
    ['POST /users/:id/unlock', "$about/unlock", undef, 'user.unlock', @max, changes => { locked => { from => true, to => false } }],
    ['DELETE /users/:id/sessions', "$about/sessions", undef, 'user.revoke', @max],
    ['POST /mails/:id/retry', "/mails/$mail/retry", undef, 'mail.retry', target => undef, targetId => $mail, $mails->(1)],
    ['POST /mails/retry', '/mails/retry', undef, 'mail.retry', target => undef, targetId => undef, $mails->(1)],
    ['POST /users/invite', '/users/invite', { email => 'nina@example.com', username => 'nina' }, 'user.create', target => 'nina', targetId => qr/^[0-9a-f-]{36}$/, changes => { email => { to => 'nina@example.com' } }],
    ['DELETE /users/:id', $about, undef, 'user.delete', @max],
);
my @routes = grep { !m{/mails/test} } slurp(setting('top') . '/src/httpd/routes.c') =~ /^\s*\{ ("(?!GET")\w+",\s+"[^"]+"),.* CAT_ADMIN,/mg;
# A test mail changes nothing.
is_deeply([sort map { $_->[0] } @changes], [sort map { s/"|,//gr =~ s/\s+/ /r } @routes], 'all routes on which administrators change something are tried');
for (@changes) {
    my ($route, $path, $body, $action, %more) = @$_;
    my ($method) = split ' ', $route;
    my $r = call($method => $path, defined $body ? $body : ());
    like($r->{status}, qr/^2/, $route);
    my $want = entry($action, requestId => $r->{headers}{'x-request-id'}, %more);
    delete @$want{ grep { !defined $want->{$_} } keys %$want };
    is(match(audit('limit=1'), [$want]), '', "$route leaves an entry") or diag explain audit('limit=1');
}

# Users' own changes: of the address by a link, whose request has no token, of the password, and the deletion. An entry that follows a
# lock tells what somebody did who could still act.
my $dan = confirmed($server);
my @dan = (actorId => $dan->{user}{id}, actor => $dan->{user}{username}, targetId => $dan->{user}{id}, target => $dan->{user}{username});
my $address = "dan$$\@example.net";
sub recorded { my ($name, $r, @want) = @_; is($r->{status}, 200, $name); is(match(audit('limit=1'), [entry(@want, @dan, requestId => $r->{headers}{'x-request-id'})]), '', "$name: the entry") or diag explain audit('limit=1') }
call(PATCH => "/users/$dan->{user}{id}", { locked => true });
call(POST => "/users/$dan->{user}{id}/unlock");
$dan->{token} = sign_in($server, $dan->{user}{username}, 'correct horse')->{json}{token};
$server->api(POST => '/auth/email/change', { newEmail => $address, password => 'correct horse' }, token => $dan->{token});
recorded('the address', $server->api(POST => '/auth/confirm', { token => mail_token($server, $address, 'confirm') }), 'user.update',
    changes => { email => { from => $dan->{user}{email}, to => $address } });
$server->api(POST => '/auth/password/forgot', { email => $address });
recorded('the password by a link', $server->api(POST => '/auth/password/reset', { token => mail_token($server, $address, 'reset'), password => 'another horse' }), 'user.password');
$dan->{token} = sign_in($server, $dan->{user}{username}, 'another horse')->{json}{token};
recorded('the password', $server->api(POST => '/auth/password/change', { currentPassword => 'another horse', newPassword => 'correct horse' }, token => $dan->{token}), 'user.password');
recorded('the deletion', $server->api(DELETE => '/auth/me', { password => 'correct horse' }, token => $dan->{token}), 'user.delete');

# Nothing of what the table has opens anything: no password, no hash, and none of the tokens that were made.
my $rows = join "\n", map { join ' ', map { $_ // '' } @$_ } @{ $db->selectall_arrayref('SELECT * FROM audit') };
unlike($rows, qr/argon2|horse|(?<!user\.)password/, 'the table has no password');
is_deeply([grep { index($rows, $_) >= 0 } map { @$_{qw(token refreshToken)} } $admin, $ann, $max], [], 'and no token');

# The last administrator, by force.
ctl(0, qw(user delete --force boss));
is($db->selectrow_array(q(SELECT COUNT(*) FROM users WHERE role = 'admin')), 0, 'catalogctl deletes the last administrator if it must');
is($db->selectrow_array('SELECT COUNT(*) FROM audit'), 28, 'entries outlive users');
done_testing;
