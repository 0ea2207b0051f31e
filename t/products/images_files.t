# SPDX-License-Identifier: Apache-2.0
# runs: first
# lasts: 50
# again: pgsql
# moves: catalog_image_files_total
# The files of pictures: made once however many ask for them, and removed from every server when their picture is deleted.
use CatalogTest;
use CatalogTest::Image qw(png);
use CatalogTest::Metrics qw(location moved scrape);
use CatalogTest::Tools qw(children_of hand_over);
use Fcntl qw(:flock O_RDWR O_CREAT);
use List::Util qw(any);

my $pictures = qq(CatalogImages On\n    CatalogImageCache "\@dir\@/data"\n);
my $server = server(mount => $pictures, conf => location())->start;
my $other = server(conf => location(), mount => $pictures . 'CatalogDatabase @driver@ "' . $server->params . '"')->start; # another server, the same database
my $token = register($server)->{token};

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub new_product { return ask(POST => '/products', { name => 'Kettle', price => 1 })->{json}{data}{id} }
sub send_picture { my ($product, $width) = @_; return ask(POST => "/products/$product/images", png($width // 700, 40), headers => { 'Content-Type' => 'image/png' })->{json}{data} }
sub get { my ($picture, $from, $width) = @_; return ($from // $server)->api(GET => "/images/$picture->{id}-" . ($width // 320) . '.webp') }
sub files { my ($of, $picture) = @_; opendir my $in, $of->dir . '/data' or die "$!\n"; return join ' ', sort map { /^$picture->{id}-(\d+)/ ? $1 : () } readdir $in }
sub unfinished { opendir my $in, $server->dir . '/data/.fill' or die "$!\n"; return join ' ', grep { !/^\.+$/ } readdir $in }

# ---- one file for many requests ----

my $product = new_product();
my $picture = send_picture($product);
my @answers;
moved($server, sub { @answers = $server->burst(map { wire(GET => "/images/$picture->{id}-320.webp") } 1 .. 30) }, { catalog_image_files_total => 1 },
    'thirty requests for a picture make one file');
is(join(' ', grep { $_ ne "200 $answers[0]{body}" } map { "$_->{status} $_->{body}" } @answers), '', 'all of them get it');
is(unfinished(), '', 'none is left unfinished');

my $second = send_picture(new_product());
moved($server, sub { @answers = $server->burst(map { wire(GET => "/images/$second->{id}-$_.webp") } (1 .. 20), 320) }, { catalog_image_files_total => 1 }, 'widths that are not there make none');
is(join(' ', map { $_->{status} } @answers), join(' ', (404) x 20, 200), 'there are not found, and the others are');
is(files($server, $second), '320', 'and leave no file');

# case: a server that is killed keeps no lock
my $third = send_picture(new_product());
for my $lock (0 .. 31) {
    sysopen my $file, $server->dir . sprintf('/data/.lock-%02d', $lock), O_RDWR | O_CREAT or die "$!\n";
    flock $file, LOCK_EX or die "$!\n";
    hand_over($server->dir . sprintf '/data/.lock-%02d', $lock);
    push @answers, $file;
}
my $begun = time;
my $refused = get($third);
answers($refused, 503, refusal(error => qr/./), 'a picture whose file another thread makes for too long is refused', 'retry-after' => qr/^\d+$/);
cmp_ok(time - $begun, '>=', 9, 'after ten seconds');
is(get($picture)->{status}, 200, 'one that has its file is sent all the same');
@answers = ();
is(get($third)->{status}, 200, 'when the locks are gone, it is made');

# ---- deleted pictures ----

# Each is read on both servers; then it is deleted in its way, and neither sends it any more: the one that has deleted it at once.
sub is_gone {
    my ($name, $delete, @pictures) = @_;
    for my $one (@pictures) {
        is(join(' ', map { get($one, $_->[0], $_->[1])->{status} } [$server], [$other], [$other, 700]), '200 200 200', "$name: the picture can be read");
    }
    is($delete->()->{status}, 200, $name);
    is(join(' ', map { get($_, $server)->{status} } @pictures), join(' ', map { 404 } @pictures), "$name: the server that has done it sends it no more");
    ok(wait_until(40, sub { !grep { get($_, $server)->{status} != 404 || get($_, $other)->{status} != 404 || get($_, $other, 700)->{status} != 404 } @pictures }),
        "$name: it cannot be read on either server any more");
    is(join('', map { files($server, $_) . files($other, $_) } @pictures), '', "$name: no file of it is left");
}
is_gone('DELETE of a picture', sub { ask(DELETE => "/products/$product/images/$picture->{id}") }, $picture);
my @two = map { send_picture($product) } 1, 2;
is_gone('PATCH that drops one', sub { ask(PATCH => "/products/$product", { images => [{ id => $two[1]{id} }] }) }, $two[0]);
is(get($two[1], $other)->{status}, 200, 'the other one is there');
my @products = map { new_product() } 1 .. 3;
is_gone('DELETE of a product', sub { ask(DELETE => "/products/$products[0]") }, send_picture($products[0]));
is_gone('a batch', sub { ask(POST => '/products/batch', { operations => [{ op => 'delete', id => $products[1] }] }) }, send_picture($products[1]));
is_gone('a change of all that match', sub { ask(POST => '/products/batch', { where => 'price=7', delete => \1 }) },
    map { my $id = ask(POST => '/products', { name => 'Cup', price => 7 })->{json}{data}{id}; send_picture($id) } 1 .. 3);

# case: a server that was away while a picture was deleted
my $late = send_picture($products[2]);
is(get($late, $other)->{status}, 200, 'a picture is read');
$other->stop;
is(ask(DELETE => "/products/$products[2]/images/$late->{id}")->{status}, 200, 'and deleted while the other server is away');
$server->database->do("UPDATE images SET dropped_at = 1 WHERE id = '$late->{id}'"); # a long time ago
ok(wait_until(30, sub { !$server->database->selectrow_array("SELECT COUNT(*) FROM images WHERE id = '$late->{id}'") }), 'so long that the database has lost it');
is($server->database->selectrow_array("SELECT COUNT(*) FROM image_parts WHERE part LIKE '$late->{id}%'"), 0, 'with its octets');
is(files($other, $late), '320', 'its file is still there');
my @strays = map { sprintf '%s/data/01a2060f-5c1e-7b3c-8a69-%012x-320.webp', $other->dir, $_ } 1 .. 3000;
spew($_, 'x') for @strays;
$other->start;
ok(wait_until(60, sub { files($other, $late) eq '' && !any { -e } @strays }), 'the server finds it when it is back, and whatever else the database has not');
my $asked = scrape($other);
my $statements = 0;
$statements += $asked->{$_} for grep { /^catalog_database_statements_total/ } keys %$asked;
cmp_ok($statements, '<', scalar @strays, 'without a statement for each file');
is(get($two[1], $other)->{status}, 200, 'what the database has is left');

# ---- a child that is killed ----

# Whatever it has written of pictures by then, none is half there, and nothing is left of it.
allow_kills();
my $db = $server->database;
for my $delay ($ENV{AGAIN} ? (0.1, 0.3) : (0.02, 0.1, 0.3, 0.6)) {
    my $socket = $server->connection;
    my $data = png(1500, 900);
    my $id = new_product();
    print {$socket} wire(POST => "/products/$id/images", $data, token => $token, headers => { 'Content-Type' => 'image/png' });
    select undef, undef, undef, $delay;
    kill KILL => children_of($server->{pid});
    CatalogTest::Http::read_all($socket);
    wait_until(30, sub { $server->api(GET => '/health/ready')->{status} == 200 });
    my $stored = $server->api(GET => "/products/$id")->{json}{data}{images} // [];
    my $named = join ' ', map { $_->{id} } @$stored;
    is($named, join(' ', @{ $db->selectcol_arrayref("SELECT id FROM images WHERE product_id = '$id'") }), "killed after $delay s: the product names the picture that there is, or none");
    is(join(' ', map { get($stored->[0], $server, $_->{width})->{status} } map { @{ $_->{sizes} } } @$stored), join(' ', map { 200 } map { @{ $_->{sizes} } } @$stored), 'all its sizes can be read');
}
my $parts = $db->selectcol_arrayref('SELECT part FROM image_parts');
my %known = map { $_ => 1 } @{ $db->selectcol_arrayref('SELECT id FROM images') };
is(join(' ', grep { !$known{ substr $_, 0, 36 } } @$parts), '', 'no part of a picture is left');
ok(wait_until(60, sub { unfinished() eq '' }), 'nor of a file');

done_testing;
