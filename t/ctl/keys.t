# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# route: GET /auth/jwks.json
# runs: first
# catalogctl key new: a running server picks the files up, signs with them, and never reads them half-written.
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for);
use Cpanel::JSON::XS ();
use MIME::Base64 ();

my $mount = <<'END';
<Location "/api">
    CatalogEnable On
    CatalogKeyDir "@dir@/keys"
    CatalogRateLimit Off
</Location>
END
my $server = server(mount => undef, conf => $mount);
my $keys = $server->dir . '/keys';
mkdir $keys or die "$keys: $!";
chown 0, scalar getgrnam(CatalogTest::Tools::setting('group')), $keys if $> == 0;
my $group = (stat $keys)[5];

sub files { my ($dir) = @_; opendir my $in, $dir or die "$dir: $!"; return sort grep { !/^\.\.?$/ } readdir $in }
sub header_of { return Cpanel::JSON::XS::decode_json(MIME::Base64::decode_base64url((split /\./, $_[0])[0])) }
sub fails {
    my ($r, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [1, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}

# httpd cannot read the configuration without a key, so catalogctl creates the first one by its path.
fails(ctl_for($server, qw(key new)), qr/refuses the configuration:.*contains no file whose name ends in \.key or \.pem/s,
    'key new fails without a path while there is no key');
my $made = ctl('key', 'new', $keys);
is($made->{status}, 0, 'key new with a path creates the first key');
like($made->{out}, qr{^\Q$keys\E/\d{8}T\d{9}Z\.key\n\z}, 'key new prints the path, named by the time');
chomp(my $first = $made->{out});
like(slurp($first), qr/^[\w-]{43}\n\z/, 'the key is a secret of 256 bits, as text');
is_deeply([(stat $first)[2] & 07777, (stat $first)[5]], [0640, $group], 'the directory\'s group can read the key');

$server->start;
my $old = register($server)->{token};
is(match(header_of($old), { alg => 'HS256', typ => 'JWT', kid => $first =~ m{([^/]+)\.key$} }), '',
    'the server signs with the key');

# The server picks up new keys without a restart, and signs with them once each child can verify with them.
sleep 3; # the first one is new itself
my $before = $old;
for my $kind (['es256', 'ES256', 'EC'], ['RS256', 'RS256', 'RSA'], ['hs256', 'HS256', undef]) {
    my ($type, $algorithm, $public) = @$kind;
    $made = ctl_for($server, 'key', 'new', '--type', $type);
    is_deeply([@$made{qw(status err)}], [0, ''], "$type: key new succeeds");
    my ($id, $ending) = $made->{out} =~ m{^\Q$keys\E/(\d{8}T\d{9}Z)\.(\w+)\n\z} or die "no path: $made->{out}";
    is($ending, $public ? 'pem' : 'key', "$type: the file has the right extension");
    is((stat "$keys/$id.$ending")[2] & 07777, 0640, "$type: the file has mode 0640");
    is((stat "$keys/$id.$ending")[5], $> == 0 ? scalar getgrnam('www-data') : $group,
        "$type: the server's group can read the file");
    my $token;
    ok(wait_until(10, sub { $token = register($server)->{token}; header_of($token)->{kid} eq $id }),
        "$type: the server signs with the key");
    is(header_of($token)->{alg}, $algorithm, "$type: the key is used with its algorithm");
    answers($server->api(GET => '/auth/sessions', token => $_), 200, undef,
        "$type: tokens signed with old and new keys are accepted") for $old, $before, $token;
    my ($jwk) = grep { $_->{kid} eq $id } @{ $server->api(GET => '/auth/jwks.json')->{json}{keys} };
    is($jwk ? $jwk->{kty} : undef, $public, "$type: the server publishes a public key only");
    $before = $token;
}
my @by_age = sort { (stat "$keys/$a")[9] <=> (stat "$keys/$b")[9] } files($keys);
is_deeply(\@by_age, [sort @by_age], 'the names of the keys sort by age');
is(scalar(my @files = files($keys)), 4, 'key new leaves no other file');

# By the path of one file.
is(ctl('key', 'new', "$keys/next.pem", '--type', 'es256')->{out}, "$keys/next.pem\n", 'key new accepts the path of a file');
my $content = slurp("$keys/next.pem");
like($content, qr/^-----BEGIN PRIVATE KEY-----\n.*-----END PRIVATE KEY-----\n\z/s, 'the key is in PEM');
fails(ctl('key', 'new', "$keys/next.pem"), qr/next\.pem: .*exists/, 'an existing key is not overwritten');
is(slurp("$keys/next.pem"), $content, 'the existing key stays as it is');
fails(ctl('key', 'new', "$keys/nowhere/1.key"), qr{keys/nowhere: .*No such file}, 'key new fails in a missing directory');
fails(ctl('key', 'new', '--type', 'ed25519', $keys), qr/ed25519: is not a type of key/, 'key new refuses an unknown type');
fails(ctl('--driver', 'sqlite3', '--params', '/nowhere', 'key', 'new'), qr/name the directory or the file/,
    'key new refuses a database without a path');
fails(ctl_for(server(), qw(key new)), qr{has one key, .*/token\.key; to have several, set CatalogKeyDir},
    'key new fails where CatalogKeyFile is set');
is_deeply([grep { /^\./ } files($keys)], [], 'failures leave nothing behind');

done_testing;
