# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# Runs a real nginx with the configuration of docs/how-to/proxy.md in front of a server.
use CatalogTest;

use CatalogTest::Document ();
use CatalogTest::Tools qw(setting free_port);

my @blocks = CatalogTest::Document::blocks(setting('top') . '/docs/how-to/proxy.md');
sub block { my ($line) = @_; my ($block) = grep { /^\Q$line\E/m } @blocks; return $block // die "no block has $line\n" }
my $modules = setting('modules');
my ($base) = block('RemoteIPHeader') =~ /^(CatalogBaseURL .*\n)/m;
my $behind = server(conf => qq(LoadModule remoteip_module "$modules/mod_remoteip.so"\n) . (block('RemoteIPHeader') =~ s/10\.0\.0\.2/127.0.0.1/r =~ s/^CatalogBaseURL .*\n//mr),
    mount => "$base    CatalogMaxExports 1\n")->start;
my ($port, $front, $dir) = ($behind->port, free_port(), scratch());
my $location = block('location /shop/api/') =~ s/10\.0\.0\.1:8080/127.0.0.1:$port/gr;
my $temporary = join '', map { "${_}_temp_path $dir/$_;\n" } qw(client_body proxy fastcgi uwsgi scgi);
spew("$dir/nginx.conf", <<"END");
daemon off;
worker_processes 1;
pid $dir/pid;
error_log $dir/error.log;
@{[$> == 0 ? "user root;" : '']}
events { worker_connections 64; }
http {
    access_log off;
    $temporary
    server {
        listen 127.0.0.1:$front;
        server_name shop.example.com;
        $location
    }
}
END
my $nginx = fork // die "fork: $!\n";
exec qw(setpriv --pdeathsig TERM nginx -p), $dir, '-c', "$dir/nginx.conf", '-e', "$dir/error.log" or die "nginx: $!\n" if !$nginx;
sub front { my ($method, $path, $body, %more) = @_; return CatalogTest::Http::request($front, $method => "/shop$path", $body, %more) }
ok(wait_until(20, sub { front(GET => '/api/health/ready')->{status} == 200 }), 'nginx passes requests on') or diag slurp("$dir/error.log");

my $name = fresh();
my $r = front(POST => '/api/register', { username => $name, email => "$name\@example.com", password => 'correct horse', cookie => true });
is($r->{status}, 201, 'a registration succeeds');
like($r->{headers}{'set-cookie'}, qr/^__Host-catalog_refresh%2fapi=\S+; Path=\/; .*\bSecure\b/, 'the cookie is of the whole host');
my %token = (token => $r->{json}{token});
my $sessions = front(GET => '/api/auth/sessions', undef, %token, headers => { 'X-Forwarded-For' => '203.0.113.9' });
is($sessions->{json}{data}[0]{address}, '127.0.0.1', 'the client cannot choose its address');
my $made = front(POST => '/api/products', { name => 'Kettle', price => 1 }, %token);
my $product = $made->{json}{data};
my $got = CatalogTest::Http::request($front, GET => $made->{headers}{location});
is($got->{json}{data}{id}, $product->{id}, 'Location leads to the product');
my %if_match = (qq(W/$got->{headers}{etag}) => 412, $got->{headers}{etag} => 200);
is(front(PUT => "/api/products/$product->{id}", { price => 2 }, %token, headers => { 'If-Match' => $_ })->{status}, $if_match{$_}, "If-Match: $_")
    for sort { $b cmp $a } keys %if_match;
is(front(GET => '/api/products?q=ket%25tle%2Fx&limit=1')->{status}, 200, 'a query passes as it is');

# A file larger than nginx's usual limit.
my $rows = join '', map { qq({"name":"Product $_","price":1,"category":"@{['x' x 100]}"}\n) } 1 .. 9000;
cmp_ok(length $rows, '>', 1 << 20, 'the import is larger than a megabyte');
$r = front(POST => '/api/products/import', $rows, %token, headers => { "Content-Type" => "application/x-ndjson" });
is($r->{status}, 200, 'an import of it passes') or diag $r->{body};
is(scalar(() = front(GET => '/api/products/export?format=ndjson', undef, %token)->{body} =~ /\n/g), 9001, 'an export, too');

kill TERM => $nginx;
waitpid $nginx, 0;
unlike(slurp("$dir/error.log"), qr/\[(?:crit|alert|emerg)\]/, 'nginx logs nothing grave');
done_testing;
