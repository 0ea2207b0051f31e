# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# Modules that handle files ignore paths below a mount, even if a file has that path.
use CatalogTest;

my $conf = <<'END';
CheckSpelling    On
DirectoryIndex   page.html
FallbackResource /page.html
DavLockDB        "@dir@/data/locks"
<Directory "/">
    Options MultiViews Indexes FollowSymLinks
    RewriteEngine On
    RewriteRule ^ - [F]
</Directory>
<Location "/">
    Options MultiViews Indexes FollowSymLinks
    Dav On
    CatalogEnable   On
    CatalogKeyFile  "@key@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    RewriteEngine On
    RewriteRule \.ruled$ /products
</Location>
END

for my $first (0, 1) {
    my $server = server(mount => undef, conf => $conf, first => $first, load => [qw(speling negotiation dav dav_fs)]);
    my $order = $first ? 'loaded first' : 'loaded last';
    my $data = $server->dir . '/data';
    $server->write("$data/page.html", "a file\n");
    $server->start;
    my $ask = sub { my ($method, $path, @more) = @_; $server->api($method, $path, @more, mount => '', token => forge()) };
    my $is_unknown = sub { my ($r, $what) = @_; answers($r, 404, refusal(), "$order: $what") };

    # GET
    $is_unknown->($ask->(GET => "$data/page.html"), 'the path of a file gets 404');
    $is_unknown->($ask->(GET => "$data/pag.html"), 'mod_speling looks for no file');
    $is_unknown->($ask->(GET => "$data/page"), 'mod_negotiation looks for no file');
    $is_unknown->($ask->(GET => "$data/"), 'mod_dir does not answer for a directory');
    answers($ask->(GET => '/'), 200, { success => true, data => { name => 'mod_catalog', version => qr/./, links => sub { 1 } } }, "$order: mod_dir does not answer for the root");
    answers($ask->(GET => '/x.ruled'), 200, undef, "$order: a rule in <Location> leads to another path");

    # mod_dav handles all methods but GET and POST.
    my $product = { name => 'x', price => 1 };
    my $made = $ask->(POST => '/products', $product);
    answers($made, 201, undef, "$order: POST creates a product");
    my $path = $made->{headers}{location};
    answers($ask->(PUT => $path, { price => 2 }), 200, undef, "$order: PUT updates it");
    answers($ask->(OPTIONS => $path), 204, '',
        "$order: OPTIONS has the methods of the route", allow => 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS');
    answers($ask->(HEAD => $path), 200, '', "$order: HEAD is served");
    answers($ask->(PROPFIND => $path), 405, refusal(), "$order: PROPFIND gets 405");
    answers($ask->(DELETE => $path), 200, undef, "$order: DELETE deletes the product");
    $is_unknown->($ask->(PUT => "$data/written", 'text'), 'PUT writes no file');
    $is_unknown->($ask->(MKCOL => "$data/made"), 'MKCOL creates no directory');
    $is_unknown->($ask->(DELETE => "$data/page.html"), 'DELETE deletes no file');
    ok(-f "$data/page.html" && !-e "$data/written" && !-e "$data/made", "$order: all files are as they were");
}

done_testing;
