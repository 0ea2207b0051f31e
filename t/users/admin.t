# SPDX-License-Identifier: Apache-2.0
# route: GET /users
# route: GET /users/:id
# route: PATCH /users/:id
# route: DELETE /users/:id
# route: POST /users/:id/unlock
# route: DELETE /users/:id/sessions
# What administrators do to accounts.
use CatalogTest;
use CatalogAccounts;

my $server = accounts(mount => "CatalogRateLimit Off\nCatalogMaxLimit 50\n");
my $db = $server->database;
my $password = 'correct horse';

# A user with a role, signed in.
sub user {
    my ($role, %more) = @_;
    my $user = register($server, %more);
    set_role($server, $user->{user}{username}, $role);
    return { %{ sign_in($server, $user->{user}{username}, $password)->{json} } };
}
sub view {
    my ($user, %changes) = @_;
    my %view = (%{ $user->{user} }, emailVerified => false, role => 'user', locked => false, lastSignInAt => $TIME, %changes);
    delete $view{mayWrite}; # which the answer of a sign-in has
    return \%view;
}
sub one { my ($user, %changes) = @_; return { success => true, data => view($user, %changes), message => qr/./ } }
sub done { return { success => true, message => qr/./ } }

my $admin = user('admin');
my $ann = user('user', username => 'Ann.Smith', email => 'Ann_1@Example.org');
my $eve = user('editor', username => 'eve', email => 'eve@other.example');
sub call { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $admin->{token}) }
sub path { "/users/$_[0]{user}{id}" . ($_[1] // '') }

# Who may.
my @routes = ([GET => '/users'], [GET => path($ann)], [PATCH => path($ann), { locked => true }], [DELETE => path($ann)],
    [POST => path($ann, '/unlock')], [DELETE => path($ann, '/sessions')], [GET => '/audit']);
for (@routes) {
    my ($method, $path, @body) = @$_;
    (my $shown = "$method $path") =~ s/\Q$ann->{user}{id}/:id/;
    answers($server->api($method => $path, @body), 401, refusal(error => qr/./), "$shown requires a token",
        'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
    answers($server->api($method => $path, @body, token => $_->[1]{token}), 403, refusal(error => qr/./), "$shown refuses $_->[0]",
        'www-authenticate' => qr/error="insufficient_scope"/) for ['a user', $ann], ['an editor', $eve];
}
my $former = user('admin');
set_role($server, $former->{user}{username}, 'user');
answers($server->api(PATCH => path($ann), { role => 'admin' }, token => $former->{token}), 403, refusal(error => qr/./),
    'a token with the role of an administrator is refused if the database knows better');
answers($server->api(DELETE => path($former), token => $former->{token}), 403, undef, 'even for the own account');
answers(call(DELETE => path($former)), 200, done(), 'an administrator deletes that account');

# Lists.
sub names { my ($query) = @_; return [map { $_->{username} } @{ call(GET => "/users?$query")->{json}{data} }] }
answers(call(GET => '/users'), 200, {
    success => true, data => [view($eve, role => 'editor'), view($ann), view($admin, role => 'admin')],
    pagination => { page => 1, limit => 10, total => 3, pages => 1 },
}, 'the list has all users, newest first', 'cache-control' => 'no-store', etag => undef, 'x-total-count' => 3);
is(call(GET => "$_?limit=1")->{headers}{'x-total-count'}, call(GET => $_)->{json}{pagination}{total}, "$_ has the total in a header") for '/users', '/audit', '/mails';
my $root = $admin->{user}{username};
my @lists = (
    ['q=ANN', 'Ann.Smith'], ['q=example.org', 'Ann.Smith'], ['q=smith', 'Ann.Smith'], ['q=e', 'eve', 'Ann.Smith', $root],
    ['q=ann_1', 'Ann.Smith'], ['q=n_s'], ['q=%25'], ['q=%C2%BD'], ['q='], ['role=editor&q='], ['q=!'], ["q='"], ['role=editor', 'eve'], ['role=admin', $root], ['role=user&q=eve'],
    ['role=editor&q=eve', 'eve'], ['sort=username', 'Ann.Smith', 'eve', $root], ['sort=-username', $root, 'eve', 'Ann.Smith'],
    ['sort=email', 'Ann.Smith', 'eve', $root], ['sort=-email', $root, 'eve', 'Ann.Smith'], ['sort=createdAt', $root, 'Ann.Smith', 'eve'],
    ['sort=-createdAt', 'eve', 'Ann.Smith', $root], ['sort=username&limit=2&page=2', $root], ['limit=x&page=0&sort=username&limit=1', 'Ann.Smith', 'eve', $root],
    ['page=2'], ['page=9223372036854775807'],
);
for (@lists) {
    my ($query, @names) = @$_;
    is_deeply(names($query), \@names, "GET /users?$query");
}
answers(call(GET => '/users?sort=username&limit=1&page=2&q=e'), 200, sub { match($_[0]{pagination}, { page => 2, limit => 1, total => 3, pages => 3 }) eq '' },
    'a page in the middle', link => qr{<\?page=1&limit=1&sort=username&q=e>; rel="prev"});
answers(call(GET => '/users?limit=1000'), 200, sub { $_[0]{pagination}{limit} == 50 }, 'CatalogMaxLimit bounds the page');
my @bad = (
    ['role=root', role => 'invalid'], ['sort=password', sort => 'invalid'], ['sort=', sort => 'invalid'],
    ['q=%ff', q => 'invalid'], ['q=' . 'x' x 255, q => 'invalid'], ['q=a&q=b', q => 'duplicate'],
    ['role=root&sort=x&q=%ff', role => 'invalid', sort => 'invalid', q => 'invalid'],
);
for (@bad) {
    my ($query, @errors) = @$_;
    answers(call(GET => "/users?$query"), 400, invalid(@errors), 'refused: ' . substr $query, 0, 40);
}
answers(call(GET => '/users?colour=blue'), 200, undef, 'an unknown parameter is ignored', 'catalog-ignored' => 'colour');
answers($server->api(GET => '/users?colour=blue', headers => { Prefer => 'handling=strict' }, token => $admin->{token}), 400,
    invalid(colour => 'unknown'), 'or refused, if the client asks for it');
is($server->api(GET => '/users?rolle=editor', headers => { Prefer => 'handling=strict' }, token => $admin->{token})->{json}{error},
    'rolle is not a known parameter; did you mean role?', 'with a similar one');

# One user.
my $r = call(GET => path($ann));
answers($r, 200, { success => true, data => view($ann) }, 'a user is returned', 'cache-control' => 'no-store', etag => qr/^"[0-9a-f]+"$/);
unlike($r->{body}, qr/argon2|hash|password|secret/i, 'without hash or secret');
my $tag = $r->{headers}{etag};
my $unknown = '01a1fee5-af25-7514-8a69-477230296f5b';
for my $id ($unknown, 'x', '%25', "'") {
    my %body = (PATCH => [{ locked => true }]);
    answers(call(@$_), 404, { success => false, message => 'User not found' }, "$_->[0] of the unknown id $id")
        for map { [$_ => "/users/$id", @{ $body{$_} // [] }] } qw(GET PATCH DELETE);
}
answers(call(POST => "/users/$unknown/unlock"), 404, refusal(), 'unlock of an unknown user');
answers(call(DELETE => "/users/$unknown/sessions"), 404, refusal(), 'sessions of an unknown user');

# Changes.
my @invalid = (
    [{}, '' => 'required'], [{ username => 'x' }, '' => 'required'], [{ role => 'root' }, role => 'format'], [{ role => undef }, role => 'null'],
    [{ role => 1, locked => 'yes', emailVerified => 0 }, role => 'type', locked => 'type', emailVerified => 'type'],
);
answers(call(PATCH => path($ann), $_->[0]), 400, invalid(@{$_}[1 .. $#$_]), 'refused: ' . Cpanel::JSON::XS->new->canonical->encode($_->[0])) for @invalid;
answers(call(PATCH => path($ann), { %{ $r->{json}{data} }, colour => 'blue' }), 200, one($ann), 'a user that was read can be sent back',
    'catalog-ignored' => 'colour', etag => $tag);
ok(works($server, $ann->{token}), 'which changes nothing');
answers($server->api(PATCH => path($ann), { role => 'editor' }, token => $admin->{token}, headers => { 'If-Match' => '"x"' }), 412,
    refusal(error => qr/./), 'If-Match with another tag prevents the change', etag => $tag);
$r = $server->api(PATCH => path($ann), { role => 'editor' }, token => $admin->{token}, headers => { 'If-Match' => $tag });
answers($r, 200, one($ann, role => 'editor'), 'with the tag it is made', 'cache-control' => 'no-store');
isnt($r->{headers}{etag}, $tag, 'the tag has changed');
is(call(GET => path($ann))->{headers}{etag}, $r->{headers}{etag}, 'to that of GET');
answers($server->api(GET => '/auth/me', token => $ann->{token}), 401, undef, 'a changed role ends the sessions', 'www-authenticate' => failed());
answers(refresh($server, $ann->{refreshToken}), 401, undef, 'and their refresh tokens');
$ann = { %$ann, %{ sign_in($server, 'ann.smith', $password)->{json} } };
answers($server->api(GET => '/auth/me', token => $ann->{token}), 200, sub { $_[0]{data}{role} eq 'editor' }, 'the next sign-in has the role');
answers(call(PATCH => path($ann), { emailVerified => true }), 200, one($ann, role => 'editor', emailVerified => true), 'an address is verified');
ok(works($server, $ann->{token}), 'which ends no session');
answers(call(PATCH => path($ann), { emailVerified => false, role => 'user' }), 200, one($ann), 'two fields at once');
ok(!works($server, $ann->{token}), 'the sessions end');

# Locked.
$ann = { %$ann, %{ sign_in($server, 'ann.smith', $password)->{json} } };
my $wrong = sign_in($server, 'ann.smith', 'wrong horse');
answers(call(PATCH => path($ann), { locked => true }), 200, one($ann, locked => true), 'a user is locked');
ok(!works($server, $ann->{token}), 'the sessions end');
my $locked = sign_in($server, 'ann.smith', $password);
is_deeply([@{$locked}{qw(status body)}, $locked->{headers}{'www-authenticate'}], [@{$wrong}{qw(status body)}, $wrong->{headers}{'www-authenticate'}],
    'the right password gets the answer of a wrong one');
answers(refresh($server, $ann->{refreshToken}), 401, undef, 'a refresh token is refused');
$server->api(POST => '/auth/password/forgot', { email => $ann->{user}{email} });
ok(wait_until(10, sub { !$db->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE template = 'reset')) }), 'the outbox is emptied');
is(scalar(grep { /reset\.html/ } mails($server, $ann->{user}{email})), 0, 'a locked user gets no link');
answers(call(PATCH => path($ann), { locked => false }), 200, one($ann), 'the lock is lifted');
answers(sign_in($server, 'ann.smith', $password), 200, undef, 'and the user signs in');
sign_in($server, 'ann.smith', 'wrong horse') for 1 .. 6;
answers(sign_in($server, 'ann.smith', $password), 429, undef, 'after wrong passwords the right one is delayed', 'retry-after' => qr/^\d+$/);
call(PATCH => path($ann), { locked => true });
answers(call(POST => path($ann, '/unlock')), 200, done(), 'unlock', 'cache-control' => 'no-store');
answers(call(GET => path($ann)), 200, { success => true, data => view($ann) }, 'lifts the lock');
$r = sign_in($server, 'ann.smith', $password);
answers($r, 200, undef, 'and the delay');

# Sessions, deletion.
answers(call(DELETE => path($ann, '/sessions')), 200, done(), 'an administrator ends the sessions');
answers($server->api(GET => '/auth/me', token => $r->{json}{token}), 401, undef, 'the access token is refused', 'www-authenticate' => failed());
$ann = { %$ann, %{ sign_in($server, 'ann.smith', $password)->{json} } };
$db->do('INSERT INTO outbox (id, template, email_key, next_at, created_at) VALUES (?, ?, ?, ?, ?)', undef,
    '01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'reset', 'ann_1@example.org', 9_000_000_000_000, 1);
$tag = call(GET => path($ann))->{headers}{etag};
answers($server->api(DELETE => path($ann), token => $admin->{token}, headers => { 'If-Match' => '"x"' }), 412, refusal(error => qr/./), 'a condition prevents the deletion', etag => $tag);
answers(call(DELETE => path($ann)), 200, done(), 'a user is deleted', 'cache-control' => 'no-store');
answers(call(GET => path($ann)), 404, undef, 'and gone');
ok(!works($server, $ann->{token}), 'the sessions end');
is_deeply([map { $db->selectrow_array("SELECT COUNT(*) FROM $_ WHERE user_id = ?", undef, $ann->{user}{id}) } qw(sessions outbox mail_tokens)], [0, 0, 0],
    'nothing of the user is left');
is($db->selectrow_array('SELECT COUNT(*) FROM outbox WHERE email_key IS NOT NULL'), 0, 'nor a mail to the address');

# The last administrator.
my $last = { success => false, message => 'Last administrator', error => qr/./ };
my $me = path($admin);
for ([PATCH => $me, { role => 'user' }], [PATCH => $me, { role => 'editor', emailVerified => true }], [PATCH => $me, { locked => true }], [DELETE => $me]) {
    my ($method, $path, @body) = @$_;
    answers(call($method => $path, @body), 409, $last, "the last administrator: $method " . Cpanel::JSON::XS->new->canonical->encode($body[0] // {}));
}
answers($server->api(DELETE => '/auth/me', { password => $password }, token => $admin->{token}), 409, $last, 'nor can the account be deleted by its owner');
answers(call(PATCH => $me, { emailVerified => true, role => 'admin' }), 200, undef, 'another change is made');
my $second = user('admin');
call(PATCH => path($second), { locked => true });
answers(call(DELETE => $me), 409, $last, 'a locked administrator does not count');
call(POST => path($second, '/unlock'));

# Not by two administrators at the same moment either.
my $admins = q(SELECT COUNT(*) FROM users WHERE role = 'admin' AND locked_at IS NULL);
for my $round (1 .. 6) {
    my @two = map { user('admin') } 1 .. 2;
    $db->do(q(UPDATE users SET role = 'user' WHERE id NOT IN (?, ?)), undef, map { $_->{user}{id} } @two);
    my @how = ([PATCH => '{"role":"user"}'], [PATCH => '{"locked":true}'], ['DELETE']);
    my @requests = map {
        my ($actor, $target, $kind) = @$_;
        my ($method, @body) = @{ $how[$kind] };
        wire($method => path($target), @body, token => $actor->{token});
    } [@two, $round % 3], [reverse(@two), ($round + 1) % 3], [@two, 0], [reverse(@two), 2], [$two[0], $two[0], $round % 3], [$two[1], $two[1], 1];
    my @answers = $server->burst(@requests);
    my %status;
    $status{ $_->{status} }++ for @answers;
    is($db->selectrow_array($admins), 1, "round $round: one administrator is left") or diag join ' ', map { $_->{status} } @answers;
    is_deeply([grep { !/^(?:200|401|403|404|409)$/ } keys %status], [], 'each answer is one of those expected') or diag explain \%status;
}
done_testing;
