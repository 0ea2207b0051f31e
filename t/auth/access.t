# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: GET /products
# case: 37
# The site's own access rules can close a route; none opens one.
use CatalogTest;

my %product = (name => 'x', price => 1);
my $key = key_path;
my @mounts = (
    # path, the directives of its Location, status of: a read, a write without a token, a write with one
    ['/plain', '', 200, 401, 201],
    ['/granted', 'Require all granted', 200, 401, 201],
    ['/denied', 'Require all denied', 403, 403, 403],
    ['/satisfy', "Satisfy Any\nRequire all granted", 200, 401, 201],
    ['/satisfy-host', "Order deny,allow\nAllow from all\nSatisfy Any", 200, 401, 201],
    # A missing Require counts as satisfied.
    ['/satisfy-nothing', "Order allow,deny\nDeny from all\nSatisfy Any", 200, 401, 201],
    ['/limit', "<LimitExcept GET>\nRequire all granted\n</LimitExcept>", 200, 401, 201],
    ['/limit-denied', "<LimitExcept GET HEAD>\nRequire all denied\n</LimitExcept>", 200, 403, 403],
    ['/local', 'Require local', 200, 401, 201],
    ['/far', 'Require ip 192.0.2.1', 403, 403, 403],
    ['/env', "SetEnvIf Request_Method . asked\nRequire env asked", 200, 401, 201],
    ['/valid-user', "AuthType Bearer\nRequire valid-user", 401, 401, 201],
    ['/basic', "AuthType Basic\nAuthName site\nAuthUserFile \"\@dir\@/htpasswd\"\nRequire all granted", 200, 401, 201],
);
my $conf = join '', map { my ($path, $rules) = @$_; <<"END" } @mounts;
<Location "$path">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $rules
</Location>
END
my $server = server(mount => undef, conf => <<"END" . $conf);
ErrorDocument 401 /sorry.html
ErrorDocument 403 /sorry.html
ErrorDocument 404 /sorry.html
ErrorDocument 405 "sorry"
ErrorDocument 400 /plain/nothing
ErrorDocument 415 http://else.test/
END
$server->write($server->dir . '/htdocs/sorry.html', "sorry\n");
$server->write($server->dir . '/htpasswd', "\n");
$server->start;

my $token = forge();
for (@mounts) {
    my ($path, $rules, $read, $write, $with) = @$_;
    my $asked = sub { $server->api(@_, mount => $path) };
    my @cases = (
        ['read', $read, GET => '/products'], ['read with HEAD', $read, HEAD => '/products'],
        ['write without a token', $write, POST => '/products', \%product],
        ['write with a bad token', $write, POST => '/products', \%product, token => 'x.y.z'],
        ['write with a Basic password', $write, POST => '/products', \%product, headers => { Authorization => 'Basic eDp5' }],
        ['write with a token', $with, POST => '/products', \%product, token => $token],
    );
    for (@cases) {
        my ($name, $status, @request) = @$_;
        answers($asked->(@request), $status, undef, "$path: $name gets $status");
    }
}

# The site's ErrorDocuments do not replace JSON answers, and their sub-requests do not bypass access rules.
my $unknown = { success => false, message => qr/./ };
answers($server->api(GET => '/nothing', mount => '/plain'), 404, $unknown, 'a 404 stays JSON');
answers($server->api(PATCH => '/products', mount => '/plain'), 405, $unknown, 'a 405 stays JSON');
answers($server->api(POST => '/products', '{', mount => '/plain', token => $token), 400, refusal(error => qr/./),
    'a 400 stays JSON');
answers($server->api(POST => '/products', 'x', mount => '/plain', token => $token,
    headers => { 'Content-Type' => 'text/plain' }), 415, refusal(error => qr/./), 'a 415 stays JSON', location => undef);

# Logs, proxied applications and Require receive the user.
my $who = CatalogTest::Token::claims('x', 'y')->{sub};
$server->api(POST => '/products', \%product, mount => '/plain', token => forge(claims => claims(sub => $who)));
ok(wait_until(5, sub { $server->access_text =~ m{^POST /plain/products 201 user=\Q$who\E id=\Q$who\E }m }),
    'r->user and CATALOG_USER_ID have the user');
like($server->access_text, qr{^POST /plain/products 401 user=- id=- }m, 'without a token both are empty');

allow_log(qr/AH01630: client denied|AH01797: client denied|AH01627|AH01618|AH01617|AH01614|AH00027/);
done_testing;
