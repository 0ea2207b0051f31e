# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# Fields of the type duration: they come back as they were sent, and are compared, ordered and bounded by their length.
use CatalogTest;

my $server = server(mount => "CatalogField baking duration index max=P1W\nCatalogField warranty duration min=P1D default=P2W")->start;
my $token = register($server)->{token};
my @sent = ('PT1H30M', 'PT90M', 'P1D', 'PT24H', 'PT10H', 'PT0S', undef);
my %number;
for my $number (0 .. $#sent) {
    my $r = $server->api(POST => '/products', { name => "cake $number", price => $number, defined $sent[$number] ? (baking => $sent[$number]) : () }, token => $token);
    answers($r, 201, undef, 'created with ' . ($sent[$number] // 'no duration'));
    is($r->{json}{data}{baking}, $sent[$number], 'which comes back as it was sent');
    $number{ $r->{json}{data}{id} } = $number;
}

sub list { $server->api(GET => "/products?$_[0]") }
sub numbers { join ' ', map { $number{ $_->{id} } } @{ $_[0]{json}{data} // [] } }

for (['baking=PT5400S', '0 1'], ['baking[ne]=PT90M', '2 3 4 5'], ['baking[lt]=PT10H', '0 1 5'], ['baking[lte]=PT600M', '0 1 4 5'], ['baking[gt]=PT10H', '2 3'], ['baking[gte]=P1D', '2 3'],
    ['baking[in]=P1D,PT0S', '2 3 5'], ['baking[in]=PT24H,P1D', '2 3'], ['baking[exists]=false', '6'], ['baking[exists]=true', '0 1 2 3 4 5'], ['baking=P999W', '']) {
    my ($query, $want) = @$_;
    is(join(' ', sort split / /, numbers(list("$query&count=exact"))), $want, $query);
}
is(numbers(list('sort=baking')), '6 5 0 1 4 2 3', 'the order is that of length');
is(numbers(list('sort=-baking')), '3 2 4 1 0 5 6', 'and its reverse');
is(list('limit=1')->{json}{data}[0]{warranty}, 'P2W', 'a default is a duration');

for (['P1Y', 'format'], ['P1M', 'format'], ['PT1.5H', 'format'], ['90', 'format'], ['', 'format'], ['P8D', 'too_large'], [90, 'type']) {
    my ($value, $code) = @$_;
    answers($server->api(POST => '/products', { name => 'x', price => 1, baking => $value }, token => $token), 400, invalid(baking => $code), "$value is refused");
}
answers($server->api(POST => '/products', { name => 'x', price => 1, warranty => 'PT23H' }, token => $token), 400, invalid(warranty => 'too_small'), 'so is less than min=');
answers(list($_->[0]), 400, invalid(@$_[1, 2]), "$_->[0] is refused")
    for ['baking=1', baking => 'format'], ['baking[in]=PT1H,P1Y', 'baking[in]' => 'format'], ['baking[prefix]=PT', 'baking[prefix]' => 'operator'], ['warranty=P1D', warranty => 'no_index'];

my $import = $server->api(POST => '/products/import', "name,price,baking\ncell,1,PT2H\n", token => $token, headers => { 'Content-Type' => 'text/csv' });
answers($import, 200, undef, 'a cell has a duration');
is($server->api(GET => '/products/export?format=csv&baking=PT120M&fields=name,baking')->{body} =~ s/\r//gr, "name,baking\ncell,PT2H\n", 'and an export has it, too');
answers($server->api(PATCH => '/products/' . list('baking=PT2H')->{json}{data}[0]{id}, { baking => 'PT3H' }, token => $token, headers => { 'Content-Type' => 'application/merge-patch+json' }), 200, undef, 'an update');
is(list('baking=PT180M')->{json}{data}[0]{name}, 'cell', 'changes the length that is found');

my $schema = $server->api(GET => '/openapi.json')->{json}{components}{schemas}{Product};
is($schema->{properties}{baking}{format}, 'duration', '/openapi.json has the format of JSON Schema');

done_testing;
