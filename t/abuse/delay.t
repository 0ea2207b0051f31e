# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# runs: alone
# hashes: real
# Five failures are free; then each doubles the delay, per login and network, so an attacker cannot lock out the owner.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

# However few processors there are, no guess waits in the queue for hashing until it is refused.
my $server = server(conf => moderate() . "CatalogRateLimit login 1000/60\nCatalogHashConcurrency 12\n")->start;
my ($here, $there) = ('192.0.2.1', '198.51.100.1');
sub try_as {
    my ($login, $password, $from) = @_;
    my %body = (login => $login, password => $password);
    return $server->talk(wire(POST => '/auth/login', \%body, from_network($from // $here)));
}
sub guess { try_as($_[0], 'wrong horse', $_[1]) }
sub statuses { join ' ', map { $_->{status} } @_ }
sub is_told {
    my ($r, $least, $most, $what) = @_;
    my $seconds = sub { ($_[0] // '') =~ /^\d+$/ && $_[0] >= $least && $_[0] <= $most };
    answers($r, 429, refusal(error => qr/./), $what, 'retry-after' => $seconds, ratelimit => undef,
        'ratelimit-policy' => undef, 'www-authenticate' => undef);
}

my $user = register($server);
my ($name, $email) = @{ $user->{user} }{qw(username email)};
my $unknown = fresh();
my $db = $server->database;

# Five are free; the owner, on another network, is not delayed, and does not reset the delay.
is(statuses(map { guess($_) } ($name, uc $name) x 2, $name), '401 401 401 401 401',
    'five failures are free, in upper or lower case');
my $refused = try_as($name, $user->{password});
is(statuses(map { guess($_) } ($unknown, uc $unknown) x 2, $unknown), '401 401 401 401 401',
    'five failures are free with an unknown name');
my $stranger = guess($unknown);
my $fifth = time;
is_told($refused, 1, 3, 'the sixth attempt is delayed, even with the right password');
is_told($stranger, 1, 3, 'the sixth attempt with the unknown name is delayed, too');
is(lines($refused) =~ s/\d+//gr, lines($stranger) =~ s/\d+//gr, 'both refusals are the same');

# Extends the delay to a minute: on a busy machine, two seconds may pass between two requests.
sub put_off { $db->do('UPDATE login_failures SET allowed_at = allowed_at + ?', undef, 60_000 * $_[0]) }
put_off(1);
answers(try_as($name, $user->{password}, $there), 200, undef, 'the owner signs in from another network');
is_told(guess($name), 50, 63, 'the delay on the first network remains');
is(statuses(map { guess($name, $there) } 1 .. 5), '401 401 401 401 401', 'five failures are free on the other network');
ok(works($server, $user->{token}), 'the user\'s session continues');

# An attempt during the delay does not extend it.
is_told(guess($name), 50, 63, 'an attempt during the delay does not extend it') for 1 .. 3;
put_off(-1);
sleep 0.05 while time < $fifth + 2.1;
is(statuses(guess($name), guess($unknown)), '401 401', 'after two seconds another attempt is checked');
my $sixth = time;
put_off(1);
is_told(guess($name), 63 - (time - $sixth), 65, 'the next delay is four seconds');
is_told(guess($unknown), 63 - (time - $sixth), 65, 'the next delay with the unknown name is four seconds, too');
put_off(-1);
answers(try_as(register($server)->{user}{username}, 'correct horse'), 200, undef, 'another account is not delayed');

# Guesses that come at the same time count as well.
my $other = register($server);
my @guesses = map { +{ login => $other->{user}{username}, password => "guess $_" } } 1 .. 12;
my @bytes = map { wire(POST => '/auth/login', $_, from_network($here)) } @guesses;
my @answers = $server->burst(@bytes);
is(scalar(grep { $_->{status} !~ /^(?:401|429)$/ } @answers), 0, 'twelve guesses at once get 401 or 429');
my @looked_at = sort { $a <=> $b } map { $_->{took} } grep { $_->{status} == 401 } @answers;
ok(@looked_at == 5 || @looked_at > 5 && $looked_at[5] > 2, 'the server checks five of them, and no other for two seconds')
    or diag "@looked_at";

# Addresses of one IPv6 network count together.
my $neighbours = register($server)->{user}{username};
is(statuses(map { guess($neighbours, "2001:db8:1:2::$_") } 1 .. 6), '401 401 401 401 401 429',
    'addresses of one IPv6 network count together');
answers(guess($neighbours, '2001:db8:1:3::1'), 401, undef, 'another IPv6 network counts separately');
answers(guess($neighbours, '::ffff:192.0.2.99'), 401, undef, 'an IPv4-mapped address counts separately');

# Success resets the delay.
sleep 0.05 while time < $sixth + 4.1;
answers(try_as($name, $user->{password}), 200, undef, 'after the delay the right password is accepted');
is(statuses(map { guess($name) } 1 .. 6), '401 401 401 401 401 429', 'five failures are free again');

# Failures with the name do not delay the address: that would reveal that they belong to one account.
my $pair = register($server)->{user};
my @told = map {
    my ($one, $other) = @$_;
    my @answers = map { guess($one) } 1 .. 5;
    put_off(1);
    push @answers, guess($one), map { guess($other) } 1 .. 5;
    put_off(1);
    statuses(@answers, guess($other));
} [@$pair{qw(username email)}], [fresh(), fresh() . '@example.com'];
is($told[0], '401 401 401 401 401 429 401 401 401 401 401 429', 'failures with a name and with its address count separately');
is($told[1], $told[0], 'an unknown name and address get the same answers');

# The delay never exceeds a quarter of an hour.
$db->do('UPDATE login_failures SET failures = 5000, allowed_at = 0');
answers(guess($name), 401, undef, 'the attempt after 5,000 failures is checked');
is_told(guess($name), 890, 900, 'the next delay is fifteen minutes');
$server->stop;
$server->start;
is_told(guess($name), 880, 900, 'the delay survives a restart');
is_told(guess(uc $name), 880, 900, 'the delay applies in upper and lower case');

# A clock that was set back: stored times are in the future.
$db->do('UPDATE login_failures SET failures = 20, allowed_at = ?, failed_at = ?', undef,
    map { int(1000 * (time + $_)) } 3600 + 900, 3600);
answers(guess($name), 401, undef, 'a clock set back by an hour ends the delay');
is_told(guess($name), 890, 900, 'the next delay starts at the new time');
$db->do('UPDATE login_failures SET allowed_at = ?, failed_at = ?', undef, map { int(1000 * (time + $_)) } 30 + 900, 30);
is_told(guess($name), 910, 931, 'a clock set back by half a minute makes the delay that much longer');

done_testing;
