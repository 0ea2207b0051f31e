# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# again: db
# Which field is named, of several unique ones, where a value is taken.
use CatalogTest;
use Cpanel::JSON::XS ();

my $server = server(mount => join "\n", map { "CatalogField $_" } 'sku string unique', 'num integer unique', 'note text', 'more text')->start;
my $token = register($server)->{token};
sub made { return $server->api(POST => '/products', { name => 'cup', price => 1, %{ $_[0] } }, token => $token) }

# case: the field that is refused is named, though nothing is stored of what has its value
my @pair = map { { op => 'create', body => { name => 'x', price => 1, sku => "AA$_", num => 5001 } } } 1, 2;
my $both = $server->api(POST => '/products/batch', { operations => \@pair }, token => $token)->{json}{results}[1]{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by a batch');
$both = $server->api(POST => '/products/batch', { operations => \@pair, atomic => Cpanel::JSON::XS::false }, token => $token)->{json}{results}[1]{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by one that is not atomic');
my $file = "name,price,sku,num\nx,1,AA3,5002\ny,1,AA4,5002\n";
$both = $server->api(POST => '/products/import', $file, headers => { 'Content-Type' => 'text/csv' }, token => $token)->{json}{errors};
is_deeply([map { $_->{field} } @$both], ['num'], 'by an import');

# case: a value for all that match, which one product can have
my $third = made({ sku => 'AA5', num => 5003, name => 'bulk' })->{json}{data}{id};
made({ sku => 'AA6', name => 'bulk' });
for my $dry (Cpanel::JSON::XS::true, Cpanel::JSON::XS::false) {
    my %change = (where => 'name=bulk', dryRun => $dry);
    my $all = $server->api(POST => '/products/batch', { %change, set => { num => 7 } }, token => $token);
    answers($all, 400, undef, 'is refused');
    is_deeply([map { "$_->{field} $_->{code}" } @{ $all->{json}{errors} }], ['num taken'], 'with the field');
    $all = $server->api(POST => '/products/batch', { %change, set => { num => 8 }, atomic => Cpanel::JSON::XS::false }, token => $token)->{json};
    is_deeply([@$all{qw(matched changed failed)}], [2, 1, 1], 'or made for one of them');
    $all = $server->api(POST => '/products/batch', { where => 'sku=AA6', set => { num => 5001 }, dryRun => $dry }, token => $token);
    answers($all, 400, undef, 'a value that another product has is refused');
    my $long = $server->api(POST => '/products/batch', { %change, set => { note => 'x' x 60_000, more => 'x' x 60_000 } }, token => $token);
    is_deeply([map { $_->{code} } @{ $long->{json}{errors} }], ['too_long', 'too_long'], 'so is what is too long') or diag $long->{body};
    my $num = $server->api(GET => "/products/$third")->{json}{data}{num};
    is($num == 8 ? 1 : 0, $dry ? 0 : 1, 'a dry run changes nothing');
}

done_testing;
