# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# mpm: event
# Asks each question of docs/search.md, of its products and with its synonyms: the answers are those of the page, in their order.
use CatalogTest;
use CatalogTest::Tools qw(setting);
use utf8;

binmode $_, ':encoding(UTF-8)' for \*STDOUT, \*STDERR, Test::More->builder->output, Test::More->builder->failure_output;

my $page = Encode::decode('UTF-8', slurp(setting('top') . '/docs/search.md'));
my ($products, $synonyms) = map { $page =~ /^```$_\n(.*?)^```$/ms ? $1 : die "no block of $_\n" } qw(csv synonyms);

sub encoded { my ($text) = @_; utf8::encode($text); return $text =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/egra }
sub octets { my ($text) = @_; utf8::encode($text); return $text }

my $server = server(mount => 'CatalogSynonyms synonyms.txt');
spew($server->dir . '/synonyms.txt', octets($synonyms));
$server->start;
for my $line ((split /\n/, $products)[1 .. ($products =~ tr/\n//) - 1]) {
    my ($name, $category) = $line =~ /^"?(.*?)"?,([^,]*)\z/ or die "$line\n";
    is($server->api(POST => '/products', { name => $name, category => $category, price => 1 }, token => forge())->{status}, 201, $name);
}

sub ask {
    my ($question) = @_;
    my ($q, $more) = split /&/, $question, 2;
    my $sort = ($more // '') =~ /sort=/ ? '' : '&sort=relevance';
    my $r = $server->api(GET => '/products?limit=100&q=' . encoded($q) . $sort . (defined $more ? "&$more" : ''));
    my $found = join ', ', map { "`$_->{name}`" } @{ $r->{json}{data} // die "$question: $r->{status} $r->{body}\n" };
    return ($found || 'nothing') . ($r->{json}{corrected} ? ' (`corrected`)' : '');
}

my $asked = 0;
for my $row (grep { /^\| `/ && !/^\| `q` \|/ } split /\n/, $page) {
    my ($questions, $found) = (split / \| /, substr $row, 2)[0, 1];
    is(ask($_), $found, "q=$_"), $asked++ for $questions =~ /`([^`]+)`/g;
}
cmp_ok($asked, '>', 30, 'all rows are asked');
is($server->api(GET => '/products?q=' . join '+', 'aa' .. 'au')->{json}{errors}[0]{code}, 'too_many', 'more than 20 words are refused');
is(ask('aus'), '`Esstisch aus Eiche`', 'there are no stop words');

done_testing;
