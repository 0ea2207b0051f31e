# SPDX-License-Identifier: Apache-2.0
# route: POST /auth/login
# route: GET /auth/me
# route: GET /auth/jwks.json
# runs: first
# CatalogKeyDir: the newest key signs, all verify, kid chooses; the server notices added and deleted files without a restart.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Jose qw(pair signed);
use CatalogTest::Keys qw(put_key with_keys);
use Time::HiRes qw(sleep);

my $keys = scratch();
my %pair = map { $_ => pair($_) } qw(ES256 RS256);
my $secret = 'The-first-secret,-of-thirty-two-bytes-or-more';
put_key($keys, '2024.key', $secret, 1000);
put_key($keys, '2025.pem', $pair{ES256}{private}, 100);
spew("$keys/2025.pem~", 'what an editor left'); # ignored, like the next two
spew("$keys/.hidden", 'x');
my @no_keys = ('README', '2024.key.bak', '2026', '2026.KEY');
put_key($keys, $_, "a-secret-of-thirty-two-bytes-or-more,-for-$_") for @no_keys; # nor are these
mkdir "$keys/old";
sleep 2.1; # the server does not sign with a newer key before every child has it

my $server = with_keys($keys);
my $user = register($server);
sub kid { header_of($_[0]{token})->{kid} }
sub session { sign_in($server, $user->{user}{username}, $user->{password})->{json} }
sub by {
    my ($key, $alg, $kid) = @_;
    return signed($key, { alg => $alg, typ => 'JWT', defined $kid ? (kid => $kid) : () },
        { %{ claims_of($user->{token}) }, jti => 'x' });
}
sub published { join ' ', map { "$_->{kid}:$_->{alg}" } @{ $server->api(GET => '/auth/jwks.json')->{json}{keys} } }

# Repeats the request until each child has read the directory; every answer must be one of the two.
sub becomes {
    my ($token, $from, $to, $what) = @_;
    my %seen;
    my $done = wait_until(5, sub {
        my @status = map { $_->{status} } $server->burst((wire(GET => '/auth/me', token => $token)) x 16);
        $seen{$_}++ for @status;
        return !grep { $_ != $to } @status;
    });
    delete @seen{ $from, $to };
    ok($done && !%seen, $what) or diag explain \%seen;
}

is(kid($user), '2025', 'the newest key signs');
is(header_of($user->{token})->{alg}, 'ES256', 'the newest key signs with its own algorithm');
my $first = by({ secret => $secret }, 'HS256', '2024');
answers($server->api(GET => '/auth/me', token => $first), 200, undef, 'the older key verifies');
is(published(), '2025:ES256', 'only the public key is published');
my @bad = (
    ['no kid, where there are two keys', by({ secret => $secret }, 'HS256')],
    ['the other key\'s kid', by({ secret => $secret }, 'HS256', '2025')],
    ['a kid with the extension', by({ secret => $secret }, 'HS256', '2024.key')],
    ['the content of an editor\'s backup file as a secret', by({ secret => 'what an editor left' }, 'HS256', '2025')],
    (map { ["the content of $_", by({ secret => "a-secret-of-thirty-two-bytes-or-more,-for-$_" }, 'HS256', s/\.\w+$//r)] } @no_keys),
    ['the public key as a secret', by({ secret => $pair{ES256}{public} }, 'HS256', '2025')],
);
answers($server->api(GET => '/auth/me', token => $_->[1]), 401, undef, "refused: $_->[0]", 'www-authenticate' => failed())
    for @bad;

# A new key: first it verifies everywhere, then it signs.
my $third = by({ private => $pair{RS256}{private} }, 'RS256', '2026');
answers($server->api(GET => '/auth/me', token => $third), 401, undef, 'a token of a key that is not there yet is refused',
    'www-authenticate' => failed());
put_key($keys, '2026.pem', $pair{RS256}{private});
is(kid(session()), '2025', 'a new key does not sign at once');
becomes($third, 401, 200, 'the new key verifies in every child');
my $new;
ok(wait_until(6, sub { kid($new = session()) eq '2026' }), 'the new key then signs');
is(header_of($new->{token})->{alg}, 'RS256', 'the new key signs with its own algorithm');
answers($server->api(GET => '/auth/me', token => $_), 200, undef, 'tokens signed with the older keys are accepted')
    for $user->{token}, $first;
ok(wait_until(2, sub { published() eq '2026:RS256 2025:ES256' }), 'both public keys are published, the newest first');

# Deleting an old key invalidates the tokens that it signed.
unlink "$keys/2024.key" or die;
becomes($first, 200, 401, 'a token signed with a deleted key is refused in every child');
ok(works($server, $user->{token}) && works($server, $new->{token}), 'tokens signed with the other keys are accepted');

# An invalid file changes nothing, and is logged.
put_key($keys, '2027.pem', "-----BEGIN PRIVATE KEY-----\nnonsense\n");
sleep 1.1;
ok(works($server, $user->{token}) && works($server, $new->{token}), 'an invalid file leaves the old keys');
is(kid(session()), '2026', 'the newest valid key signs');
ok(wait_until(5, sub { works($server, $new->{token}); $server->log_text =~ /CAT041: / }), 'the log has the invalid file');
my ($status, $said) = $server->configtest;
ok($status != 0 && $said =~ m{\Q$keys\E/2027\.pem}, 'httpd -t refuses the invalid file');
unlink "$keys/2027.pem";

# Neither does a text, and none of its tokens is accepted.
my $text = 'How the keys of this catalogue are changed: see the manual.';
put_key($keys, '2028.key', $text);
sleep 1.1;
answers($server->api(GET => '/auth/me', token => by({ secret => $text }, 'HS256', '2028')), 401, undef, 'a token signed with a text is refused',
    'www-authenticate' => failed());
is(kid(session()), '2026', 'a text does not become the key that signs');
ok(wait_until(5, sub { works($server, $new->{token}); $server->log_text =~ m{CAT041: .*2028\.key: is a text} }), 'the log says why');
($status, $said) = $server->configtest;
ok($status != 0 && $said =~ m{2028\.key: is a text with spaces between words, not a random key; create one: \(umask 077; openssl rand},
    'httpd -t refuses it, with the command that makes one');
unlink "$keys/2028.key";

# The same name with other content is another key.
my $other = pair('ES256');
put_key($keys, '2025.pem', $other->{private});
becomes($user->{token}, 200, 401, 'a token signed with a replaced key is refused');
becomes(by({ private => $other->{private} }, 'ES256', '2025'), 401, 200,
    'a token signed with the new key of that name is accepted');

# Nothing to sign with.
sub refused {
    ($status, $said) = $server->configtest;
    ok($status != 0 && $said =~ /\Q$keys\E/, "$_[0]: httpd -t refuses it") or diag $said;
}
unlink glob "$keys/20*";
refused('a directory without a key');
put_key($keys, "1.$_", $pair{ES256}{private}) for 'pem', 'key';
refused('two keys of one name');

expect_log(qr/CAT041: /);
done_testing;
