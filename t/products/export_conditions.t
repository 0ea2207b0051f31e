# SPDX-License-Identifier: Apache-2.0
# route: GET /products/export
# Exports with conditions, words and an order have the products that the list has with the same parameters, in its order.
use CatalogTest;
use Cpanel::JSON::XS ();

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my $server = server()->start;
my $token = register($server)->{token};

sub send_rows {
    my ($to, $user, @rows) = @_;
    return $to->api(POST => '/products/import', join('', map { $json->encode($_) . "\n" } @rows), token => $user,
        headers => { 'Content-Type' => 'application/x-ndjson' });
}
sub export { my ($query, $from) = @_; return ($from // $server)->api(GET => "/products/export?$query") }
sub lines { map { $json->decode($_) } split /\n/, $_[0]{body} }

# All pages of the list, by cursor.
sub listed {
    my ($query) = @_;
    my ($cursor, @all) = ('');
    while (defined $cursor) {
        my $r = $server->api(GET => "/products?$query&limit=400&cursor=$cursor");
        is($r->{status}, 200, "$query: the list is there") or die $r->{body};
        push @all, @{ $r->{json}{data} };
        $cursor = $r->{json}{pagination}{nextCursor};
    }
    return @all;
}

my @words = qw(red Blue green Kettle cup lamp tea);
answers(send_rows($server, $token, map { { name => "$words[$_ % 7] $words[$_ % 5]", price => $_ % 90, category => "kind " . $_ % 3,
    inStock => $_ % 4 ? true : false, ($_ % 5 ? (rating => $_ % 6) : ()) } } 1 .. 2600), 200, undef, 'products are imported');

for my $query ('category=kind%201', 'price[gte]=10&price[lt]=80', 'inStock=false&rating[exists]=false', 'q=re', 'q=re%20kett', 'sort=name', 'sort=-price,name',
    'sort=rating&category[in]=kind%200,kind%202', 'sort=-createdAt', 'sort=createdAt', 'category=nothing', 'q=blue&sort=category,-rating,price') {
    my @want = listed($query);
    my $r = export($query);
    is_deeply([lines($r)], \@want, "$query: the export has the same " . @want . ' products in the same order');
    is_deeply(export("$query&format=json")->{json}, \@want, "$query: as JSON too");
}
is_deeply([lines(export('category=kind%201&fields=name'))], [map { { name => $_->{name} } } listed('category=kind%201')], 'with the fields that are asked for');
is(scalar(() = export('format=csv&q=kettle')->{body} =~ /\r\n/g), 1 + scalar listed('q=kettle'), 'as CSV');

# What was exported by a condition can be imported.
my $part = export('category=kind%202&sort=price');
my $count = () = lines($part);
answers($server->api(POST => '/products/import?mode=upsert', $part->{body}, token => $token, headers => { 'Content-Type' => 'application/x-ndjson' }),
    200, { success => true, message => qr/./, summary => { rows => $count, created => 0, updated => 0, unchanged => $count } }, 'a part can be imported again');

answers(export('price[gte]=x&sort=colour&q=%ff&name=a&name=b&format=xml'), 400, undef, 'wrong conditions are a 400');
is_deeply([sort map { $_->{field} } @{ export('price[gte]=x&sort=colour&q=%ff&format=xml')->{json}{errors} }], ['format', 'price[gte]', 'q', 'sort'],
    'all faults are reported at once');
is(export('page=2&limit=1&cursor=&count=exact&facets=category&category=kind%201')->{headers}{'catalog-ignored'}, 'page, limit, cursor, count, facets',
    'what belongs to pages means nothing here');

my $none = server(mount => 'CatalogIndex none')->start;
answers(export('', $none), 200, '', 'without indexes all products can be exported');
answers(export('category=tea', $none), 400, undef, 'but not by a condition that has none');
answers(export('sort=name', $none), 400, undef, 'nor in such an order');

done_testing;
