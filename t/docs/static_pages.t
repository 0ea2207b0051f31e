# SPDX-License-Identifier: Apache-2.0
# conf/examples/static-pages: the static pages have what visitors see, escaped; what has not changed is not written again, and what is gone is removed.
use utf8;
use Cpanel::JSON::XS ();
use Encode ();
use CatalogTest;
use CatalogTest::Ctl qw(command_for run);
use CatalogTest::Image qw(picture %TYPE);
use CatalogTest::Tools qw(setting slurp spew);

my $server = server(mount => <<'END')->start;
CatalogWriteRole  editor
    CatalogBaseURL    https://shop.example.com
    CatalogPagesURL   https://shop.example.com/catalogue
    CatalogCurrency   EUR
    CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogField      slug        string  unique from=name
    CatalogField      sku         string  unique label="Article number"
    CatalogField      description text    search detail label="About it"
    CatalogField      brand       string
    CatalogField      tags        strings index
    CatalogField      homepage    url
    CatalogField      weight      number
    CatalogField      fresh       boolean
    CatalogField      seen        time
    CatalogField      specs       json
    CatalogField      published   boolean index default=true
    CatalogField      cost        number  private
    CatalogField      changed     modified
    CatalogVisible    published=true
END
my $editor = forge(claims => claims(role => 'editor'));
my $dir = scratch() . '/pages';
my $pages = 'https://shop.example.com/catalogue';
my $base = "$pages/p";

