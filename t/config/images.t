# SPDX-License-Identifier: Apache-2.0
# The directives of pictures: what they accept, what httpd -t finds, and where they are inherited from.
use CatalogTest;
use CatalogTest::Image qw(png);

sub said { my ($status, $text) = server(@_)->configtest; return $status == 0 ? 'OK' : $text }
sub in_mount { my ($lines) = @_; return said(mount => $lines) }
sub in_server { my ($lines) = @_; return said(mount => undef, conf => "$lines\n") }

my $cache = 'CatalogImageCache "@dir@/data"';
is(in_mount("CatalogImages On\n$cache"), 'OK', 'pictures require a directory');
like(in_mount('CatalogImages On'), qr{<Location "/api"> of \S+ has CatalogImages but no CatalogImageCache; set it to a directory, such as /var/cache/catalog/images}, 'a missing one is named');
is(in_mount('CatalogImages Off'), 'OK', 'without pictures none is required');
my ($status, $text) = server(mount => "CatalogImages On\nCatalogImageCache /nowhere/images")->configtest;
is($status, 0, 'it need not exist');
like($text, qr{CAT082: the user of httpd's children cannot write to CatalogImageCache /nowhere/images \(No such file or directory\), so each picture is read from the database; run: install -d -o \S+ -g \S+ -m 750 '?/nowhere/images'?$}m,
    'which is said with the command that makes it');
is(() = $text =~ /CAT082/g, 1, 'once');
like(in_mount("CatalogImages On\n$cache\nCatalogImageProgram /nowhere/vipsthumbnail"),
    qr{has CatalogImages, but the program /nowhere/vipsthumbnail cannot be run: No such file or directory; on Debian run: apt-get install libvips-tools},
    'so must the program');
like(in_server('CatalogImageProgram vipsthumbnail'), qr/CatalogImageProgram must be an absolute path; 'vipsthumbnail' is not/, 'whose path is absolute');
is(in_mount("CatalogImages Off\nCatalogImageProgram /nowhere/vipsthumbnail"), 'OK', 'unless there are no pictures');
sub two { my ($one, $other, $database) = @_; return said(mount => "CatalogImages On\n$one\n</Location>\n<Location \"/other\">\nCatalogEnable On\nCatalogKeyFile \"\@key\@\"\nCatalogImages On\n$other\n$database") }
my $elsewhere = qq(CatalogAudience other\nCatalogDatabase \@driver\@ "\@params:other\@");
my $shared = qr{CAT030: <Location "/other"> of \S+ has the CatalogImageCache of <Location "/api"> of \S+, which has another database: each server would remove the pictures of the other one};
is(two($cache, $cache, qq(CatalogIssuer https://catalog.test\nCatalogAudience catalog-test)), 'OK', 'mounts of one database may share a directory');
like(two($cache, $cache, $elsewhere), $shared, 'those of two may not');
like(two($cache, 'CatalogImageCache "@dir@/data/../data/"', $elsewhere), $shared, 'whatever they call it');
is(two($cache, 'CatalogImageCache "@dir@/data/mail"', $elsewhere), 'OK', 'each has its own');
is(two($cache, $cache, "$elsewhere\nCatalogImages Off"), 'OK', 'unless one of them has no pictures');
SKIP: {
    skip 'only root has users to choose from', 1 if $> != 0;
    ($status, $text) = server(mount => "CatalogImages On\nCatalogImageCache \"\@dir\@/logs\"")->configtest;
    like("$status $text", qr{^0 .*cannot write to CatalogImageCache \S+/logs \(Permission denied\), .* run: install -d }s, 'so is a directory that the children may not write to');
}
my %numbers = (CatalogMaxImage => [1024, 104857600], CatalogImageQuota => [0, 1073741824], CatalogImageJobs => [0, 1024]);
for my $name (sort keys %numbers) {
    my ($least, $most) = @{ $numbers{$name} };
    is(in_server("$name $_"), 'OK', "$name $_ is accepted") for $least, $most;
    like(in_server("$name $_"), qr/$name must be a whole number/, "$name $_ is refused") for $least - 1, $most + 1, 'x';
}
like(in_mount('CatalogImageJobs 1'), qr/CatalogImageJobs/, 'CatalogImageJobs is the whole server\'s');
like(in_server('CatalogField images json'), qr/the API uses this name for a parameter or for a member of its answers/, 'no field of the shop\'s own has their name');

# ---- an older kernel ----

my $dir = scratch();
chmod 0755, $dir;
spew("$dir/older.c", <<'END');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>
long syscall(long number, ...)
{
    long (*next)(long, ...) = dlsym(RTLD_NEXT, "syscall"), a[6];
    va_list list;
    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        a[i] = va_arg(list, long);
    }
    va_end(list);
    if (number == SYS_landlock_create_ruleset) {
        errno = ENOSYS;
        return -1;
    }
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
END
system('cc', '-shared', '-fPIC', '-o', "$dir/older.so", "$dir/older.c") == 0 or die "cc failed\n";
my $older = server(mount => "CatalogImages On\n$cache");
{
    local $ENV{LD_PRELOAD} = "$dir/older.so";
    $older->start;
}
like($older->log_text, qr/CAT121: the kernel has no Landlock, so a program that decodes pictures is less confined; see CatalogImageProgram/,
    'a kernel without Landlock is noted at the start');
my $own = register($older)->{token};
my $kettle = $older->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $own)->{json}{data}{id};
is($older->api(POST => "/products/$kettle/images", png(40, 40), token => $own, headers => { 'Content-Type' => 'image/png' })->{status}, 201,
    'it decodes pictures, too');
$older->stop;

# ---- inheritance ----

my $key = key_path;
my $server = server(mount => undef, conf => <<"END")->start;
CatalogKeyFile    "$key"
CatalogImages     On
CatalogImageCache "\@dir\@/data"
CatalogIssuer     https://catalog.test
CatalogAudience   catalog-test
CatalogField      sku string unique
<Location "/api">
    CatalogEnable On
    CatalogField  cost number private
</Location>
<Location "/shop">
    CatalogEnable   On
    CatalogMaxImage 1024
</Location>
<Location "/off">
    CatalogEnable On
    CatalogImages Off
</Location>
END
my $token = register($server)->{token};
my $product = $server->api(POST => '/products', { name => 'Kettle', price => 1, sku => 'KT-1', cost => 2 }, token => $token)->{json}{data};
my $added = CatalogTest::Http::request($server->port, POST => "/api/products/$product->{id}/images", png(400, 400), token => $token, headers => { 'Content-Type' => 'image/png' });
is($added->{status}, 201, 'a mount has what the server has');
sub ask { my ($method, $path, @more) = @_; return CatalogTest::Http::request($server->port, $method, $path, @more) }
is(ask(GET => "/shop/products/$product->{id}")->{json}{data}{images}[0]{sizes}[0]{url}, $added->{json}{data}{sizes}[0]{url} =~ s/^\/api/\/shop/r,
    'the addresses of pictures are those of the mount');
is(ask(GET => $added->{json}{data}{url} =~ s/^\/api/\/shop/r)->{status}, 200, 'where they can be read');
is(ask(POST => "/shop/products/$product->{id}/images", png(400, 400) . 'x' x 1024, token => $token, headers => { 'Content-Type' => 'image/png' })->{status}, 413,
    'a mount has limits of its own');
ok(!exists ask(GET => "/off/products/$product->{id}")->{json}{data}{images}, 'a mount without pictures shows none');
is(ask(PATCH => "/off/products/$product->{id}", { name => 'Pot', sku => 'KT-2' }, token => $token)->{status}, 200, 'where a product is changed,');
is(ask(GET => "/api/products/$product->{id}")->{json}{data}{images}[0]{id}, $added->{json}{data}{id}, 'it keeps those that it has');
answers(ask(POST => "/off/products/$product->{id}/images", png(9, 9), token => $token, headers => { 'Content-Type' => 'image/png' }), 404,
    refusal(message => 'Not found'), 'nothing is added there');
answers(ask(DELETE => "/off/products/$product->{id}/images/$added->{json}{data}{id}", undef, token => $token), 404, refusal(message => 'Not found'), 'nor deleted');
is(ask(GET => $added->{json}{data}{url} =~ s/^\/api/\/off/r)->{status}, 404, 'nor read');
is_deeply([grep { /image/ } keys %{ ask(GET => '/off/openapi.json')->{json}{paths} }], [], 'the description has no routes of pictures there');
is_deeply([sort grep { /image/ } keys %{ ask(GET => '/api/openapi.json')->{json}{paths} }],
    ['/images/{name}', '/products/{id}/images', '/products/{id}/images/{image}'], 'but here');
is(ask(GET => '/api')->{json}{data}{links}{images}, '/api/images/', 'GET of the mount says that products have pictures');
ok(!exists ask(GET => '/off')->{json}{data}{links}{images}, 'and, by the lack of that, that they have none');
is_deeply([grep { $_->{name} eq 'images' } @{ ask(GET => '/api/fields')->{json}{data} }],
    [], 'they are no field of a form');

done_testing;
