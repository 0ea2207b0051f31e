# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /changes/batches/:batch/undo
# again: db
# A line of CatalogField with default=, which is added to a shop that has products: these get the default.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for listed problems);

my @before = ('sku string unique', 'plain string');
my $server = server(mount => join '', map { "CatalogField $_\n" } @before)->start;
my $token = register($server)->{token};
sub call { my ($method, $path, $body) = @_; return $server->api($method => $path, $body, token => $token) }
sub made { my (%body) = @_; return call(POST => '/products', { name => 'cup', price => 1, %body })->{json}{data}{id} }
sub fields { my ($id) = @_; my $data = $server->api(GET => "/products/$id")->{json}{data} // {}; return join ' ', map { ref $data->{$_} eq 'ARRAY' ? "@{ $data->{$_} }" : $data->{$_} // '-' } @_[1 .. $#_] }
sub total { my ($query, @token) = @_; return $server->api(GET => "/products?limit=1&$query", @token)->{json}{pagination}{total} // '-' }
sub visible { return join '', map { "$_->{state} $_->{detail}" } grep { $_->{what} eq 'visible' } listed(ctl_for($server, 'check')) }

# The server's lines from now on.
sub restart_with {
    my (@lines) = @_;
    my $file = $server->dir . '/httpd.conf';
    my $first = 1;
    $server->stop;
    spew($file, slurp($file) =~ s/^\s*Catalog(?:Field|Visible) .*\n//gmr =~ s/(CatalogEnable .*\n)/$1 . ($first-- > 0 ? join '', map { "$_\n" } @lines : '')/ger);
    $server->start_unready;
    $server->wait_up;
    return;
}

my @ids = map { made(sku => "S$_") } 1 .. 450;
my $bare = made();
call(PATCH => "/products/$ids[2]", { sku => 'T3' });
my $changed = call(GET => '/changes/batches?limit=1')->{json}{data}[0]{batch};
my @lines = ((map { "CatalogField $_" } @before), 'CatalogField published boolean index default=true', 'CatalogField color choice values="red|dark \"blue\"" default="dark \"blue\"" facet',
    'CatalogField note text max=9000 search default="' . 'words ' x 50 . 'quokka"', 'CatalogField tags strings default="a|b" index', 'CatalogField seen time default=2026-11-21T16:17:07Z',
    'CatalogField size json default={}');

# case: the default, with CatalogVisible on it in one reload
restart_with(@lines, 'CatalogVisible published=true');
my $cleared = call(PATCH => "/products/$ids[0]", { published => undef });
is($cleared->{status}, 503, 'as long as products are given the default nobody can clear the field') or diag $cleared->{body};
is(call(PATCH => "/products/$ids[1]", { published => Cpanel::JSON::XS::false })->{status}, 200, 'but it can be set');
ok(wait_until(90, sub { total('published=true', token => $token) eq '450' }), 'products that were there have the default');
is(fields($ids[0], qw(published color tags seen sku)), '1 dark "blue" a b 2026-11-21T16:17:07.000Z S1', 'in answers');
is_deeply($server->api(GET => "/products/$ids[0]")->{json}{data}{size}, {}, 'of each type');
answers(call(POST => "/changes/batches/$changed/undo"), 200, undef, 'a change of before is undone');
is(fields($ids[2], qw(sku published)), 'S3 1', 'which leaves the default');
is(fields($bare, qw(published sku)), '1 -', 'also one without any field before');
ok(wait_until(60, sub { join(' ', total(''), total('color=dark%20%22blue%22'), total('q=quokka'), total('tags=b')) eq '450 450 450 450' }), 'in lists of readers, in conditions and search');
is_deeply($server->api(GET => '/products?facets=color')->{json}{facets}{color}, [{ value => 'dark "blue"', count => 450 }], 'and in facets');
is(fields(made(published => undef), 'published'), '1', 'a new product gets it as before');
is(visible(), 'ok 451 of 452 products meet CatalogVisible published=true', 'catalogctl check says how many products readers see');
is(problems(ctl_for($server, 'check')), '', 'all keys are right');

# case: a field that is cleared stays so
is(call(PATCH => "/products/$ids[0]", { published => undef, color => undef })->{status}, 200, 'then it can be cleared');
is($server->api(GET => "/products/$ids[0]")->{status}, 404, 'and readers do not see the product');
restart_with((map { s/published boolean index/published boolean facet/r } @lines), 'CatalogVisible published=true');
ok(wait_until(90, sub { total('published[exists]=true', token => $token) eq '451' }), 'a new option is prepared');
ok(wait_until(60, sub { problems(ctl_for($server, 'check')) eq '' }), 'all keys are right');
is_deeply([@{ call(GET => "/products/$ids[0]")->{json}{data} }{qw(published color)}], [undef, undef], 'and the field is still cleared');
like($server->log_text, qr/\A(?!.*CAT072)/s, 'nothing is wrong with the conditions');

# case: conditions that no product meets
expect_log(qr/CAT072: .*: no product meets CatalogVisible name=none, so readers see an empty shop;/);
restart_with(@lines, 'CatalogVisible name=none');
ok(wait_until(60, sub { $server->log_text =~ /CAT072:/ }), 'the log says that readers see nothing');
is(visible(), 'problem 0 of 452 products meet CatalogVisible name=none', 'so does catalogctl check');

done_testing;
