# SPDX-License-Identifier: Apache-2.0
# runs: first
# The files of other shops in conf/examples/shops: with the commands of its README, each import takes every cell, and what it stored can be
# exported and imported again without a change.
use utf8;
use CatalogTest;
use Cpanel::JSON::XS ();

use CatalogTest::Ctl qw(ctl_for run);
use CatalogTest::Document ();
use CatalogTest::Tools qw(setting);

my $shops = setting('top') . '/conf/examples/shops';
my @blocks = CatalogTest::Document::blocks("$shops/README.md");
sub block { my ($words) = @_; my ($block) = grep { /$words/ } @blocks; return $block // die "README.md has no $words\n" }

my $json = Cpanel::JSON::XS->new->utf8->canonical;
sub products { my ($server) = @_; return map { $json->decode($_) } split /\n/, ctl_for($server, qw(export --products ndjson))->{out} }

# Types a block in, with catalogctl for the server.
sub type_in {
    my ($server, $block) = @_;
    my $words = join ' ', map { "'$_'" } CatalogTest::Ctl::command_for($server);
    return run({}, 'bash', '-ec', "cd '$shops'\ncatalogctl() { $words \"\$@\"; }\ncurl() { command curl --noproxy '*' \"\$@\"; }\n$block");
}

# The rows of a file that is CSV, with what is between the cells.
sub rows {
    my ($text, $mark) = @_;
    my @rows = [];
    while ($text =~ /\G(?:"((?:[^"]++|"")*+)"|([^$mark"\r\n]*))([$mark]|\r?\n|\z)/gc) {
        my ($quoted, $bare, $end) = ($1, $2, $3);
        push @{ $rows[-1] }, $quoted // $bare;
        last if pos $text == length $text;
        push @rows, [] if $end ne $mark;
    }
    return @rows;
}

# What is worth a look in a product of each shop: the value of a field by which it is found, then others.
my %look = (
    woocommerce => [sku => 'HARBOUR-JUMPER', price => 129.9, type => ['variable'], categories => ['Clothing > Jumpers', 'Winter'], attribute1Values => ['Blue', 'Grey']],
    shopify => [sku => 'MOKA-3-R', name => 'Moka Pot', price => 31.9, category => 'Coffee makers', tags => ['coffee', 'stove', 'aluminium'], option2Value => 'Red', giftCard => false],
    magento => [sku => 'TENT-X', inStock => false, qty => -3, categories => ['Default Category/Gear/Tents'], allowBackorders => 2],
    prestashop => [reference => 'SAV-300', price => 3.916667, active => true, features => ['Oil:Olive:1', 'Weight:300 g:2'], accessories => ['BOX-BAM', 'DISH-1'], discountTo => '2026-12-24'],
    medusa => [variantSku => 'SHIRT-S-E', name => 'Field Shirt', price => 49, variantMetadata => { bin => 'A-3', checked => [1, 2.5] }, productCreatedAt => '2026-09-14T08:05:11.204Z'],
    'german-excel' => [artikelnummer => '0001-02', name => 'Gießkanne 10 l', price => 34.9, einkaufspreis => 16.2, bestand => 1200, laenge => 1050, farbe => 'grün', schlagworte => ['Garten', 'Metall'],
        auslaufartikel => false],
);

for my $shop (qw(woocommerce shopify magento prestashop medusa german-excel)) {
    my $fields = slurp("$shops/$shop/fields.conf");
    my @own = $fields =~ /^CatalogField (\w+)/mg;
    my $server = server(mount => $fields)->start;
    my $command = block("$shop/products.csv.*\\| catalogctl|catalogctl.*<$shop/products.csv");

    my ($file) = map { $_->{out} } run({}, 'bash', '-ec', "cd $shops; " . ($command =~ /^(.*)\|/ ? $1 : "cat $shop/products.csv"));
    my @pairs = split /\n/, slurp("$shops/$shop/columns.txt") =~ s/\\,/,/gr;
    my ($has_stock, %left_out) = (scalar grep({ /:inStock$/ } @pairs), map { s/:$//r => 1 } grep { /:$/ } @pairs);
    my ($head, @rows) = rows($file, $command =~ /semicolon/ ? ';' : ',');
    my $cells = grep { length } map { my $row = $_; map { $row->[$_] } grep { !$left_out{ $head->[$_] } } keys @$head } @rows;

    my $count = @rows;
    my $dry = type_in($server, $command =~ s/import/import --dry-run/r);
    is_deeply($dry, { status => 0, out => "$count rows, $count created, 0 updated, 0 unchanged, nothing stored\n", err => '' }, "$shop: the file is good");
    my $r = type_in($server, $command);
    is_deeply($r, { status => 0, out => "$count rows, $count created, 0 updated, 0 unchanged\n", err => '' }, 'its products are stored, and no column is ignored');

    my @products = products($server);
    my %set;
    $set{$_}++ for map { keys %$_ } @products;
    is(join(' ', grep { !$set{$_} } @own), '', 'each of the fields has a value in some product');
    my $members = grep { length } map { my $product = $_; map { $product->{$_} } grep { !/^(?:id|createdAt)$/ } keys %$product } @products;
    $members -= @products if !$has_stock; # the default, which a file need not have
    is($members, $cells, "each of the $cells cells is a value of a product");

    my ($key, $value, %want) = @{ $look{$shop} };
    my ($found) = grep { ($_->{$key} // '') eq $value } @products;
    is_deeply({ map { $_ => $found->{$_} } keys %want }, \%want, "$value is what the file says");
    my ($first) = grep { ($_->{sku} // '') eq 'MOKA-1-B' } @products;
    is(() = $first->{pictures} =~ m{https://}g, 2, 'a row of Shopify that has a picture only is joined to the product') if $first;

    my %exported = map { $_ => ctl_for($server, qw(export --products), $_)->{out} } qw(csv ndjson json);
    for my $format (qw(csv ndjson)) {
        is_deeply(ctl_for($server, { in => $exported{$format} }, qw(import --upsert --products), $format),
            { status => 0, out => "$count rows, 0 created, 0 updated, $count unchanged\n", err => '' }, "exported and imported again, nothing changes: $format");
    }
    my $german = ctl_for($server, qw(export --products csv --delimiter semicolon --decimal comma --bom))->{out};
    is(ctl_for($server, { in => $german }, qw(import --upsert --products csv --delimiter semicolon --decimal comma))->{out}, "$count rows, 0 created, 0 updated, $count unchanged\n",
        'nor as a spreadsheet writes it');
    my $lack = grep { !exists $_->{$key} } @products;
    is(type_in($server, $command =~ s/import/import --dry-run --upsert --key $key/r)->{out},
        "$count rows, $lack created, 0 updated, @{[$count - $lack]} unchanged, nothing stored\n", "nor would the file itself, by its $key");
    is_deeply([products($server)], \@products, 'the products are the same');

    next if $shop ne 'magento';
    local @ENV{qw(API TOKEN)} = ('http://127.0.0.1:' . $server->port . '/api', register($server)->{token});
    $server->api(DELETE => "/products/$_->{id}", undef, token => $ENV{TOKEN}) for @products;
    my $answer = type_in($server, block('--url-query'));
    is_deeply($json->decode($answer->{out})->{summary}, { rows => $count, created => $count, updated => 0, unchanged => 0 }, 'the import over HTTP does the same') or diag $answer->{err};
    my @new = products($server);
    delete @$_{qw(id createdAt)} for @new, @products;
    is_deeply(\@new, \@products, 'with the same products');
}

done_testing;
