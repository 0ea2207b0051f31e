# SPDX-License-Identifier: Apache-2.0
# route: GET /auth/me
# case: 28
# A token that was verified is remembered by the child, for as long as it is good and not longer.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $server = server(conf => CatalogTest::Server::one_child())->start;
my $user = register($server);
sub token_with { forge(claims => { %{ claims_of($user->{token}) }, @_ }) }

sub ask {
    my (@tokens) = @_;
    my $bytes = join '',
        map { wire(GET => '/auth/me', token => $_, headers => { Connection => 'keep-alive' }) } @tokens;
    return $server->talk($bytes . wire(GET => '/products'))->{text};
}
sub statuses { join ' ', ask(@_) =~ m{HTTP/1\.1 (\d+) }g }

# It expires while it is remembered: 30 seconds are the leeway.
my $expires = int(time) - 27;
my $token = token_with(exp => $expires);
is(statuses(($token) x 20), join(' ', (200) x 21), 'a token is accepted twenty times within the leeway');
my $other = token_with(exp => $expires + 600);
my $changed = forge(claims => { %{ claims_of($other) }, role => 'oser' }, signature => (split /\./, $other)[2]);
is(statuses($token, $other, substr($token, 0, -1), $token . 'A', $changed, $other), '200 200 401 401 401 200 200',
    'a token that differs in a few bytes is refused');
sleep 0.1 while time < $expires + 30.1;
is(statuses(($token) x 5), join(' ', (401) x 5, 200), 'the token is refused once it has expired');
is(statuses($other), '200 200', 'the other token is accepted');

# Each stays itself among others.
my @users = ($user, map { register($server) } 1 .. 2);
my @names = map { $_->{user}{username} } @users;
is(join(' ', ask((map { $_->{token} } @users) x 10) =~ /"username":"([^"]+)"/g), join(' ', (@names) x 10),
    'tokens of three users in turn identify their own users');

allow_log(qr/AH00161: |AH00286: |AH10159: /); # there are few workers
done_testing;
