# SPDX-License-Identifier: Apache-2.0
# runs: first
# again: db
# moves: catalog_images_total made refused busy failed
# moves: catalog_image_queue
# moves: catalog_image_duration_seconds
# moves: catalog_image_files_total
# What may go wrong with pictures: a program that breaks its limits, children that are killed, a full quota, a directory that is gone, and
# products that are deleted elsewhere.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Image qw(png picture %TYPE);
use CatalogTest::Metrics qw(location moved moved_since scrape);
use CatalogTest::Server ();
use CatalogTest::Tools qw(children_of);
use IO::Select ();
use Time::HiRes qw(sleep);

my $dir = scratch();
chmod 0777, $dir;
spew("$dir/good.webp", picture('webp', 50, 40));

# A program in the place of vipsthumbnail. It may print the picture that is there.
sub program {
    my ($code) = @_;
    spew("$dir/program", "#!/usr/bin/perl\nuse strict;\nsub good { local \@ARGV = '$dir/good.webp'; binmode STDIN; local \$/; print <>; exit 0 }\n$code\n");
    chmod 0755, "$dir/program";
}
program('good();');

my $server = server(conf => CatalogTest::Server::one_child() . "CatalogImageJobs 1\n" . location(), mount => <<"END")->start;
CatalogImages       On
    CatalogImageCache   "\@dir\@/data"
    CatalogImageProgram "$dir/program"
    CatalogImageQuota   1
</Location>
<Location "/off">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
END
my $token = register($server)->{token};
my $db = $server->database;
my $cache = $server->dir . '/data';

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub new_product { return ask(POST => '/products', { name => 'Kettle', price => 1 })->{json}{data}{id} }
sub send_picture { my ($product) = @_; return ask(POST => "/products/$product/images", png(50, 40), headers => { 'Content-Type' => 'image/png' }) }
sub wire_picture { my ($product) = @_; return wire(POST => "/products/$product/images", png(50, 40), token => $token, headers => { 'Content-Type' => 'image/png' }) }
sub get { my ($url) = @_; return $server->api(GET => $url =~ s{^/api}{}r) }
sub rows { return join ' ', map { scalar $db->selectrow_array("SELECT COUNT(*) FROM $_") } qw(images image_parts) }

my $product = new_product();
is(send_picture($product)->{status}, 201, 'the program in its place is run');

# ---- a program that does what it must not ----

program(q{
    use Socket;
    my @could = (defined(fork) ? 'fork' : (), socket(my $s, PF_INET, SOCK_STREAM, 0) ? 'socket' : (), system('true') != -1 ? 'system' : (),
        $ENV{PATH} ? 'PATH' : (), grep { -e "/proc/self/fd/$_" } 5 .. 50);
    open my $out, '>', "} . $dir . q{/could"; print {$out} "@could"; close $out;
    good();
});
is(send_picture($product)->{status}, 201, 'it runs');
is(slurp("$dir/could"), '', 'it can neither start processes nor open sockets, and has no files of the server');

my %bad = (
    'exits with 1' => 'exit 1', 'ends by a signal' => 'kill ABRT => $$; sleep 1; exit 1', 'prints nothing' => 'exit 0', 'prints no picture' => 'print "x" x 500; exit 0',
    'prints a part of one' => 'local @ARGV = "' . $dir . '/good.webp"; local $/; print substr(<>, 0, 60); exit 0', 'takes 2 GiB' => 'my $x = "x" x (2 << 30); good()',
    'prints 100 MiB' => 'print "x" x (1 << 20) for 1 .. 100; good()',
);
for my $name (sort keys %bad) {
    program("$bad{$name};");
    answers(send_picture($product), 400, refusal(message => 'Unreadable picture', error => qr/cannot be decoded/), "a program that $name");
}
chmod 0644, "$dir/program";
answers(send_picture($product), 500, refusal(error => qr/./), 'one that cannot be run is the server\'s fault');
expect_log(qr{CAT106: \Q$dir\E/program cannot be run; install it, or correct CatalogImageProgram});
is(scalar @{ ask(GET => "/products/$product")->{json}{data}{images} }, 2, 'nothing of that is stored');
moved_since($server, {}, { (map { +"catalog_images_total{result=\"$_->[0]\"}" => $_->[1] } [made => 2], [refused => 7], [failed => 1]), 'catalog_image_duration_seconds_count' => 10 },
    'pictures are counted');
is(rows(), '2 2', 'nowhere');

# ---- turns ----

program("select undef, undef, undef, 0.3; good();");
my @answers = $server->burst(map { wire_picture($_) } map { new_product() } 1 .. 3);
is(join(' ', map { $_->{status} } @answers), '201 201 201', 'pictures that come at once are all decoded');
my ($first, undef, $last) = sort { $a <=> $b } map { $_->{took} } @answers;
cmp_ok($last, '>', 0.9, 'one after the other');

# case: a user with many pictures does not keep out another one
program("select undef, undef, undef, 0.5; good();");
my $busy = CatalogTest::Metrics::scrape($server);
my @many = map { my $socket = $server->connection; print {$socket} wire_picture(new_product()); $socket } 1 .. 4;
moved_since($server, $busy, { catalog_image_queue => 3 }, 'three pictures of a user wait');
my $product_of_other = new_product();
is($server->api(POST => "/products/$product_of_other/images", png(50, 40), token => register($server)->{token}, headers => { 'Content-Type' => 'image/png' })->{status}, 201,
    'another user adds one');
