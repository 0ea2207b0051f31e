# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/keys
# route: DELETE /auth/keys/:id
# again: mpm
# Keys on two servers of one database, and on a mount with a database of its own: what one server ends, the other one refuses within
# CatalogRevocationDelay, whatever it remembers.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Ctl qw(ctl_for);
use Time::HiRes qw(sleep time);

my $delay = 2;
my $key = key_path;
my $one = server(mount => "CatalogRevocationDelay $delay", conf => <<"END")->start;
<Location "/second">
    CatalogEnable   On
    CatalogDatabase \@driver\@ "\@params:second\@"
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience second
</Location>
END
my $two = server(mount => "CatalogRevocationDelay $delay\nCatalogDatabase \@driver\@ \"" . $one->params . '"')->start;
my $user = register($one);
my ($name, $password) = ($user->{user}{username}, $user->{password});
sub create { my ($server, $token, %o) = @_; return $server->api(POST => '/products', { name => 'x', price => 1 }, token => $token, %o)->{status} }
sub made { $one->api(POST => '/auth/keys', { name => 'ERP', password => $password, @_ }, token => $user->{token})->{json} }

# Asks often enough that each child has read the key.
sub all_say { my ($server, $token) = @_; my %status;
    $status{ $_->{status} }++ for $server->burst((wire(GET => '/changes?limit=1', token => $token)) x 48);
    return join ' ', sort keys %status }

my $made = made();
is(all_say($_, $made->{token}), '200', 'each child of both servers takes the key') for $one, $two;
is($one->api(DELETE => "/auth/keys/$made->{id}", token => $user->{token})->{status}, 200, 'the first server ends it');
my $ended = time;
is(all_say($one, $made->{token}), '401', 'each of its children refuses it at once');
sleep 0.05 while time < $ended + $delay + 0.2;
is(all_say($two, $made->{token}), '401', 'those of the other one after CatalogRevocationDelay');
$two->stop;
$two->start;
is(create($two, $made->{token}), 401, 'and after a restart');
$one->graceful;
is(create($one, $made->{token}), 401, 'and the first one after a graceful restart');

# What catalogctl does to the user.
my $role = made()->{token};
set_role($one, $name, 'admin');
for (['lock', ['user', 'lock', '--force', $name], 401], ['unlock', ['user', 'unlock', $name], 401]) {
    my ($what, $words, $status) = @$_;
    is(ctl_for($one, '--mount', '/api', @$words)->{status}, 0, "catalogctl: $what");
    my $done = time;
    sleep 0.05 while time < $done + $delay + 0.2;
    is(all_say($_, $role), $status, "$what: both servers refuse the key") for $one, $two;
}
$user = { %{ sign_in($one, $name, $password)->{json} } };
my $kept = made(expiresIn => 3600)->{token};
is(create($_, $kept), 201, 'a new key works on both servers') for $one, $two;

# A mount that has another database.
is(create($one, $kept, mount => '/second'), 401, 'a mount with another database, and so with another audience, refuses it');

# A key goes along when catalogctl moves the database.
my $third = server(mount => '')->start;
is(create($third, $kept), 401, 'a server with the same key, issuer and audience does not know it');
my $export = ctl_for($one, '--mount', '/api', 'export');
is(ctl_for($third, { in => $export->{out} }, 'import')->{status}, 0, 'catalogctl export and import');
sleep $delay + 0.2;
is(create($third, $kept), 201, 'then it does');

# Servers that cannot ask the database do not guess.
if (driver eq 'sqlite3') {
    my $moved = $one->params . '.moved';
    is(create($two, $kept), 201, 'a server has read the key');
    rename $one->params, $moved or die;
    sleep $delay + 1;
    like(create($two, $kept), qr/^503$/,
        'without the database it takes no key that it has read longer ago');
    rename $moved, $one->params or die;
    ok(wait_until(10, sub { create($two, $kept) == 201 }), 'with the database it does');
    allow_log(qr/CAT\d+: /);
}

allow_log(qr/AH10159: /);
done_testing;
