# SPDX-License-Identifier: Apache-2.0
# runs: first
# lasts: 110
# again: mysql
# moves: catalog_images_total made refused busy failed
# moves: catalog_image_queue
# moves: catalog_image_duration_seconds
# moves: catalog_image_files_total
# What may go wrong with pictures: a program that breaks its limits, a system that has no more processes, children that are killed, a full
# quota, a directory that is full or gone, and products that are deleted elsewhere.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Image qw(png picture running write_program used_images);
use CatalogTest::Metrics qw(location moved moved_since scrape);
use CatalogTest::Server ();
use CatalogTest::Tools qw(children_of hand_over);
use File::Temp ();
use IO::Select ();
use Time::HiRes qw(sleep);

my $dir = scratch();
chmod 0777, $dir;
sub program { write_program("$dir/program", $_[0]) }
sub is_running { return (running("$dir/program"))[0] }
program('good();');
my $cache = "$dir/cache"; # beside the database, which stays where it is
mkdir $cache or die "$cache: $!\n";
chmod 0777, $cache;

# A preloaded library that finds no processes left while there is a file of that name.
my $none_left = "$dir/none-left";
spew("$dir/fork.c", <<"END");
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>
pid_t fork(void)
{
    pid_t (*next)(void) = dlsym(RTLD_NEXT, "fork");
    return access("$none_left", F_OK) == 0 ? (errno = EAGAIN, -1) : next();
}
END
system('cc', '-shared', '-fPIC', '-o', "$dir/fork.so", "$dir/fork.c") == 0 or die "cc failed\n";
$ENV{LD_PRELOAD} = "$dir/fork.so";

my $server = server(conf => CatalogTest::Server::one_child() . "CatalogImageJobs 1\n" . location(), mount => <<"END")->start;
CatalogImages       On
    CatalogImageCache   "$cache"
    CatalogImageProgram "$dir/program"
    CatalogImageQuota   1
    CatalogHistory      Off
</Location>
<Location "/off">
    CatalogEnable   On
    CatalogHistory  Off
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
END
delete $ENV{LD_PRELOAD};
my $token = register($server)->{token};
my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub new_product { return ask(POST => '/products', { name => 'Kettle', price => 1 })->{json}{data}{id} }
sub send_picture { my ($product) = @_; return ask(POST => "/products/$product/images", png(50, 40), headers => { 'Content-Type' => 'image/png' }) }
sub wire_picture { my ($product) = @_; return wire(POST => "/products/$product/images", png(50, 40), token => $token, headers => { 'Content-Type' => 'image/png' }) }
sub get { my ($url) = @_; return $server->api(GET => $url =~ s{^/api}{}r) }
sub rows { return join ' ', map { scalar $db->selectrow_array("SELECT COUNT(*) FROM $_") } used_images() }

my $product = new_product();
is(send_picture($product)->{status}, 201, 'the program in its place is run');

# case: a program that takes a minute, but no processor time; its answer is read at the end
write_program("$dir/sleeper", 'sleep 100; good();');
my $lazy = server(mount => "CatalogImages On\n    CatalogImageCache \"\@dir\@/data\"\n    CatalogImageProgram \"$dir/sleeper\"")->start;
my $lazy_token = register($lazy)->{token};
my $unmade = $lazy->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $lazy_token)->{json}{data}{id};
my $waits = $lazy->connection;
print {$waits} wire(POST => "/products/$unmade/images", png(50, 40), token => $lazy_token, headers => { 'Content-Type' => 'image/png' });

# ---- a program that does what it must not ----

