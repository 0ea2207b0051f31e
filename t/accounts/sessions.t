# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/sessions
# route: DELETE /auth/sessions/:id
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep);

my $server = server(mount => 'CatalogSessionTTL 86400', conf => moderate())->start;
my $user = register($server);
my %login = (login => $user->{user}{username}, password => $user->{password});
sub list { $server->api(GET => '/auth/sessions', token => $_[0]) }
sub remove { $server->api(DELETE => "/auth/sessions/$_[0]", token => $_[1]) }
sub sid { claims_of($_[0]{token})->{sid} }
sub session {
    my ($agent, $address) = @_;
    sleep 0.002; # so that no two share a millisecond
    my %headers = (headers => { 'User-Agent' => $agent, 'X-Client' => $address });
    return $server->api(POST => '/auth/login', \%login, %headers)->{json};
}

# All sessions of the user, most recently used first.
my @sessions = ($user, session('phone/1', '192.0.2.7'), session('<b>"laptop"</b> \\', '2001:db8::7'));
sub shown {
    my ($current, $session, $agent, $address) = @_;
    return {
        id => sid($session), createdAt => $TIME, lastUsedAt => $TIME, expiresAt => $TIME, address => $address,
        userAgent => $agent, current => $current,
    };
}
my @shown = (
    [$sessions[2], '<b>"laptop"</b> \\', '2001:db8::7'], [$sessions[1], 'phone/1', '192.0.2.7'],
    [$sessions[0], 'catalog-test/1', '127.0.0.1'],
);
for my $asking (@sessions) {
    my @want = map { shown($_->[0] == $asking ? true : false, @$_) } @shown;
    answers(list($asking->{token}), 200, { success => true, data => \@want },
        'the list has all sessions and marks the request\'s own');
}
my ($first) = @{ list($user->{token})->{json}{data} };
is($first->{createdAt}, $first->{lastUsedAt}, 'the sign-in is the first use');
my @day = map { /T(.*)Z/ } @$first{qw(createdAt expiresAt)};
is($day[0], $day[1], 'the session expires after CatalogSessionTTL');

# A refresh counts as a use, from any address.
sleep 0.002;
refresh($server, $user->{refreshToken}, headers => { 'User-Agent' => 'moved/2', 'X-Client' => '198.51.100.1' });
my ($used) = @{ list($user->{token})->{json}{data} };
is("$used->{id} $used->{userAgent} $used->{address}", sid($user) . ' moved/2 198.51.100.1',
    'the refreshed session comes first, with its new address');
cmp_ok($used->{lastUsedAt}, 'gt', $used->{createdAt}, 'the refresh updates the time of last use');

# A User-Agent may contain anything.
my %odd = ("caf\xc3\xa9" => 'caf??', 'x' x 500 => 'x' x 200, "a\tb" => 'a?b');
for my $agent (sort keys %odd) {
    my $bytes = wire(POST => '/auth/login', \%login, headers => { 'User-Agent' => $agent, 'X-Client' => '192.0.2.8' });
    my $r = $server->talk($bytes);
    is(list($r->{json}{token})->{json}{data}[0]{userAgent}, $odd{$agent},
        'the list has a valid form of a User-Agent of ' . length $agent);
    remove(sid($r->{json}), $r->{json}{token});
}

# One session ends another.
my ($mine, $other) = @sessions[1, 2];
my $gone = refusal(message => qr/not found/i);
answers(remove(sid($other), $mine->{token}), 200, { success => true, message => qr/./ }, 'a session can end another one');
ok(!works($server, $other->{token}), 'the access token of the ended session is refused at once');
answers(refresh($server, $other->{refreshToken}), 401, undef, 'the refresh token of the ended session is refused',
    'www-authenticate' => failed());
is_deeply([map { $_->{id} } @{ list($mine->{token})->{json}{data} }], [sid($user), sid($mine)],
    'the list does not have the ended session');
answers(remove(sid($other), $mine->{token}), 404, $gone, 'ending the session again gets a 404');
answers(remove(sid($other), $other->{token}), 401, undef, 'the ended session\'s own token gets a 401');

# A user cannot see or end another user's sessions.
my $stranger = register($server);
is_deeply([map { $_->{id} } @{ list($stranger->{token})->{json}{data} }], [sid($stranger)],
    'another user\'s list has only their own session');
answers(remove(sid($mine), $stranger->{token}), 404, $gone, 'ending another user\'s session gets a 404');
ok(works($server, $mine->{token}), 'that session continues');
answers(remove($_, $mine->{token}), 404, $gone, "an unknown id gets a 404: $_")
    for '01a1fd8d-47a8-77ac-9778-38d2c78c295b', 'x', '%27%20OR%201=1--', 'null', '%00';
answers(remove(sid($mine), $mine->{token}), 200, undef, 'a session can end itself');
ok(!works($server, $mine->{token}), 'the access token of that session is refused');

for ([GET => '/auth/sessions'], [DELETE => '/auth/sessions/' . sid($user)]) {
    answers($server->api(@$_), 401, refusal(error => qr/./), "$_->[0] without a token is refused",
        'www-authenticate' => qr/^Bearer realm="[^"]+"$/);
    answers($server->api(@$_, token => $mine->{token}), 401, undef, "$_->[0] with an ended session is refused",
        'www-authenticate' => failed());
}
ok(works($server, $user->{token}), 'the user\'s other session continues');

done_testing;
