# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/suggest
# mpm: event
# Thousands of products and words that readers may not see keep no word from them that they may: it takes part, and is suggested. The MPM does not matter.
use CatalogTest;
use Cpanel::JSON::XS ();

my $server = server(mount => <<'END')->start;
CatalogWriteRole editor
CatalogField published boolean index default=true
CatalogVisible published=true
END
my %editor = (token => forge(claims => claims(role => 'editor')));

sub import_all {
    my (@products) = @_;
    my $body = join '', map { Cpanel::JSON::XS::encode_json({ price => 1, %$_ }) . "\n" } @products;
    my $r = $server->api(POST => '/products/import', $body, headers => { 'Content-Type' => 'application/x-ndjson' }, %editor);
    is($r->{status}, 200, scalar(@products) . ' products') or diag $r->{body};
}
sub hidden { return map { { name => $_, published => \0 } } @_ }
sub names { my ($r) = @_; return join ', ', map { $_->{name} } @{ $r->{json}{data} } }
sub finds {
    my ($query, $names, $corrected, $total) = @_;
    my $r = $server->api(GET => "/products?q=$query");
    my $of = $r->{json}{corrected} // {};
    is(join(' | ', names($r), join('; ', map { "$_: @{ $of->{$_} }" } sort keys %$of), $r->{json}{pagination}{total}), "$names | $corrected | $total", "q=$query");
}
sub suggests { my ($q) = @_; return $server->api(GET => "/products/suggest?q=$q")->{json}{data} }

# The newest products of the words that are seen are hidden. The others are of 40 words that have 30 products each, and of some 1,200 that have one.
import_all(map { { name => $_ } } 'Zirconwine', 'Yearlywine');
import_all(hidden(('Zirconwine') x 199, ('Yearlywine') x 200));
my @words = map { "${_}wine" } 'ba' .. 'cn';
import_all(hidden((@words) x 30));
import_all(hidden(map { ("${_}wine", "zirc$_") } 'daa' .. 'etd'));

finds('wine', 'Yearlywine, Zirconwine', 'wine: yearlywine zirconwine', 2);
finds('wine&sort=relevance', 'Yearlywine, Zirconwine', 'wine: yearlywine zirconwine', 2);
finds('zirconwien', 'Zirconwine', 'zirconwien: zirconwine', 1);
finds('earlywine', 'Yearlywine', 'earlywine: yearlywine', 1);
finds('yearlywine', 'Yearlywine', '', 1);
is_deeply(suggests($_)->{words}, ['zirconwine'], "$_: what is seen is suggested") for qw(zir zirc zirco);
is_deeply([map { $_->{name} } @{ suggests('zirc')->{products} }], ['Zirconwine'], 'and its product');
is_deeply(suggests('yearl')->{words}, ['yearlywine'], 'however many are newer');
is(join(' ', sort @{ suggests('z')->{words} }), 'zirconwine', 'of one letter, too');

done_testing;
