# SPDX-License-Identifier: Apache-2.0
# route: PATCH /auth/me
# A user changes the name while others want it, and while the sessions are refreshed.
use CatalogTest;
use CatalogAccounts;

my $server = server(mount => "CatalogRateLimit Off\n", conf => "CatalogHashConcurrency 4\n")->start;
my ($user, $rival) = (register($server), register($server));
my $name = $user->{user}{username};
my @twins = map { sign_in($server, $name, 'correct horse')->{json} } 1, 2;
my (%status, %refreshed);

for my $round (1 .. 8) {
    my $next = "$name-$round";
    my $former = $round == 1 ? $name : $name . '-' . ($round - 1);
    my @wants = (
        wire(PATCH => '/auth/me', { username => $next }, token => $user->{token}),
        (map { wire(POST => '/auth/refresh', { refreshToken => $_->{refreshToken} }) } @twins),
        wire(PATCH => '/auth/me', { username => $former }, token => $rival->{token}),
        (map { wire(POST => '/users', { username => uc $former, email => "r$round-$_-$$\@example.com", password => 'correct horse' }) } 1 .. 3),
    );
    my @answers = $server->burst(@wants);
    $status{ $answers[0]{status} }++;
    $refreshed{ $_->{status} }++ for @answers[1, 2];
    $status{"rival $_->{status}"}++ for @answers[3 .. $#answers];
    for my $i (0, 1) {
        $twins[$i] = $answers[1 + $i]{json} if $answers[1 + $i]{status} == 200;
    }
    $user = { %$user, %{ refresh($server, $user->{refreshToken})->{json} } };
}
is_deeply(\%status, { 200 => 8, 'rival 409' => 32 }, 'each change of the name succeeds, and nobody gets the former one');
is_deeply(\%refreshed, { 200 => 16 }, 'each refresh meanwhile succeeds');
answers(refresh($server, $_->{refreshToken}), 200, tokens(), 'the session goes on') for @twins, $user;
my $db = $server->database;
is($db->selectrow_array('SELECT COUNT(*) FROM sessions WHERE user_id = ?', undef, $user->{user}{id}), 3, 'no session was lost or doubled');
is($db->selectrow_array('SELECT COUNT(*) FROM released_names'), 8, 'each former name is reserved');
done_testing;
