# SPDX-License-Identifier: Apache-2.0
# route: POST /users
# route: POST /register
# moves: catalog_rate_limit_refusals_total replay
# Idempotency-Key on registrations. No token is stored: a repeated registration signs in.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Http ();
use CatalogTest::Metrics qw(location moved_since);

my $settings = 'CatalogRateLimit register Off';
my $server = server(mount => $settings, conf => location())->start;
my $other = server(mount => qq($settings\nCatalogRegistration closed\nCatalogDatabase \@driver\@ ") . $server->params . '"')->start;
my $db = $server->database;

sub person { my $name = fresh(); return { username => $name, email => "$name\@example.com", password => "secret of $name", @_ } }

sub ask {
    my ($path, $key, $body, $at) = @_;
    return ($at // $server)->api(POST => $path, $body, headers => { 'Idempotency-Key' => "\"$key\"" });
}

sub queued { $db->selectrow_array('SELECT COUNT(*) FROM outbox o JOIN users u ON u.id = o.user_id WHERE u.username_key = ?', undef, $_[0]) }
sub users { $db->selectrow_array('SELECT COUNT(*) FROM users WHERE username_key = ?', undef, $_[0]) }

# case: POST /users
my $ann = person();
my $made = ask('/users', 'ann', $ann);
answers($made, 201, { id => $ID, username => $ann->{username}, email => $ann->{email}, createdAt => $TIME }, 'a user is created',
    'idempotency-replayed' => undef);
answers(ask('/users', 'ann', $ann, $_->[1]), 201, $made->{body}, "$_->[0] repeats the answer instead of a 409", 'idempotency-replayed' => 'true')
    for ['this server', $server], ['another one, even where registration is closed by now,', $other];
is(users($ann->{username}) . queued($ann->{username}), '11', 'one user is stored, with one mail');
answers(ask('/users', 'ann', { %$ann, password => 'another one' }), 422, undef, 'another password is another request');

# case: what is refused is not stored
my $taken = refusal(error => qr/taken/, errors => [map { { field => $_, code => 'taken', message => qr/./ } } qw(email username)]);
answers(ask('/users', 'taken', $ann), 409, $taken, 'a user who exists is refused', 'idempotency-replayed' => undef) for 1, 2;
my $bob = person();
answers(ask('/users', 'taken', $bob), 201, undef, 'and the key remains free');

# case: POST /register
my $eve = person();
my $first = ask('/register', 'eve', $eve);
answers($first, 201, undef, 'a user registers', 'idempotency-replayed' => undef);
my %seen = ($first->{json}{token} => 1, $first->{json}{refreshToken} => 1);
for my $case (['this server', $server], ['another server', $other]) {
    my $again = ask('/register', 'eve', $eve, $case->[1]);
    answers($again, 201, { %{ $first->{json} }, map { $_ => sub { !$seen{ $_[0] }++ } } qw(token refreshToken) },
        "$case->[0] answers a repeated registration with the same user and fresh tokens",
        'idempotency-replayed' => 'true', 'cache-control' => 'no-store');
    answers($server->api(GET => '/auth/me', token => $again->{json}{token}), 200, undef, 'the access token is good');
    answers($server->api(POST => '/auth/refresh', { refreshToken => $again->{json}{refreshToken} }), 200, undef, 'so is the refresh token');
}
answers($server->api(GET => '/auth/me', token => $first->{json}{token}), 200, undef, 'those of the first answer remain good');
is(users($eve->{username}) . queued($eve->{username}), '11', 'one user is stored, with one mail');

my $kim = person(cookie => true);
ask('/register', 'kim', $kim);
my $again = ask('/register', 'kim', $kim);
answers($again, 201, undef, 'a repeated registration', 'set-cookie' => qr/^catalog_refresh=.*HttpOnly/);
ok(!exists $again->{json}{refreshToken}, 'sends the refresh token as a cookie, if that was asked for');

# case: who may repeat a registration
my $bytes = wire(POST => '/register', $eve, headers => { 'Idempotency-Key' => '"eve"' });
my $socket = CatalogTest::Http::connection($server->port, LocalAddr => '127.0.0.2');
print {$socket} $bytes;
answers(CatalogTest::Http::parse(CatalogTest::Http::read_all($socket)), 409, $taken,
    'from another network it is a registration like any other', 'idempotency-replayed' => undef);
answers(ask('/users', 'eve', $eve), 409, $taken, 'so it is on another route', 'idempotency-replayed' => undef);

my $pat = person();
my $token = ask('/register', 'pat', $pat)->{json}{token};
answers($server->api(POST => '/auth/password/change', { currentPassword => $pat->{password}, newPassword => 'a new password' },
    token => $token), 200, undef, 'a user changes the password');
answers(ask('/register', 'pat', $pat), 401, refusal(error => qr/./), 'the registration with the old one gets no tokens',
    'idempotency-replayed' => undef);
my $max = person();
ask('/register', 'max', $max);
$db->do('DELETE FROM users WHERE username_key = ?', undef, $max->{username});
answers(ask('/register', 'max', $max), 401, undef, 'nor does that of a user who has been deleted');
is(users($max->{username}), 0, 'who is not created again');

# case: guessing the password of a registration whose key is known
my $joe = person();
ask('/register', 'joe', $joe);
my %n;
$n{ ask('/register', 'joe', { %$joe, password => "guess number $_" })->{status} }++ for 1 .. 15;
is_deeply(\%n, { 422 => 10, 429 => 5 }, 'after ten wrong bodies a network has to wait');
answers(ask('/register', 'joe', $joe), 429, undef, 'so that the right one is no different', 'retry-after' => qr/^[1-9]\d*$/);
moved_since($server, {}, { 'catalog_rate_limit_refusals_total{limit="replay"}' => 6 }, 'the metrics count the refusals');
answers(ask('/register', 'eve', $eve), 201, undef, 'other keys are not concerned');

# case: what is stored
my $dump = $server->database_named->dump;
my ($secret) = grep { index($dump, $_) >= 0 } (map { $_->{password} } $ann, $bob, $eve, $kim, $pat, $max, $joe), keys %seen;
is($secret, undef, 'no password and no token is stored');

done_testing;
