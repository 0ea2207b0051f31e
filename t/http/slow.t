# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# case: 42 43
use CatalogTest;

my $server = server(conf => 'RequestReadTimeout header=5 body=1,MinRate=500')->start;
my $token = register($server)->{token};

# One byte each tenth of a second: slower than the server allows.
my $request = wire(POST => '/products', { name => 'x', price => 1 }, token => $token,
    headers => { 'Content-Length' => 100 });
my ($head, $body) = $request =~ /^(.*?\r\n\r\n)(.*)$/s;
my $r = $server->talk([$head, split //, $body], pause => 0.1);
answers($r, 408, refusal(error => qr/./), 'a body that arrives too slowly gets 408', connection => qr/close/i);
is($server->api(GET => '/products')->{json}{pagination}{total}, 0, 'the slow request stores nothing');

# The server refuses an invalid request before it asks for the body.
sub expecting { $server->talk($_[0] =~ s/\r\n/\r\nExpect: 100-continue\r\n/r =~ s/\r\n\r\n\K.*//sr) }
my $json = '{"name":"x","price":1}';
my $refused = expecting(wire(POST => '/products', $json));
answers($refused, 401, refusal(error => qr/./), 'Expect: 100-continue without a token gets 401', connection => qr/close/i);
answers(expecting(wire(POST => '/products', $json, token => $token, headers => { 'Content-Type' => 'text/plain' })),
    415, undef, 'Expect: 100-continue with a wrong type gets 415');
answers(expecting(wire(POST => '/products', $json, token => $token, headers => { 'Content-Length' => 70000 })), 413,
    undef, 'Expect: 100-continue with too long a body gets 413');
answers(expecting(wire(POST => '/nothing', $json, token => $token)), 404, undef,
    'Expect: 100-continue to an unknown path gets 404');
answers(expecting(wire(PATCH => '/products', $json, token => $token)), 405, undef,
    'Expect: 100-continue with a wrong method gets 405');

# A valid request gets 100 Continue.
my $socket = $server->connection;
print {$socket} wire(POST => '/products', $json,
    token => $token) =~ s/\r\n/\r\nExpect: 100-continue\r\n/r =~ s/\r\n\r\n\K.*//sr;
like(scalar <$socket>, qr{^HTTP/1\.1 100 }, 'Expect: 100-continue with a token gets 100');
print {$socket} $json;
my $rest = join '', <$socket>;
like($rest, qr{^HTTP/1\.1 201 }m, 'the request is served after the 100');

# An unknown expectation.
answers($server->talk(wire(POST => '/products', $json, token => $token) =~ s/\r\n/\r\nExpect: the-unexpected\r\n/r),
    417, refusal(), 'an unknown expectation gets 417');

done_testing;
