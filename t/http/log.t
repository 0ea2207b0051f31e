# SPDX-License-Identifier: Apache-2.0
# The error log's lines on refused requests identify the request, without its query.
use CatalogTest;

sub logs {
    my ($r, $pattern, $name) = @_;
    my $id = $r->{headers}{'x-request-id'};
    my $line = qr/$pattern \(request \Q$id\E\)/;
    ok(wait_until(5, sub { main->log_text =~ $line }), $name) or diag $line;
}

logs(api(GET => '/nothing?secret=1'), 'CAT020: answered 404 to GET /api/nothing', 'the log has a request for an unknown path');
logs(api(PATCH => '/products?secret=1', '{}'), 'CAT020: answered 405 to PATCH /api/products',
    'the log has a request with a wrong method');
logs(api(POST => '/products', '{', token => token()), 'CAT020: answered 400 to POST /api/products',
    'the log has a request with a malformed body');
logs(api(GET => '/products/%0A%5B%1B'), 'CAT020: answered 404 to GET /api/products/\\\\n\[\\\\x1b',
    'the log escapes control characters');
my $refused = api(DELETE => '/products/1?secret=1', token => forge(claims => claims(exp => time - 60)));
logs($refused, 'CAT021: token refused: [^:]+: DELETE /api/products/1', 'the log has the reason why a token is refused');
logs($refused, 'CAT020: answered 401 to DELETE /api/products/1', 'the log has the answer to that request');
unlike(main->log_text, qr/secret/, 'no query is logged');

done_testing;
