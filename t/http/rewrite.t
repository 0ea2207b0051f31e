# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# mod_rewrite can lead into mounts, out of them and from one to another, whichever module is loaded first. The settings and
# ErrorDocuments of the final path apply.
use CatalogTest;

my $conf = <<'END';
<Location "/api/products">
    CatalogWriteRole    admin
    CatalogDefaultLimit 4
</Location>
<Location "/api/auth">
    CatalogEnable Off
</Location>
<Location "/other">
    CatalogEnable   On
    CatalogKeyFile  "@key@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
<Location "/outside">
    CatalogDefaultLimit 2
</Location>
<Location "/other/closed">
    Require all denied
    ErrorDocument 403 http://else.test/
</Location>
ErrorDocument 403 http://else.test/
ErrorDocument 404 "of the site"
ErrorDocument 503 /sorry.html
ErrorDocument 502 /sorry.html
Alias /aliased "@dir@/htdocs"
ProxyTimeout 5
LogFormat "%r" line
CustomLog "@dir@/logs/lines" line
RewriteEngine On
RewriteRule ^/api/v0/(.*)$      /api/$1 [PT]
RewriteRule ^/outside/(.*)$     /other/$1 [PT]
RewriteRule ^/api/across/(.*)$  /other/$1 [PT]
RewriteRule ^/api/file$         /page.html [L]
RewriteRule ^/api/no-file$      /nothing.html [L]
RewriteRule ^/api/passed$       /page.html [PT]
RewriteRule ^/api/lost$         /nothing.html [PT]
RewriteRule ^/api/aliased$      /aliased/page.html [PT]
RewriteRule ^/api/proxied$      http://127.0.0.1:@port@/page.html [P]
RewriteRule ^/api/proxied/no$   http://127.0.0.1:@port@/nothing.html [P]
RewriteRule ^/api/proxied/down$ http://127.0.0.1:1/ [P]
RewriteRule ^/api/denied        - [F]
RewriteRule ^/api/moved         https://else.test/ [R,L,QSD]
RewriteCond %{THE_REQUEST} \?whole
RewriteRule ^/api/line$         /page.html [L]
<Location "/api/here">
    RewriteEngine On
    RewriteRule here/(.*)$ /other/$1
</Location>
END

