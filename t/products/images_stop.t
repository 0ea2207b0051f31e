# SPDX-License-Identifier: Apache-2.0
# again: mpm
# A server that stops while it decodes pictures: no child waits for a program under prefork, where it would not notice the signal; nothing is
# left of the pictures, under any MPM.
use CatalogTest;
use CatalogTest::Image qw(png running write_program);

my $dir = scratch();
chmod 0755, $dir;
write_program("$dir/program", 'sleep 60; good();');

my $server = server(conf => 'CatalogImageJobs 1', mount => <<"END")->start;
CatalogImages       On
    CatalogImageCache   "\@dir\@/data"
    CatalogImageProgram "$dir/program"
END
my $token = register($server)->{token};
my @products = map { $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $token)->{json}{data}{id} } 1 .. 2;

# One picture is decoded, the other one waits for its turn.
sub send_picture {
    my ($product) = @_;
    my $socket = $server->connection;
    print {$socket} wire(POST => "/products/$product/images", png(50, 40), token => $token, headers => { 'Content-Type' => 'image/png' });
    return $socket;
}
my @sockets = send_picture($products[0]);
wait_until(20, sub { running("$dir/program") }) or fail('the program has not started');
push @sockets, send_picture($products[1]);
sleep 1;

# httpd kills children that have not ended after nine seconds. Threads wait for the program, which prefork's children do not, nor for their turn.
allow_log(qr/AH00045: child process \d+ still did not exit/);
if (mpm() ne 'prefork') {
    allow_kills();
    allow_log(qr/AH00046: child process \d+ still did not exit, sending a SIGKILL/);
}
$server->stop;
ok(wait_until(10, sub { !running("$dir/program") }), 'the program has ended');
unlike(CatalogTest::Http::read_all($_), qr/^HTTP\S+ 201/, 'the picture is not taken') for @sockets;
is($server->database->selectrow_array('SELECT COUNT(*) FROM image_parts'), 0, 'nothing is stored');
is(join(' ', grep { !/\.db/ } glob $server->dir . '/data/{.fill,*.}*'), '', 'and no file');

done_testing;
