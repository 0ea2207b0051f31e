# SPDX-License-Identifier: Apache-2.0
# The same tokens in front of another application, which receives the user.
use CatalogTest;
use CatalogAccounts;

my $key = key_path;
my $port = CatalogTest::Server::free_port();
my $server = server(conf => <<"END");
CatalogKeyFile  "$key"
CatalogIssuer   https://catalog.test
CatalogAudience catalog-test
ProxyPass "/app" "http://127.0.0.1:$port/"
<Location "/app">
    AuthType Catalog
    AuthName app
    Require  valid-user
    RequestHeader set   X-User "%{CATALOG_USER_ID}e"
    RequestHeader set   X-Role "%{CATALOG_ROLE}e"
    RequestHeader unset Authorization
</Location>
<Location "/app/admin">
    Require catalog-role admin
</Location>
Listen 127.0.0.1:$port
LogFormat "%m %U user=%{X-User}i role=%{X-Role}i token=%{Authorization}i" application
<VirtualHost 127.0.0.1:$port>
    DocumentRoot "\@dir\@/application"
    CustomLog    "\@dir\@/logs/application" application
</VirtualHost>
END
mkdir $server->dir . "/application$_" for '', '/admin';
$server->write($server->dir . "/application$_->[0]", $_->[1])
    for ['/page', "the application\n"], ['/admin/page', "its back room\n"];
$server->start;

my $log = $server->dir . '/logs/application';
my $user = register($server);
my $id = $user->{user}{id};
sub ask { my ($path, %o) = @_; return $server->api($o{method} // 'GET', $path, $o{body} // (), mount => '/app', %o) }
sub is_answered { my ($r, $status, $body, $what) = @_; is("$r->{status} $r->{body}", "$status $body", $what) }
sub is_told {
    my ($line, $what) = @_;
    ok(wait_until(5, sub { slurp($log) =~ /^\Q$line\E$/m }), $what) or diag slurp($log);
}

# Refused requests do not reach it.
my $r = ask('/page');
is($r->{status}, 401, 'a request without a token is refused');
is($r->{headers}{'www-authenticate'}, 'Bearer realm="app"', 'the challenge names the realm');
is(ask('/page', token => forge(claims => claims(exp => time - 60)))->{status}, 401, 'an expired token is refused');
is(ask('/page', token => 'x.y.z')->{status}, 401, 'a malformed token is refused');
is(ask('/admin/page', token => $user->{token})->{status}, 403, 'a user without the role is refused');
is(slurp($log), '', 'the application receives none of these requests');

is_answered(ask('/page', token => $user->{token}), 200, "the application\n", 'a user gets the application\'s page');
is_told("GET /page user=$id role=user token=-", 'the application receives the user\'s id and role, but no token');
my $admin = forge(claims => claims(sub => $id, username => 'eve', role => 'admin'));
is_answered(ask('/admin/page', token => $admin), 200, "its back room\n", 'an administrator gets the page for administrators');
is_told("GET /admin/page user=$id role=admin token=-", 'the application receives the administrator\'s role');
ask('/page?forged', token => $user->{token}, headers => { 'X-User' => 'somebody', 'X-Role' => 'admin' });
unlike(slurp($log), qr/user=somebody/, 'a client\'s own headers do not reach the application');
is(ask('/page', method => 'POST', body => 'x' x 100_000, token => $user->{token},
    headers => { 'Content-Type' => 'text/plain' })->{status}, 200, 'a request with a body is served');
is_told("POST /page user=$id role=user token=-", 'the application receives the user of that request, too');

$server->api(POST => '/auth/logout', token => $user->{token});
my $before = slurp($log);
is(ask('/page', token => $user->{token})->{status}, 401, 'after the logout the token is refused');
is(slurp($log), $before, 'the application does not receive that request');

allow_log(qr/AH01631|AH01629|AH01630|AH01617/);
done_testing;
