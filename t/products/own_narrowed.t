# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# Values that a line of CatalogField does not allow any more: products that have them are still found and named by them, and an export with them can
# be restored. Only what is written must be as the line says.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for command_for problems run);
use CatalogTest::Move qw(rows_of);

my %wide = (sku => 'string unique', number => 'integer unique', link => 'url unique', color => 'choice values="red|green|blue|black" facet unique', size => 'choice values="S|M|L" index',
    brand => 'string index facet', tags => 'strings index');
my %narrow = (%wide, sku => 'string unique max=3 min=2 pattern="[A-Z]+"', number => 'integer unique max=5', link => 'url unique max=10', color => 'choice values="red|green" facet unique',
    size => 'choice values="M|L" index', brand => 'string index facet required max=3');
my $long = 'x' x 400;
my %product = (name => 'old', price => 1, sku => "KT-1$long", number => 9, link => 'http://shop.example.com', color => 'blue', size => 'S', brand => 'Acme', tags => ['a']);
my $writer = forge();

sub lines { my (%lines) = @_; return join '', map { "CatalogField $_ $lines{$_}\n" } sort keys %lines }
sub call { my ($server, $method, $path, @more) = @_; return $server->api($method => $path, @more, token => $writer) }
sub names { my ($r) = @_; return join ' ', map { $_->{name} } @{ $r->{json}{data} // [{ name => $r->{status} }] } }

sub restart_with {
    my ($server, %lines) = @_;
    my $file = $server->dir . '/httpd.conf';
    my $text = slurp($file);
    my $at = 0;
    $text =~ s/^\s*CatalogField .*\n/$at++ ? '' : lines(%lines)/gme;
    $server->stop;
    spew($file, $text);
    $server->start;
    return;
}

my $server = server(mount => lines(%wide, sku => 'string unique max=500'))->start;
is(call($server, POST => '/products', \%product)->{status}, 201, 'a product');
is(call($server, POST => '/products', { name => 'new', price => 2, color => 'red', brand => 'B' })->{status}, 201, 'and another one');
restart_with($server, %narrow);

sub finds_old {
    my ($server, $what) = @_;
    is(call($server, GET => "/products/$_")->{json}{data}{name}, 'old', "$what: $_ names the product") for "sku=KT-1$long", 'number=9', 'color=blue';
    for my $question (
        "sku=KT-1$long", "sku[in]=x,KT-1$long", 'sku[prefix]=kt-1', 'number=9', 'number[gte]=9', 'link=http://shop.example.com', 'color=blue', 'color[in]=purple,blue', 'color[exists]=true&color[ne]=red',
        'size=S', 'size[ne]=M', 'size[exists]=true', 'brand=Acme', 'brand[lt]=b', 'tags[all]=a,a', 'color=blue&sort=-size&facets=color'
    ) {
        is(names(call($server, GET => "/products?$question")), 'old', "$what: $question finds it");
    }
    is(names(call($server, GET => '/products?color=purple')), '', "$what: a value that no product has finds none");
    is(names(call($server, GET => '/products?color=black')), '', "$what: nor does one that was removed, too");
    is(names(call($server, GET => '/products?sort=-color')), 'old new', "$what: it is in the order behind others");
    return;
}
finds_old($server, 'narrowed');

# What is written must be as the line says.
answers(call($server, PUT => "/products/number=$_->[0]", { name => 'x', price => 1, brand => 'B' }), 400, invalid(number => $_->[1]), "$_->[0] is not given to a new product") for ['7', 'too_large'];
answers(call($server, PUT => '/products/color=black', { name => 'x', price => 1, brand => 'B' }), 400, invalid(color => 'format'), 'nor is a value that the line lacks');
answers(call($server, PUT => '/products/number=9', { color => 'black' }), 400, invalid(color => 'format'), 'nor does an old one get it');
is(call($server, PUT => '/products/number=9', { price => 3 })->{status}, 200, 'an update of another field leaves the values');
my $batch = call($server, POST => '/products/batch', { operations => [{ op => 'update', id => "sku=KT-1$long", body => { price => 4 } }] });
is($batch->{json}{results}[0]{status}, 200, 'so does an operation of a batch that names the product') or diag $batch->{body};
is(call($server, POST => '/products/batch', { where => 'color=blue', set => { price => 5 } })->{json}{matched}, 1, 'and a change of all that match');
answers(call($server, POST => '/products/import?mode=upsert&key=number', "number,price\n9,1\n", headers => { 'Content-Type' => 'text/csv' }), 400, undef, 'a file of products has what is to be stored');

# Into another database, whose lines never had the values.
my $export = ctl_for($server, 'export')->{out};
my $second = server(mount => lines(%narrow));
ctl_for($second, 'migrate');
my $import = run({ in => $export }, command_for($second, 'import'));
is_deeply([@$import{qw(status err)}], [0, ''], 'an export is restored');
is(rows_of(ctl_for($second, 'export')->{out}), rows_of($export), 'with all values');
$second->start;
finds_old($second, 'restored');
is(problems(ctl_for($second, 'check')), '', 'and all is well');

# With the value in the line again.
restart_with($second, %narrow, color => 'choice values="red|green|purple|blue" facet unique');
ok(wait_until(120, sub { names(call($second, GET => '/products?color=blue')) eq 'old' && !$second->database->selectrow_array('SELECT COUNT(*) FROM catalog_fields WHERE complete = 0') }),
    'a line has the value again');
finds_old($second, 'again');
is($second->database->selectrow_array(q(SELECT COUNT(*) FROM product_keys WHERE value_key LIKE '~%' AND field = (SELECT number FROM catalog_fields WHERE name = 'color'))), 0, 'it is in its place');
is(problems(ctl_for($second, 'check')), '', 'and all is well');

done_testing;
