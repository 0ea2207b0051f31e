# SPDX-License-Identifier: Apache-2.0
# The site's Redirect lines and a SetHandler in the mount take precedence over the mount. An Alias and a SetHandler of an enclosing
# section do not. An ErrorDocument in a mount keeps the original status.
use CatalogTest;

my $key = key_path;
sub mount {
    my ($path, $lines) = @_;
    return <<"END";
<Location "$path">
    CatalogEnable   On
    CatalogKeyFile  "$key"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    $lines
</Location>
END
}
my $server = server(conf => join '', mount('/shop', ''), <<'END', mount('/shop/own', 'SetHandler server-status'));
Alias         /api/alias  "@dir@/htdocs"
ScriptAlias   /api/script "@dir@/htdocs/"
Redirect      301 /api/v0       https://old.test/api
Redirect      /api/secret       https://old.test/secret
RedirectMatch ^/api/old/(\d+)$  https://old.test/$1
Redirect      gone /api/retired
Redirect      451 /api/withheld
<Location "/api/moved">
    Redirect 308 https://new.test/
</Location>
<Location "/">
    SetHandler server-status
</Location>
<Location "/api/status">
    SetHandler server-status
</Location>
<Location "/shop/off">
    CatalogEnable Off
</Location>
<Location "/plain">
    SetHandler none
    ErrorDocument 403 /api/auth/me
    ErrorDocument 404 /api/products?limit=1
</Location>
<Location "/plain/denied">
    Require all denied
</Location>
<Location "/plain/nowhere">
    ErrorDocument 404 /api/nothing
</Location>
END
$server->start;
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => forge()), 201, undef,
    'a SetHandler around a mount does not take its requests');
my $list = $server->api(GET => '/products');
answers($list, 200, sub { @{ $_[0]{data} } == 1 }, 'a SetHandler around a mount does not take its list');
answers($server->api(GET => '/products', mount => '/shop'), 200, undef, 'a SetHandler after a mount does not take its requests');
sub outside { $server->api(GET => $_[0], mount => '', @_[1 .. $#_]) }
like(outside($_)->{body}, qr/Apache Server Status/, "$_: SetHandler applies") for '/elsewhere', '/api/status', '/shop/own', '/shop/off';

# Redirect
my @moved = (
    ['/v0/products', 301, 'https://old.test/api/products'],
    ['/v0/products?page=2', 301, 'https://old.test/api/products?page=2'],
    ['/secret?token=hidden', 302, 'https://old.test/secret?token=hidden'], ['/old/17', 302, 'https://old.test/17'],
    ['/moved', 308, 'https://new.test/'],
);
for (@moved) {
    my ($path, $status, $location) = @$_;
    my $r = $server->api(GET => $path);
    is("$r->{status} $r->{headers}{location}", "$status $location", "Redirect: $path");
}
is($server->api(POST => '/v0/products', '{}')->{status}, 301, 'Redirect applies to any method');
answers($server->api(GET => '/retired/x'), 410, { success => false, message => 'Gone' }, 'Redirect gone gets a JSON 410');
answers($server->api(GET => '/withheld'), 451, { success => false, message => 'Unavailable For Legal Reasons' },
    'Redirect 451 gets a JSON 451');
unlike($server->access_text, qr/hidden/, 'the query of a redirected request is in no log');

# Alias
answers($server->api(GET => "/$_/index.html"), 404, refusal(), "below a mount, $_ does not apply") for 'alias', 'script';

# ErrorDocument
my $r = outside('/plain/x');
is("$r->{status} $r->{json}{data}[0]{name}", '404 x', 'the list as an ErrorDocument is the body of a 404');
is($r->{headers}{etag}, undef, 'an ErrorDocument has no ETag');
is(outside('/plain/x', headers => { 'If-None-Match' => $_ })->{status}, 404, "an ErrorDocument ignores If-None-Match: $_")
    for '*', $list->{headers}{etag};
answers(outside('/plain/denied'), 403, refusal(message => 'Forbidden', error => qr/configuration/),
    'an ErrorDocument that fails keeps the original status', 'www-authenticate' => undef);
answers(outside('/plain/nowhere'), 404, refusal(), 'an ErrorDocument that does not exist keeps the original status');

# Another handler for a route of the mount is logged, once in each child for each mount, with the line that prevents it.
sub site { return server(conf => CatalogTest::Server::one_child() . $_[0])->start_unready }
my %taken = (
    '<LocationMatch>'         => ["<LocationMatch \"\@this\@\">\nSetHandler server-status\n</LocationMatch>\n", 'server-status'],
    '<LocationMatch>, a proxy' => ["<LocationMatch \"\@this\@\">\nSetHandler \"proxy:http://127.0.0.1:1/\"\n</LocationMatch>\n", 'proxy:http://127.0.0.1:1/'],
    '<Location>, a rule'      => ["<LocationMatch \"\@this\@\">\nRewriteEngine On\nRewriteRule . http://127.0.0.1:1/ [P]\n</LocationMatch>\n", 'proxy-server'],
);
for (sort keys %taken) {
    my ($lines, $handler) = @{ $taken{$_} };
    my $site = site($lines =~ s/\@this\@/^\//r);
    $site->api(GET => '/products') for 1 .. 3;
    isnt($site->api(GET => '/nothing')->{status}, 404, "$_: the section takes the requests");
    my @lines = $site->log_text =~ /CAT074: (.*)/g;
    is(scalar @lines, 1, "$_: the log says so once");
    like($lines[0] // '', qr{^requests such as GET /api/products do not reach the mount: a section around them .* for the handler \Q$handler\E; },
        "$_: it names the handler");
    my ($pattern) = ($lines[0] // '') =~ /<LocationMatch "(.*?)">/;
    $site = site($lines =~ s/\@this\@/$pattern/r);
    answers($site->api(GET => '/products'), 200, undef, "$_: with the line that it has the API is back");
    isnt($site->api(GET => '/else', mount => '')->{status}, 404, "$_: and the section has the rest");
}
my $condition = site("<If \"true\">\nSetHandler server-status\n</If>\n");
$condition->api(GET => '/products');
like($condition->log_text, qr/CAT074: .* for the handler server-status; /, '<If>: the log says so');

# These leave the mount alone, whatever they are for.
my $modules = CatalogTest::Tools::setting('modules');
my $around = site(qq(LoadModule actions_module "$modules/mod_actions.so"\n) . <<'END');
SetHandler    "proxy:http://127.0.0.1:1"
ProxyPassMatch "^/.*" "http://127.0.0.1:1"
Action        application/json /page.html
Action        catalog /page.html virtual
Script        POST /page.html
<FilesMatch ".">
    SetHandler "proxy:http://127.0.0.1:1"
</FilesMatch>
<Directory "/">
    SetHandler "proxy:http://127.0.0.1:1"
</Directory>
END
answers($around->api(GET => '/products'), 200, undef, 'SetHandler, ProxyPassMatch, Action, Script, FilesMatch and Directory leave the API alone');
answers($around->api(POST => '/auth/login', { login => 'x', password => 'wrong horse' }), 401, undef, 'writes, too');
unlike($around->log_text, qr/CAT074/, 'and nothing is logged');

expect_log(qr/CAT074: /, qr/AH00957|AH01114/);
allow_log(qr/AH00959|AH00898/);
allow_log(qr/AH01630: client denied/);
done_testing;