spew("$dir/open", 'everybody may read it');
chmod 0666, "$dir/open";
my %must_not = (
    'start a process' => 'defined fork', 'start a program' => 'system("true") != -1', 'open a socket' => 'socket(my $s, 2, 1, 0)',
    'signal its parent' => 'kill 0 => getppid', 'find the environment of the server' => '$ENV{PATH}',
    'have files of the server' => 'grep { -e "/proc/self/fd/$_" } 5 .. 50', 'read a file' => qq(open my \$f, '<', '$dir/open'),
    'list the files of the server' => qq(opendir my \$f, '$cache'), 'look into processes' => 'open my $f, "<", "/proc/self/environ"',
    'write a file' => qq(open my \$f, '>>', '$dir/open'), 'empty a file' => qq(open my \$f, '>', '$dir/open'), 'make one' => q(open my $f, '>', "/tmp/$$"),
    'remove one' => qq(unlink '$dir/open'), 'rename one' => qq(rename '$dir/open', '$dir/other'), 'change its mode' => qq(chmod 0600, '$dir/open'),
    'change its input' => 'syswrite STDIN, "x"', 'read the list of users' => 'open my $f, "<", "/etc/passwd"',
);
%must_not = ('read a file' => $must_not{'read a file'}) if $ENV{AGAIN}; # no database has a part in it
for my $name (sort keys %must_not) {
    program("exit 1 if $must_not{$name}; good();");
    is(send_picture($product)->{status}, 201, "a program cannot $name");
}
is(ask(PATCH => "/products/$product", { images => [map { { id => $_->{id} } } @{ ask(GET => "/products/$product")->{json}{data}{images} }[0, 1]] })->{status}, 200,
    'two pictures are enough');

my %bad = (
    'exits with 1' => 'exit 1', 'crashes' => 'my $x = unpack "p", pack "J", 1; exit 1', 'prints nothing' => 'exit 0', 'prints no picture' => 'print "x" x 500; exit 0',
    'prints a part of one' => 'print pack "H*", "' . unpack('H*', substr picture('webp', 50, 40), 0, 60) . '"; exit 0', 'takes 2 GiB' => 'my $x = "x" x (2 << 30); good()',
    'prints 100 MiB' => 'print "x" x (1 << 20) for 1 .. 100; good()',
);
%bad = ('prints no picture' => $bad{'prints no picture'}) if $ENV{AGAIN};
for my $name (sort keys %bad) {
    program("$bad{$name};");
    answers(send_picture($product), 400, refusal(message => 'Unreadable picture', error => qr/cannot be decoded/), "a program that $name");
}
chmod 0644, "$dir/program";
answers(send_picture($product), 503, refusal(error => qr/./), 'one that cannot be run is the server\'s fault');
expect_log(qr{CAT106: \Q$dir\E/program cannot be run; install it, or correct CatalogImageProgram});
is(scalar @{ ask(GET => "/products/$product")->{json}{data}{images} }, 2, 'nothing of that is stored');
moved_since($server, {}, { (map { +"catalog_images_total{result=\"$_->[0]\"}" => $_->[1] } [made => 1 + keys %must_not], [refused => scalar keys %bad], [failed => 1]), 'catalog_image_duration_seconds_count' => 2 + keys(%bad) + keys(%must_not) },
    'pictures are counted');
is(rows(), '2 2', 'nowhere');

# ---- faults of the system ----

program('sleep 60; good();');
my $socket = $server->connection;
print {$socket} wire_picture($product);
my $running;
wait_until(20, sub { $running = is_running() }) or fail('the program has not started');
kill KILL => $running;
like(CatalogTest::Http::read_all($socket), qr{^HTTP/1.1 503 .*^Retry-After: \d}ms, 'a program that something else kills is the server\'s fault');
expect_log(qr{CAT120: \Q$dir\E/program was killed while it decoded a picture; is the system out of memory\?});

program('good();');
spew($none_left, '');
answers(send_picture($product), 503, refusal(error => qr/./), 'so is a system that has no more processes');
unlink $none_left;
expect_log(qr{Resource temporarily unavailable.*CAT105: cannot start a process for a picture, or read its temporary file});
is(rows(), '2 2', 'nothing of that is stored either');

# ---- turns ----

program("sleep 0.3; good();");
my @answers = $server->burst(map { wire_picture($_) } map { new_product() } 1 .. 3);
is(join(' ', map { $_->{status} } @answers), '201 201 201', 'pictures that come at once are all decoded');
my ($first, undef, $last) = sort { $a <=> $b } map { $_->{took} } @answers;
cmp_ok($last, '>', 0.9, 'one after the other');

# case: a user with many pictures does not keep out another one
program("sleep 2; good();"); # in which all of them arrive, on a busy machine, too
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

