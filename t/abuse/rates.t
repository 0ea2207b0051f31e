# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: POST /register
# route: POST /users
# route: POST /auth/password/forgot
# CatalogRateLimit: how often a client may sign in, register and ask for mail.
use CatalogTest;
use CatalogAccounts;
use Time::HiRes qw(sleep time);

my $key = key_path;
my %limits = ('/few' => 'login 3/9 register 2/60 mail 1/60', '/one' => 'login 3/60',
    '/off' => 'login Off register Off mail Off', '/all' => 'Off');
my $server = server(conf => moderate() . join '', map { <<"END" } sort keys %limits);
<Location "$_">
    CatalogEnable    On
    CatalogKeyFile   "$key"
    CatalogRateLimit $limits{$_}
</Location>
END
my $file = $server->dir . '/httpd.conf';
$server->write($file, slurp($file) =~ s/^CatalogRateLimit Off\n//mr); # so that /api has the default
$server->start;

my $count = 0;
sub from { '192.0.2.' . ++$count }
sub ask {
    my ($mount, $route, $body, $from) = @_;
    return $server->api(POST => $route, $body, mount => $mount, defined $from ? from_network($from) : ());
}
sub login {
    my ($mount, $from) = @_;
    return ask($mount, '/auth/login', { login => fresh(), password => 'wrong horse' }, $from);
}
sub registration {
    my $name = fresh();
    return { username => $name, email => "$name\@example.com", password => 'correct horse' };
}
sub statuses { join ' ', map { $_->{status} } @_ }
sub policy { my ($r) = @_; return join ' ', map { $_ // 'none' } @{ $r->{headers} }{qw(ratelimit-policy ratelimit)} }

# The answers to what a new client asks, once that has taken less than the seconds in which a limit allows one request more.
sub within {
    my ($seconds, $client) = @_;
    for (1 .. 20) {
        my $start = time;
        my @answers = $client->(from());
        return @answers if time - $start < $seconds;
    }
    die "the machine is too busy\n";
}

# On by default, generous, and in the headers of each answer that counts.
my %reset = (token => 'x', password => 'correct horse');
my ($first, $second, $third) = within(2, sub { my ($client) = @_;
    return (login('/api', $client), login('/api', $client), ask('/api', '/auth/password/reset', \%reset, $client));
});
like(policy($first), qr/^"login";q=30;w=60 "login";r=29;t=2$/, 'the default is 30 sign-ins a minute');
like(policy($second), qr/^"login";q=30;w=60 "login";r=28;t=[34]$/, 'a second sign-in leaves one less');
like(policy($third), qr/^"login";q=30;w=60 "login";r=27;/, 'a password reset counts as a sign-in');
my $here = from();
# At once, as a busy machine may take a second for a password, in which one more is allowed.
my @registered = sort { $b cmp $a } map { policy($_) } $server->burst(map { wire(POST => $_, registration(), from_network($here)) } '/register', '/users');
like($registered[0], qr/^"register";q=60;w=60 "register";r=59;t=1$/,
    'the default is 60 registrations a minute');
like($registered[1], qr/^"register";q=60;w=60 "register";r=58;t=[12]$/,
    'both routes of registration count');
like(policy(ask('/api', '/auth/password/forgot', { email => 'x@example.com' }, $here)),
    qr/^"mail";q=3;w=3600 "mail";r=2;t=1200$/, 'the default is 3 mails an hour');
like(policy(ask('/api', '/auth/confirm/resend', { email => 'y@example.com' }, $here)),
    qr/^"mail";q=3;w=3600 "mail";r=1;t=(?:2400|2399)$/, 'both routes that send mail count');
is(policy($server->api(GET => '/products', from_network($here))), 'none none', 'reading products is not counted');
is(policy(ask('/api', '/auth/refresh', { refreshToken => 'x' }, $here)), 'none none',
    'a refresh with an unknown token is not counted');

# Over the limit: Retry-After is right.
my @allowed = within(6, sub {
    my @answers = within(3, sub { $here = $_[0]; map { login('/few', $here) } 1 .. 4 });
    sleep $answers[3]{headers}{'retry-after'};
    return (@answers, map { login('/few', $here) } 1 .. 2);
});
is(statuses(@allowed[0 .. 2]), '401 401 401', 'three sign-ins are allowed');
answers($allowed[3], 429, refusal(error => qr/./), 'a fourth sign-in is refused', 'retry-after' => qr/^[1-3]$/,
    ratelimit => qr/^"login";r=0;t=[7-9]$/, 'ratelimit-policy' => '"login";q=3;w=9', 'www-authenticate' => undef);
is(statuses(@allowed[4, 5]), '401 429', 'after Retry-After one more is allowed');
is(statuses(login('/few', from())), '401', 'another client is not limited');
is(statuses(map { ask('/few', '/register', registration(), $here) } 1 .. 3), '201 201 429',
    'registrations have a count of their own');
is(statuses(ask('/few', '/users', registration(), $here)), '429', 'both routes of registration share it');
my @mail = map { ask('/few', $_, { email => fresh() . '@example.com' }, $here) }
    '/auth/password/forgot', '/auth/confirm/resend';
is(statuses(@mail), '202 429', 'both routes that send mail share a count');

# A malformed body does not count.
my @malformed = ({}, [], { login => 'x' }, { login => 'x', password => 5 }, { login => 'x', password => '' }, '{');
my @answers = within(3, sub {
    my ($client) = @_;
    return ((map { ask('/few', '/auth/login', $_, $client) } @malformed),
        (map { ask('/few', '/register', { username => 'x' }, $client) } 1 .. 4),
        (map { login('/few', $client) } 1 .. 4), ask('/few', '/auth/login', {}, $client));
});
is(statuses(@answers[0 .. 5]), '400 400 400 400 400 400', 'malformed sign-ins do not count');
is_deeply([map { policy($_) } @answers[0 .. 5]], [('none none') x 6], 'their answers have no RateLimit headers');
is(statuses(@answers[6 .. 9]), '400 400 400 400', 'malformed registrations do not count');
is(statuses(@answers[10 .. 13]), '401 401 401 429', 'three well-formed sign-ins are allowed');
is(statuses($answers[14]), '429', 'over the limit the server does not check the body');
my $guest = ask('/off', '/register', registration())->{json};
my %change = (currentPassword => 'wrong horse', newPassword => 'another horse');
my $changed = $server->api(POST => '/auth/password/change', \%change, mount => '/one', token => $guest->{token},
    from_network(from()));
answers($changed, 400, undef, 'a wrong current password counts as a sign-in', ratelimit => qr/^"login";r=2;/);

# All children count together.
$here = from();
my %wrong = (login => fresh(), password => 'wrong horse');
my @bytes = (CatalogTest::request_bytes(POST => '/one/auth/login', \%wrong, from_network($here))) x 24;
my %count;
$count{ $_->{status} }++ for $server->burst(@bytes);
is_deeply(\%count, { 401 => 3, 429 => 21 }, 'of 24 sign-ins at once three are allowed, in all children together');
$server->graceful;
sleep 1;
is(statuses(login('/one', $here)), '429', 'a graceful restart keeps the counts');

# A client is its address or its network; its headers do not matter.
is(statuses(map { login('/one', "2001:db8:5:6:$_") } '0::1', 'ffff::2', '1:2:3:4', '0::2'), '401 401 401 429',
    'addresses of one IPv6 network count together');
is(statuses(login('/one', '2001:db8:5:7::1')), '401', 'another IPv6 network counts separately');
# What an IPv6 address with an IPv4 address in it counts as.
sub tries { return statuses(map { login('/one', $_) } @_) }
is(tries(map { "64:ff9b::c633:64$_" } qw(01 02 03 04)), '401 401 401 401', 'clients behind NAT64 count separately');
is(tries('64:ff9b::c633:6405', '198.51.100.5', '64:ff9b::198.51.100.5', '::ffff:0:c633:6405'), '401 401 401 429',
    'the IPv4 address that NAT64 translates counts, however it is written');
is(tries(map { "64:ff9b:1:2::$_" } qw(1 2 3 4)), '401 401 401 401', 'so do those of a network\'s own NAT64');
is(tries(map { "2002:c633:6406:$_\::1" } 1 .. 4), '401 401 401 429', 'a 6to4 site with 65,536 networks counts as one client');
is(tries(map { "2001:0:c633:6407:0:0:39cc:9b$_" } qw(01 02 03 04)), '401 401 401 401', 'clients of one Teredo server count separately');

my @said = map { +{ headers => { $_ => from() } } } qw(X-Forwarded-For Forwarded X-Real-IP Client-IP);
is(statuses(map { $server->api(POST => '/auth/login', { login => 'x', password => 'y' }, mount => '/one', %$_) } @said),
    '401 401 401 429', 'headers of an untrusted proxy do not change the client\'s address');

# Off.
is(statuses(map { ask('/all', '/auth/password/forgot', { email => 'z@example.com' }, $here) } 1 .. 5),
    '202 202 202 202 202', 'Off: requests are not limited');
is(policy(login('/all', $here)), 'none none', 'Off: answers have no RateLimit headers');
is(statuses(map { ask('/off', '/auth/password/forgot', { email => 'z@example.com' }, $here) } 1 .. 5),
    '202 202 202 202 202', 'each kind Off: requests are not limited');

done_testing;
