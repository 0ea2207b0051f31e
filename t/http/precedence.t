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

allow_log(qr/AH01630: client denied/);
done_testing;
