# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# httpd accepts the lines of CatalogField that the page of imports proposes for the columns of a file, and these fields take the cells.
use utf8;
use CatalogTest;
use CatalogTest::Tools qw(setting);

my $top = setting('top');
my ($table) = slurp("$top/src/catalogue/product/own_field.c") =~ /^static const char \*const reserved\[\] = \{(.*?)NULL\};/ms;
my @reserved = $table =~ /"(\w+)"/g;
cmp_ok(scalar @reserved, '>', 20, 'the names that httpd refuses are known');

my %types = (
    Baking => ['duration', 'PT1H30M', 'P2D', 'P1W'], Model => ['string', 'P', 'PT1H'],
    From => ['time', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.5+02:00'], Until => ['string', '2026-01-01T10:00Z'],
    Shop => ['url', 'https://shop.test/a?b=c#d'], Template => ['string', 'https://shop.test/{sku}'], Quoted => ['string', 'https://shop.test/"a"'],
    Sizes => ['strings', 'S|M', 'L'], Twice => ['string', 'a|b|a'], Long => ['string', 'x' x 101 . '|b'], Many => ['string', join '|', 1 .. 33],
);
my %columns = ((map { ucfirst, ['string', 'x'] } @reserved), %types);

# The lines, by column, as the page makes them.
my $script = <<'END';
let text = '';
for await (const part of process.stdin) {
    text += part;
}
const { source, columns } = JSON.parse(text);
const { lineFor } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const taken = ['id', 'name', 'price', 'category', 'inStock', 'rating', 'createdAt'];
console.log(columns.map(([column, cells]) => lineFor(column, cells, taken)).join('\n'));
END
my $dir = scratch();
spew("$dir/lines.mjs", $script);
my @names = sort keys %columns;
my $json = Cpanel::JSON::XS->new->utf8;
utf8::decode(my $source = slurp("$top/www/assets/import/lines.js"));
spew("$dir/columns.json", $json->encode({ source => $source, columns => [map { my (undef, @cells) = @{ $columns{$_} }; [$_, \@cells] } @names] }));
my @lines = split /\n/, qx(node '$dir/lines.mjs' <'$dir/columns.json');
is(scalar @lines, @names, 'each column has a line');

my %fields;
for my $i (0 .. $#names) {
    my ($name, $type) = $lines[$i] =~ /^CatalogField (\w+) (\w+)/ or die "not a line: $lines[$i]\n";
    $fields{ $names[$i] } = $name;
    is($type, $columns{ $names[$i] }[0], "the type of $names[$i]");
}

my $server = server(mount => join "\n", @lines)->start;
my $row = sub { join(',', map { $_ eq '' ? '' : s/"/""/gr =~ s/(.*)/"$1"/sr } @_) . "\n" };
my $file = $row->('name', 'price', @fields{@names});
for my $i (1, 2) {
    $file .= $row->("Thing $i", $i, map { $columns{$_}[$i] // '' } @names);
}
my $r = $server->api(POST => '/products/import', $file, token => forge(), headers => { 'Content-Type' => 'text/csv' });
answers($r, 200, { success => true, message => qr/./, summary => { rows => 2, created => 2, updated => 0, unchanged => 0 } },
    'httpd starts with the lines, and a file with the cells is imported');

done_testing();
