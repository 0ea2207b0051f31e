# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# mpm: event
# What shoppers ask of the shop of `make demo` and 5,000 other products (tests/quality): the share of the questions of each kind for which a
# wanted product is among the first ten. Each kind has a share that it must have.
use CatalogTest;
use CatalogTest::Names qw(products);
use CatalogTest::Tools qw(setting slurp);
use utf8;

binmode $_, ':encoding(UTF-8)' for \*STDOUT, \*STDERR, Test::More->builder->output, Test::More->builder->failure_output;

my %LEAST = (beginnings => 95, letters => 95, pairs => 95, joined => 95, numbers => 95, insides => 95, slips => 95, synonyms => 95); # per cent
my $quality = setting('top') . '/tests/quality';
my $shop = setting('top') . '/conf/examples/demo';
my ($lines) = slurp("$shop/shop.conf") =~ m{<Location "/api">\n(.*)</Location>}s;
my $server = server(mount => $lines =~ s/\$\{SHOP\}/$shop/r)->start;
my $token = forge(claims => claims(role => 'editor'));

sub import_file {
    my ($type, $body) = @_;
    my $r = $server->api(POST => '/products/import', $body, token => $token, headers => { 'Content-Type' => $type }, patience => 300);
    is($r->{status}, 200, "$type is imported") or diag $r->{body};
    return $r->{json}{created} // $r->{json}{data}{created};
}

sub encoded { my ($text) = @_; utf8::encode($text); return $text =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/egra }

my $json = Cpanel::JSON::XS->new->utf8->canonical;
my @products = products("$quality/products.txt", 5000);
import_file('text/csv', slurp("$shop/products.csv"));
import_file('application/x-ndjson', join '', map { $json->encode({ %$_, price => 10 }) . "\n" } @products);
is($server->api(GET => '/products?limit=1')->{json}{pagination}{total}, 200 + @products, 'all are there');

my (%asked, %found);
for my $line (grep { !/^#/ } split /\n/, Encode::decode('UTF-8', slurp("$quality/questions.txt"))) {
    my ($kind, $q, $wanted) = split /\t/, $line;
    my $r = $server->api(GET => '/products?limit=10&fields=name&q=' . encoded($q));
    my @names = map { $_->{name} } @{ $r->{json}{data} // [] };
    $asked{$kind}++;
    grep({ /$wanted/ } @names) ? $found{$kind}++ : note "$kind: $q, for $wanted: " . (join(' | ', @names) || 'nothing');
}
my ($all, $sum) = (0, 0);
for my $kind (sort keys %LEAST) {
    my $share = 100 * ($found{$kind} // 0) / $asked{$kind};
    diag sprintf '%-10s %3d of %3d', $kind, $found{$kind} // 0, $asked{$kind};
    cmp_ok($share, '>=', $LEAST{$kind}, "$kind: at least $LEAST{$kind} %");
    ($all, $sum) = ($all + $asked{$kind}, $sum + ($found{$kind} // 0));
}
diag "all        $sum of $all";
is($all, 200, 'there are 200 questions');
done_testing;