sub post { my (%product) = @_; return $server->api(POST => '/products', { price => 1, %product }, token => $editor)->{json}{data} }
sub patch { my ($product, %changes) = @_; return $server->api(PATCH => "/products/$product->{id}", \%changes, token => $editor) }
sub address { my ($server, $path) = @_; return 'http://127.0.0.1:' . $server->port . ($path // '/api') }
sub script { my (@words) = @_; return run({}, setting('top') . '/conf/examples/static-pages', @words) }
sub export { my (@words) = @_; return script(@words, address($server), $pages, $dir) }
sub says { my ($written, $unchanged, $removed) = @_; return { status => 0, out => "$written files written, $unchanged unchanged, $removed removed\n", err => '' } }
sub files { opendir my $in, $dir or die "$dir: $!\n"; return sort grep { !/^\./ } readdir $in }
sub page { my ($name) = @_; return Encode::decode_utf8(slurp("$dir/$name")) }
sub data_of { my ($html) = @_; my ($json) = $html =~ m{<script type="application/ld\+json">(.*?)</script>}s; return Cpanel::JSON::XS->new->decode($json) }

my $kettle = post(name => 'Blue Kettle', price => 19.99, category => 'Kitchen & more', rating => 4.5, sku => 'KT-1', brand => 'Acme', tags => ['red', 'a<b'],
    description => "Boils water.\n\nQuickly.", homepage => 'https://example.com/?a=1&b=2', weight => 1.25, fresh => true, seen => '2026-11-21T09:30:00Z', cost => 7, specs => { a => 1 });
my $evil = post(name => '</script><script>alert("1")</script> \'Tête\' &amp;', description => '<!-- <b>x</b> ]]>', slug => '../../etc/passwd', inStock => false);
my $hidden = post(name => 'Hidden thing', published => false);
post(name => 'Index', slug => 'index');
post(name => "Чайник", slug => "чайник");

# ---- what a page says ----

is_deeply(export(), says(8, 0, 0), 'the pages are written');
is_deeply([map { Encode::decode_utf8($_) } files()], [sort { $a cmp $b } grep { $_ } "blue-kettle.html", 'index.html', 'robots.txt', 'sitemap.xml', 'sitemap_1.xml', "$evil->{id}.html",
        (map { $_->{id} . '.html' } grep { $_->{name} eq 'Index' } @{ $server->api(GET => '/products')->{json}{data} }), "чайник.html"],
    'each visible product has one, named by its slug if that can be a name');

my $html = page('blue-kettle.html');
like($html, qr{<title>Blue Kettle</title>}, 'title');
like($html, qr{<link rel="canonical" href="$base/blue-kettle\.html">}, 'canonical address');
like($html, qr{<meta property="og:title" content="Blue Kettle">}, 'og:title');
like($html, qr{<meta property="og:url" content="$base/blue-kettle\.html">}, 'og:url');
like($html, qr{<meta name="description" content="Boils water\.\n\nQuickly\.">}, 'description');
like($html, qr{<dt>About it</dt><dd dir="auto"><p class="long-text">Boils water\.\n\nQuickly\.</p>}, 'the description, in its lines');
like($html, qr{<dt>Article number</dt><dd dir="auto">KT-1</dd>}, 'fields with their labels');
like($html, qr{<dt>tags</dt><dd dir="auto">red, a&lt;b</dd>}, 'texts of a list');
like($html, qr{<a href="https://example\.com/\?a=1&amp;b=2" rel="nofollow">}, 'an address, escaped');
like($html, qr{<dt>$_->[0]</dt><dd dir="auto">\Q$_->[1]\E</dd>}, $_->[0]) for ['weight', '1.25'], ['fresh', 'Yes'], ['seen', '2026-11-21 09:30 UTC'], ['Category', 'Kitchen &amp; more'], ['Rating, out of 5', '4.5'];
like($html, qr{<p class="price">19\.99 EUR</p>}, 'price');
patch($kettle, price => 19.5);
export();
like(page('blue-kettle.html'), qr{<p class="price">19\.50 EUR</p>}, 'a price in tenths has two decimal places');
patch($kettle, price => 19.99);
export();
like($html, qr{href="https://shop\.example\.com/catalogue/product\.html\?id=$kettle->{id}"}, 'the live page');
unlike($html, qr{cost|>7<|changed|specs|published</dt><dd dir="auto">No}, 'nothing private, nothing for machines');
is_deeply(data_of($html), {
        '@context' => 'https://schema.org', '@type' => 'Product', name => 'Blue Kettle', description => "Boils water.\n\nQuickly.", category => 'Kitchen & more', sku => 'KT-1',
        brand => { '@type' => 'Brand', name => 'Acme' },
        offers => { '@type' => 'Offer', url => "https://shop.example.com/catalogue/product.html?id=$kettle->{id}", price => '19.99', priceCurrency => 'EUR',
            availability => 'https://schema.org/InStock' },
    }, 'a Product of schema.org');

$html = page("$evil->{id}.html");
is(() = $html =~ /<script/gi, 1, 'no text becomes an element');
unlike($html, qr{<b>|<!--|alert\("}, 'nor a comment');
is(data_of($html)->{name}, $evil->{name}, 'the data has the name as it is');
is(data_of($html)->{offers}{availability}, 'https://schema.org/OutOfStock', 'sold out');
like($html, qr{<h1 dir="auto">&lt;/script&gt;}, 'the heading has it escaped');
ok(!-e "$dir/../../etc/passwd.html" && !-e "$dir/../etc", 'no slug leads out of the directory');

# ---- lists ----

my $list = page('index.html');
is(() = $list =~ /<li>/g, 4, 'the list has a link to each page');
like($list, qr{<li><a href="$base/%D1%87%D0%B0%D0%B9%D0%BD%D0%B8%D0%BA\.html" dir="auto">Чайник</a></li>}, 'encoded');
my $sitemap = page('sitemap_1.xml');
is(() = $sitemap =~ /<url>/g, 4, 'and so has the sitemap');
like($sitemap, qr{<url><loc>$base/blue-kettle\.html</loc><lastmod>20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ</lastmod></url>}, 'with the time of the change');
like(page('sitemap.xml'), qr{<sitemap><loc>$base/sitemap_1\.xml</loc></sitemap>}, 'its parts');
like(page('robots.txt'), qr{^Sitemap: $base/sitemap\.xml$}m, 'robots.txt names it');

# ---- again ----

my $old = time - 1000;
utime $old, $old, map { "$dir/$_" } files();
is_deeply(export(), says(1, 7, 0), 'what has not changed is not written again'); # the sitemap has the times
is((stat "$dir/blue-kettle.html")[9], $old, 'nor touched');
is_deeply(export(), says(0, 8, 0), 'nothing has changed');
patch($kettle, price => 21);
patch($hidden, published => true);
$server->api(DELETE => "/products/$evil->{id}", undef, token => $editor);
is_deeply(export(), says(4, 4, 1), 'a change, a product that has become visible, one that is gone');
like(page('blue-kettle.html'), qr{21 EUR}, 'the page has the new price');
ok(!-e "$dir/$evil->{id}.html", 'the page of a product that is gone is removed');
ok(-e "$dir/hidden-thing.html", 'that of another one is there');
patch($hidden, published => false);
is_deeply(export(), says(2, 5, 1), 'and removed when nobody may see it any longer');

# What an interrupted command has left is mended.
unlink "$dir/sitemap.xml";
spew("$dir/blue-kettle.html", 'cut');
spew("$dir/.catalog-page", 'half a page');
is((export())->{status}, 0, 'an interrupted command is continued');
like(page('blue-kettle.html'), qr{</html>\n\z}, 'the page is whole again');
is((export())->{out}, "0 files written, 7 unchanged, 0 removed\n", 'with all others');

# case: a directory that is called as a page is
mkdir "$dir/own.html" or die "$!\n";
is_deeply(export(), says(0, 7, 0), 'a directory that is called as a page is not in the way');
ok(-d "$dir/own.html", 'and stays');
rmdir "$dir/own.html";

# ---- options ----

is((export('--base', 'https://p.example.com/x/', '--brand', 'Tea & Co', '--language', 'de'))->{status}, 0, 'with options');
$html = page('blue-kettle.html');
like($html, qr{<html lang="de">}, '--language');
like($html, qr{<title>Blue Kettle · Tea &amp; Co</title>}, '--brand');
like($html, qr{<link rel="canonical" href="https://p\.example\.com/x/blue-kettle\.html">}, '--base, without the slash at its end');
like($html, qr{<dt>weight</dt><dd dir="auto">1,25</dd>}, 'decimal commas');
like($html, qr{Auf Lager}, 'German');

# ---- pictures ----

my $r = $server->api(POST => "/products/$kettle->{id}/images?alt=From%20%22above%22", picture('png', 700, 500), token => $editor, headers => { 'Content-Type' => $TYPE{png} });
is($r->{status}, 201, 'a picture');
my $image = $r->{json}{data};
is((export())->{status}, 0, 'with pictures');
$html = page('blue-kettle.html');
like($html, qr{<img class="tile" src="https://shop\.example\.com\Q$image->{url}\E" srcset="https://shop\.example\.com\Q$image->{sizes}[0]{url}\E 320w, }, 'the picture, in its sizes');
like($html, qr{width="700" height="500" alt="From &quot;above&quot;">}, 'as large as it is, with its text');
like($html, qr{<meta property="og:image" content="https://shop\.example\.com\Q$image->{url}\E">}, 'og:image');
is_deeply(data_of($html)->{image}, ["https://shop.example.com$image->{url}"], 'and in the data');

# ---- refusals ----

my $other = scratch();
my @addresses = (address($server), $pages);
spew("$other/mine.html", 'mine');
sub refuses { my ($r, $words, $name) = @_; isnt($r->{status}, 0, $name); is($r->{out}, '', "$name: no output"); like($r->{err}, $words, "$name: why") }
refuses(script(@addresses, $other), qr/has other files; name a directory that is empty/, 'a directory of others');
refuses(script(@addresses, "$other/mine.html"), qr{/mine\.html: Not a directory}, 'a file');
is(slurp("$other/mine.html"), 'mine', 'its files stay');
refuses(export('--base', 'shop'), qr/shop must be an address/, 'no address');
refuses(export('--language', 'fr'), qr/--language must be en or de/, 'an unknown language');
refuses(script(@addresses), qr/^Usage: /, 'no directory');
refuses(script(@addresses, "$other/no/such"), qr{no/such: }, 'no directory above it');

my $before = join ' ', files();
refuses(script(address($server, '/nowhere'), $pages, $dir), qr{/nowhere/ could not be read}, 'no API');
is(join(' ', files()), $before, 'no page is removed then');

# ---- many ----

my $rows = 1_001;
my $file = scratch() . '/rows.csv';
my $many = server()->start;
spew($file, "name,price\n", map { "Product $_,$_\n" } 1 .. $rows);
run({}, 'sh', '-c', 'exec 0<"$1"; shift; exec "$@"', 'sh', $file, command_for($many, 'import', '--products', 'csv'));
$dir = scratch() . '/many';
is_deeply(script(address($many), $pages, $dir), says($rows + 2 + 3, 0, 0), 'each product has a page');
is(() = page('index.html') =~ /<li>/g, 1000, 'the first list is full');
like(page('index.html'), qr/rel="next" href="list_2\.html"/, 'and leads to the next');
unlike(page('list_2.html'), qr/rel="next"/, 'the last list leads no further');

done_testing;