program('sleep 2; good();');
my $slow = new_product();
my $before = rows();
$socket = $server->connection;
print {$socket} wire_picture($slow);
wait_until(20, sub { is_running() }) or fail('the program has not started');
$server->graceful;
like(CatalogTest::Http::read_all($socket), qr{^HTTP/1.1 201 }, 'a graceful restart lets it end');

wait_until(20, sub { $server->api(GET => '/health/ready')->{status} == 200 });
program('sleep 60; good();');
$before = rows();
$socket = $server->connection;
print {$socket} wire_picture($slow);
wait_until(20, sub { is_running() }) or fail('the program has not started');
allow_kills();
allow_log(qr/AH03490/); # the only place of a child is taken until the old one ends
kill KILL => children_of($server->{pid});
is(CatalogTest::Http::read_all($socket), '', 'a child is killed');
ok(wait_until(10, sub { !is_running() }), 'the program ends with it');
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
my $asked = sub { $server->api(GET => $url =~ s{^/api}{}r, undef, headers => {@_}) };
is($asked->('If-None-Match' => $direct->{headers}{etag})->{status}, 304, 'and a client that has it is told so');
my $part = $asked->(Range => 'bytes=10-19');
is("$part->{status} $part->{body}", '206 ' . substr($whole->{body}, 10, 10), 'and a part of it can be asked for');
is($part->{headers}{'content-range'}, 'bytes 10-19/' . length $whole->{body}, 'with its place');
is($asked->(Range => 'bytes=10-19', 'If-Range' => $_->[0])->{status}, $_->[1], "a part of $_->[2]") for [$direct->{headers}{etag}, 206, 'this state'], ['"x"', 200, 'another one is the whole'];
answers($asked->(Range => 'bytes=' . length($whole->{body}) . '-'), 416, refusal(message => 'Range not satisfiable', error => qr/./), 'what is beyond its end cannot');
is($direct->{headers}{'accept-ranges'}, 'bytes', 'as the answer says');
expect_log(qr{CAT108: a picture cannot be written to CatalogImageCache \S+/cache, and is sent from the database \(request});
allow_log(qr{CAT108: .* and is sent from the database, and \d+ more in the last \d+ s \(request}); # instead of a line for each request
$server->graceful;
ok(wait_until(20, sub { $server->log_text =~ /CAT082/ && get($url)->{body} eq $whole->{body} }), 'a server starts without the directory');
expect_log(qr{CAT082: the user of httpd's children cannot write to CatalogImageCache \Q$cache\E \(No such file or directory\), so each picture is read from the database; run: install -d });
is(ctl_for($server, 'image', 'list')->{err} =~ /CatalogImageCache/ ? 1 : 0, 0, 'catalogctl does without it');
rename "$cache.away", $cache or die "$cache: $!\n";
unlink glob "$cache/*.webp";
is(get($url)->{body}, $whole->{body}, 'once the directory is there, a picture is sent');
is(scalar(() = glob "$cache/*.webp"), 1, 'from its file, without a restart');
spew("$cache/.fill/abcdef", 'x');

# case: the directory for temporary files is full
SKIP: {
    my $disk = File::Temp->newdir('catalog-test.XXXXXX', TMPDIR => 1);
    skip 'no file system can be mounted here', 3 if system("mount -t tmpfs -o size=64k tmpfs $disk 2>/dev/null") != 0;
    hand_over("$disk");
    mkdir "$disk/cache" or die "$disk/cache: $!\n";
    hand_over("$disk/cache");
    my $small = server(mount => "CatalogImages On\n    CatalogImageCache \"$disk/cache\"");
    {
        local $ENV{TMPDIR} = "$disk";
        $small->start;
    }
    my $own = register($small)->{token};
    my $id = $small->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $own)->{json}{data}{id};
    my %headers = (token => $own, headers => { 'Content-Type' => 'image/png' });
    answers($small->api(POST => "/products/$id/images", png(50, 40) . 'x' x 200_000, %headers), 507, refusal(message => 'Disk full', error => qr/full/),
        'a full directory for temporary files is a 507', 'retry-after' => qr/^[1-9]\d*$/);
    my $fits = $small->api(POST => "/products/$id/images", png(50, 40), %headers);
    is($fits->{status}, 201, 'a picture for which there is room is taken');
    open my $filler, '>', "$disk/filler" or die "$disk/filler: $!\n";
    ok(wait_until(20, sub {
        unlink glob "$disk/cache/*.webp"; # the requests before may free room after their answers
        1 while syswrite $filler, 'x' x 512;
        return $small->api(GET => $fits->{json}{data}{url} =~ s{^/api}{}r)->{status} == 200 && !glob "$disk/cache/*.webp";
    }), 'and sent, although there is no room for its file');
    expect_log(qr/No space left on device.*CAT108: /);
    close $filler;
    $small->stop;
    system("umount $disk") == 0 or diag "$disk is still mounted";
    expect_log(qr/No space left on device.*CAT109: a picture cannot be received, because a temporary file cannot be written/);
}

# ---- products that are deleted without their pictures, of which no history is kept ----

my $gone = new_product();
my $gone_url = send_picture($gone)->{json}{data}{url};
is(CatalogTest::Http::request($server->port, DELETE => "/off/products/$gone", undef, token => $token)->{status}, 200, 'a product is deleted where there are no pictures');
is(get($gone_url)->{status}, 404, 'nobody gets its pictures any more');
my ($gone_id) = $gone_url =~ /([0-9a-f-]{36})/;
ok(wait_until(90, sub { !$db->selectrow_array("SELECT COUNT(*) FROM images WHERE id = '$gone_id'") }), 'a minute later they are deleted, too');
is(scalar $db->selectrow_array("SELECT COUNT(*) FROM image_parts WHERE part LIKE '$gone_id%'"), 0, 'with their octets');
ok(wait_until(60, sub { !-e "$cache/.fill/abcdef" }), 'and what a killed server has left of a file');

# ---- another database ----

my $other = server(mount => "CatalogImages On\n    CatalogImageCache \"\@dir\@/data\"");
is(ctl_for($other, 'migrate')->{status}, 0, 'there is another database');
my $export = ctl_for($server, 'export');
is(ctl_for($other, { in => $export->{out} }, 'import')->{status}, 0, 'an export is imported there');
$other->start;
is_deeply($other->api(GET => "/products/$product")->{json}{data}, ask(GET => "/products/$product")->{json}{data}, 'the product has its pictures there');
is($other->api(GET => $url =~ s{^/api}{}r)->{body}, $whole->{body}, 'which are the same');

# ---- a damaged database ----

my $broken = send_picture(new_product())->{json}{data};
$db->do("UPDATE image_parts SET content = '*' WHERE part LIKE '$broken->{id}%'");
answers(get($broken->{url}), 503, refusal(error => qr/./), 'a picture that is damaged in the database is the server\'s fault');
expect_log(qr{CAT122: the picture $broken->{id}-50 is damaged in the database});

# ---- the program that takes a minute ----

like(CatalogTest::Http::read_all($waits), qr{^HTTP/1.1 503 .*^Retry-After: \d}ms, 'a program that takes too long is ended, and may be tried again');
expect_log(qr{CAT107: \S+/sleeper took longer than 60 seconds for a picture, and was ended; the machine has too much to do: lower CatalogImageJobs});
ok(!exists $lazy->api(GET => "/products/$unmade")->{json}{data}{images}, 'nothing is stored');

# ---- the quota ----

$db->do("UPDATE images SET octets = 1048576 WHERE product_id = '$product'");
answers(send_picture(new_product()), 507, refusal(message => 'No room for pictures', error => qr/./), 'when there is no more room, a picture is refused');
expect_log(qr{CAT110: a picture was refused, because those in the database take as much as CatalogImageQuota allows});
is(ask(DELETE => "/products/$product")->{status}, 200, 'a product is deleted');
answers(send_picture(new_product()), 507, undef, 'its pictures still take room');
expect_log(qr{CAT110: });
$db->do("UPDATE images SET dropped_at = 1 WHERE product_id = '$product'");
ok(wait_until(60, sub { send_picture(new_product())->{status} == 201 }), 'once the database has let go of them, there is room again');
allow_log(qr{CAT110: });

done_testing;