cmp_ok(scalar(grep { !IO::Select->new($_)->can_read(0) } @many), '>=', 1, 'before all of them are decoded');
like(CatalogTest::Http::read_all($_), qr{^HTTP/1.1 201 }, 'which they are') for @many;

# case: a picture that waits for too long
program("sleep 22; good();");
my @sockets = map { my $socket = $server->connection; print {$socket} wire_picture(new_product()); $socket } 1 .. 2;
moved_since($server, {}, { catalog_image_queue => ['>=', 1] }, 'one waits');
my @texts = sort map { CatalogTest::Http::read_all($_) =~ m{^HTTP/1.1 (\d+)} } @sockets;
is("@texts", '201 503', 'one of two that take 22 seconds each is refused');
expect_log(qr/CAT104: too many pictures to decode at once; see CatalogImageJobs/);
moved_since($server, {}, { 'catalog_images_total{result="busy"}' => 1 }, 'and counted');

# ---- children that end ----

program("open my \$o, '>', '$dir/pid'; print {\$o} \$\$; close \$o; sleep 2; good();");
unlink "$dir/pid";
my $slow = new_product();
my $before = rows();
my $socket = $server->connection;
print {$socket} wire_picture($slow);
wait_until(20, sub { -s "$dir/pid" }) or fail('the program has not started');
$server->graceful;
like(CatalogTest::Http::read_all($socket), qr{^HTTP/1.1 201 }, 'a graceful restart lets it end');

unlink "$dir/pid";
wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 });
program("open my \$o, '>', '$dir/pid'; print {\$o} \$\$; close \$o; sleep 60; good();");
$before = rows();
$socket = $server->connection;
print {$socket} wire_picture($slow);
wait_until(20, sub { -s "$dir/pid" }) or fail('the program has not started');
my $pid = slurp("$dir/pid");
allow_kills();
allow_log(qr/AH03490/); # the only place of a child is taken until the old one ends
kill KILL => children_of($server->{pid});
is(CatalogTest::Http::read_all($socket), '', 'a child is killed');
ok(wait_until(10, sub { !-e "/proc/$pid" || slurp("/proc/$pid/stat") =~ /\) Z/ }), 'the program ends with it');
wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 });
is(rows(), $before, 'nothing is stored');
is(scalar @{ ask(GET => "/products/$slow")->{json}{data}{images} }, 1, 'nor named');
program('good();');

# ---- the directory ----

my $url = ask(GET => "/products/$product")->{json}{data}{images}[0]{url};
my $whole;
moved($server, sub { $whole = get($url); get($url) }, { catalog_image_files_total => 1 }, 'a file is made once');
is($whole->{status}, 200, 'a picture is sent');
rename $cache, "$cache.away" or die "$cache: $!\n";
my $direct = get($url);
is("$direct->{status} $direct->{headers}{'content-type'}", '200 image/webp', 'without its directory, too');
is($direct->{body}, $whole->{body}, 'with the same octets');
is($direct->{headers}{'cache-control'}, $whole->{headers}{'cache-control'}, 'and headers');
expect_log(qr{CAT108: a picture cannot be written to CatalogImageCache \S+/data});
rename "$cache.away", $cache or die "$cache: $!\n";
spew("$cache/.fill-abcdef", 'x');

# ---- products that are deleted without their pictures ----

my $gone = new_product();
my $gone_url = send_picture($gone)->{json}{data}{url};
is(CatalogTest::Http::request($server->port, DELETE => "/off/products/$gone", undef, token => $token)->{status}, 200, 'a product is deleted where there are no pictures');
my ($gone_id) = $gone_url =~ /([0-9a-f-]{36})/;
ok(wait_until(90, sub { !$db->selectrow_array("SELECT COUNT(*) FROM images WHERE id = '$gone_id'") }), 'within a minute its pictures are deleted, too');
is(scalar $db->selectrow_array("SELECT COUNT(*) FROM image_parts WHERE part LIKE '$gone_id%'"), 0, 'with their octets');
ok(wait_until(60, sub { !-e "$cache/.fill-abcdef" }), 'and what a killed server has left of a file');

# ---- another database ----

my $other = server(mount => "CatalogImages On\n    CatalogImageCache \"\@dir\@/data\"");
is(ctl_for($other, 'migrate')->{status}, 0, 'there is another database');
my $export = ctl_for($server, 'export');
is(ctl_for($other, { in => $export->{out} }, 'import')->{status}, 0, 'an export is imported there');
$other->start;
is_deeply($other->api(GET => "/products/$product")->{json}{data}, ask(GET => "/products/$product")->{json}{data}, 'the product has its pictures there');
is($other->api(GET => $url =~ s{^/api}{}r)->{body}, $whole->{body}, 'which are the same');

# ---- the quota ----

$db->do("UPDATE images SET octets = 1048576 WHERE product_id = '$product'");
answers(send_picture(new_product()), 507, refusal(message => 'No room for pictures', error => qr/./), 'when there is no more room, a picture is refused');
expect_log(qr{CAT110: a picture was refused, as those of the database take as much as CatalogImageQuota allows});
is(ask(DELETE => "/products/$product")->{status}, 200, 'a product is deleted');
is(send_picture(new_product())->{status}, 201, 'then there is room again');

done_testing;