for my $first (0, 1) {
    my $server = server(conf => $conf, first => $first);
    my $order = $first ? 'loaded first' : 'loaded last';
    $server->write($server->dir . "/htdocs/$_->[0]", $_->[1])
        for ['page.html', "a page\n"], ['sorry.html', "sorry\n"];
    $server->start;
    my $product = { name => 'x', price => 1 };
    my $get = sub { $server->api(GET => $_[0], mount => '') };
    my $post = sub { $server->api(POST => $_[0], $product, mount => '', token => forge()) };
    my $limit = sub { $get->($_[0])->{json}{pagination}{limit} };
    my $is = sub { my ($path, $status, $body, $what) = @_;
        my $r = $get->($path);
        is("$r->{status} $r->{body}", "$status $body", "$order: $what") };

    # The settings of the final path.
    answers($post->('/api/products'), 403, refusal(error => qr/./), "$order: the role of the final path is required");
    answers($post->('/api/v0/products'), 403, refusal(error => qr/./), "$order: a rewritten path requires the same role");
    is($limit->('/api/v0/products'), 4, "$order: a rewritten path has the settings of the final path");
    $is->('/api/auth/login', 404, 'of the site', 'a section that is switched off is not served');
    $is->('/api/v0/auth/login', 404, 'of the site', 'a rewrite to a section that is switched off is not served');
    is($limit->('/outside/products'), 10, "$order: the settings of the original path outside do not apply");
    answers($get->('/outside/closed'), 403, refusal(error => qr/./),
        "$order: the ErrorDocument of the final path does not apply to a JSON answer");

    # From one mount to another.
    is($limit->('/api/across/products'), 10, "$order: a rewrite to another mount has that mount's settings");
    answers($post->('/api/across/products'), 201, undef, "$order: a write rewritten to another mount needs only that mount's role",
        location => qr{^/other/products/});
    is($limit->('/api/here/products'), 10, "$order: a rule in <Location> leads to another mount");

    # Out of a mount.
    $is->('/api/file', 200, "a page\n", 'a rewrite leads to a file');
    $is->('/api/passed', 200, "a page\n", 'a rewrite with PT leads to a file');
    $is->('/api/aliased', 200, "a page\n", 'a rewrite leads to an Alias');
    $is->('/api/proxied', 200, "a page\n", 'a rewrite leads to a proxy');
    $is->('/api/no-file', 404, 'of the site', 'a rewrite to a missing file gets the site\'s 404');
    $is->('/api/lost', 404, 'of the site', 'a rewrite with PT to a missing file gets the site\'s 404');
    $is->('/api/proxied/no', 404, 'of the site', 'a 404 from the proxy gets the site\'s 404');
    $is->('/api/proxied/down', 503, "sorry\n", 'a proxy that is down gets the site\'s 503');
    $is->('/api/line?whole', 200, "a page\n", 'a rule can match the whole request line');

    # Rewrites that stay in the mount are answered in JSON.
    answers($get->('/api/denied'), 403, refusal(error => qr/./), "$order: a request that a rule forbids gets a JSON 403");
    answers($get->('/api/line?other'), 404, refusal(), "$order: a request that no rule matches gets a JSON 404");
    is($get->('/api/moved?token=secret')->{status}, 302, "$order: a rule redirects");
    ok(wait_until(5, sub { slurp($server->dir . '/logs/lines') =~ /moved/ }), "$order: the redirected request is logged");
    unlike(slurp($server->dir . '/logs/lines'), qr/secret/, "$order: the log does not have its query");
}

# A mount takes precedence over a ProxyPass around it.
my $server = server(conf => <<'END')->start;
ProxyPass "/api/" "http://127.0.0.1:1/" mapping=encoded
ProxyPass "/"     "http://127.0.0.1:2/"
END
answers($server->api(GET => '/products'), 200, undef, 'a mount takes precedence over ProxyPass');

# A rule for the whole site takes the API too, and the log says so, once in each child and with the line that helps.
for my $flag (qw(L PT)) {
    my $site = server(conf => CatalogTest::Server::one_child() . <<"END")->start_unready;
RewriteEngine On
IncludeOptional "\@dir\@/before.conf*"
RewriteRule ^/(.*)\$ /index.html [$flag]
END
    $site->write($site->dir . '/htdocs/index.html', "the site\n");
    is($site->api(GET => '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b')->{body}, "the site\n", "[$flag]: the site has the API's paths") for 1 .. 3;
    my @lines = $site->log_text =~ /CAT074: (.*)/g;
    is(scalar @lines, 1, "[$flag]: the log says so once");
    like($lines[0] // '', qr{^requests such as GET /api/products/:id do not reach the mount: .*; add before its rules: RewriteRule \^/api\(/\|\$\) - \[END\]},
        "[$flag]: it has the line to add");
    my ($line) = ($lines[0] // '') =~ /(RewriteRule \S+ - \[END\])/;
    $site->stop;
    $site->write($site->dir . '/before.conf', "$line\n");
    $site->start;
    answers($site->api(GET => '/products'), 200, undef, "[$flag]: with that line the API is back");
    is($site->api(GET => '/else', mount => '')->{body}, "the site\n", "[$flag]: and the site has the rest");
}
my $fallback = server(conf => qq(FallbackResource /index.html\n))->start;
answers($fallback->api(GET => '/products'), 200, undef, 'a FallbackResource leaves the API alone');

expect_log(qr/CAT074: /, qr/AH00957|AH01114/, qr/AH01630: client denied by server configuration: catalog:/);
allow_log(qr/AH00959/);
done_testing;
