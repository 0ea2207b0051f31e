# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# Five failures are free; then each doubles the delay, per login and network, so an attacker cannot lock out the owner.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $server = server(conf => moderate() . "CatalogRateLimit login 1000/60\n")->start;
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
is(statuses(map { guess($_) } ($name, uc $name) x 2, $name), '401 401 401 401 401', 'five failures, in any case of letters');
my $refused = try_as($name, $user->{password});
is(statuses(map { guess($_) } ($unknown, uc $unknown) x 2, $unknown), '401 401 401 401 401',
    'five for somebody who is not there');
my $stranger = guess($unknown);
my $fifth = time;
is_told($refused, 1, 3, 'then one has to wait, with the right password, too');
is_told($stranger, 1, 3, 'so does who is not there');
is(lines($refused) =~ s/\d+//gr, lines($stranger) =~ s/\d+//gr, 'in the same words');

# Extends the delay to a minute: on a busy machine, two seconds may pass between two requests.
sub put_off { $db->do('UPDATE login_failures SET allowed_at = allowed_at + ?', undef, 60_000 * $_[0]) }
put_off(1);
answers(try_as($name, $user->{password}, $there), 200, undef, 'the owner signs in from elsewhere');
is_told(guess($name), 50, 63, 'which is no help here');
is(statuses(map { guess($name, $there) } 1 .. 5), '401 401 401 401 401', 'there, five are free again');
ok(works($server, $user->{token}), 'sessions go on');

# An attempt during the delay does not extend it.
is_told(guess($name), 50, 63, 'before its time') for 1 .. 3;
put_off(-1);
sleep 0.05 while time < $fifth + 2.1;
is(statuses(guess($name), guess($unknown)), '401 401', 'after two seconds there is another try');
my $sixth = time;
is_told(guess($name), 3, 5, 'after that it is four seconds');
is_told(guess($unknown), 3, 5, 'for who is not there as well');
answers(try_as(register($server)->{user}{username}, 'correct horse'), 200, undef, 'other accounts are not concerned');

# Guesses that come at the same time count as well.
my $other = register($server);
my @guesses = map { +{ login => $other->{user}{username}, password => "guess $_" } } 1 .. 12;
my @bytes = map { wire(POST => '/auth/login', $_, from_network($here)) } @guesses;
my @answers = $server->burst(@bytes);
is(scalar(grep { $_->{status} !~ /^(?:401|429)$/ } @answers), 0, 'twelve at once');
my @looked_at = sort { $a <=> $b } map { $_->{took} } grep { $_->{status} == 401 } @answers;
ok(@looked_at == 5 || @looked_at > 5 && $looked_at[5] > 2, 'five of them are looked at, and no other for two seconds')
    or diag "@looked_at";

# Addresses of one IPv6 network count together.
my $neighbours = register($server)->{user}{username};
is(statuses(map { guess($neighbours, "2001:db8:1:2::$_") } 1 .. 6), '401 401 401 401 401 429',
    'an IPv6 network counts as one');
answers(guess($neighbours, '2001:db8:1:3::1'), 401, undef, 'another one is another');
answers(guess($neighbours, '::ffff:192.0.2.99'), 401, undef, 'IPv4 in IPv6');

# Success resets the delay.
sleep 0.05 while time < $sixth + 4.1;
answers(try_as($name, $user->{password}), 200, undef, 'after its time the right password is good');
is(statuses(map { guess($name) } 1 .. 6), '401 401 401 401 401 429', 'and five are free again');

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
is($told[0], '401 401 401 401 401 429 401 401 401 401 401 429', 'a name and its address are counted apart');
is($told[1], $told[0], 'like two that nobody has');

# The delay never exceeds a quarter of an hour.
$db->do('UPDATE login_failures SET failures = 5000, allowed_at = 0');
answers(guess($name), 401, undef, 'the five thousandth');
is_told(guess($name), 890, 900, 'costs fifteen minutes');
$server->stop;
$server->start;
is_told(guess($name), 880, 900, 'which a restart does not forgive');
is_told(guess(uc $name), 880, 900, 'in any case of letters');

# A clock that was set back: stored times are in the future.
$db->do('UPDATE login_failures SET failures = 20, allowed_at = ?, failed_at = ?', undef,
    map { int(1000 * (time + $_)) } 3600 + 900, 3600);
answers(guess($name), 401, undef, 'by an hour: the delay is over');
is_told(guess($name), 890, 900, 'the next one counts by the new time');
$db->do('UPDATE login_failures SET allowed_at = ?, failed_at = ?', undef, map { int(1000 * (time + $_)) } 30 + 900, 30);
is_told(guess($name), 910, 931, 'by half a minute: it lasts so much longer');

done_testing;
