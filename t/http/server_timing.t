# SPDX-License-Identifier: Apache-2.0
# hashes: real
# CatalogServerTiming: administrators, and nobody else, see what their requests spend their time on.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my $server = server(mount => 'CatalogServerTiming On', conf => <<"END")->start;
CatalogHashConcurrency 1
<Location "/off">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
my $user = register($server);
my $admin = register($server);
set_role($server, $admin->{user}{username}, 'admin');
my $in = sign_in($server, $admin->{user}{username}, $admin->{password});
my $token = $in->{json}{token};
my %product = (name => 'Kettle', price => 1);

sub spent {
    my ($r) = @_;
    my $header = $r->{headers}{'server-timing'} // return 'none';
    return $header =~ /^db;dur=(\d+\.\d{3}), hash;dur=(\d+\.\d{3}), queue;dur=(\d+\.\d{3}), total;dur=(\d+\.\d{3})$/
        ? { db => $1, hash => $2, queue => $3, total => $4 } : $header;
}

is(spent($server->api(GET => '/products')), 'none', 'nobody');
is(spent($server->api(GET => '/products', token => $user->{token})), 'none', 'a user');
is(spent($server->api(GET => '/products', token => forge(key => 'another key of thirty-two bytes!!'))), 'none', 'a forged token');
is(spent($in), 'none', 'signing in shows nothing: the request had no token');
is(spent($server->api(GET => '/products', token => $token, mount => '/off')), 'none', 'it is off by default');
is(spent($server->api(POST => '/products', '{}')), 'none', 'a refusal');

my $list = spent($server->api(GET => '/products?count=exact&price%5Bgte%5D=0', token => $token));
ok($list->{db} > 0 && $list->{hash} == 0, 'a list uses the database');
my $made = spent($server->api(POST => '/products', \%product, token => $token));
ok($made->{db} > 0 && $made->{hash} == 0 && $made->{total} >= $made->{db} + $made->{queue}, 'a write does');
is(ref spent($server->api(GET => '/nothing/', token => $token)), '', 'a path without a route has none');
my $failed = $server->api(POST => '/products', {}, token => $token);
is("$failed->{status} " . ref spent($failed), '400 HASH', 'a failure of the resource has them');

my %new = (currentPassword => $admin->{password}, newPassword => 'another good password');
my $changed = spent($server->api(POST => '/auth/password/change', \%new, token => $token));
ok($changed->{hash} > 1, 'hashing takes milliseconds') or diag(explain($changed));
ok($changed->{total} >= $changed->{hash} + $changed->{db}, 'the total is more than its parts');

# With one password hashed at a time, those that come together wait for each other.
my %wrong = (currentPassword => 'wrong horse', newPassword => 'another good password');
my @together = map { spent($_) } $server->burst((wire(POST => '/auth/password/change', \%wrong, token => $token)) x 4);
my ($hash) = sort { $a <=> $b } map { $_->{hash} } @together;
my ($queue) = sort { $b <=> $a } map { $_->{queue} } @together;
ok($queue > $hash, 'the last one waits for at least one other') or diag(explain(\@together));

# The answer that an Idempotency-Key stores has no times of the request that made it.
my @once = (POST => '/products', \%product, headers => { 'Idempotency-Key' => 'timing' });
ref spent($server->api(@once, token => $token)) or fail('the first answer has times');
my $again = $server->api(@once, token => $token);
is($again->{headers}{'idempotency-replayed'}, 'true', 'a repeated answer');
is(ref spent($again), 'HASH', 'has its own times, once');

allow_log(qr/CAT011: /); # on a slow machine the last one waits too long
done_testing;
