# SPDX-License-Identifier: Apache-2.0
# A receiver whose certificate nobody trusts gets nothing.
use CatalogTest;
use CatalogTest::Tools qw(free_port);
use CatalogTest::Webhooks;

my $dir = scratch();
system("openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout $dir/key -out $dir/cert -batch 2>$dir/said") == 0
    or die slurp("$dir/said");
my $port = free_port();
my $pid = open(my $out, '-|', qw(setpriv --pdeathsig KILL openssl s_server -quiet -accept), "127.0.0.1:$port", '-key', "$dir/key", '-cert', "$dir/cert") // die "openssl: $!\n";
spew("$dir/secret", "$CatalogTest::Webhooks::SECRET\n");
chmod 0600, "$dir/secret";
my $server = server(mount => qq(CatalogWebhook https://localhost:$port/hooks "secret=$dir/secret"\n))->start;
my $db = $server->database;
ok(wait_until(20, sub { $db->selectrow_array('SELECT COUNT(*) FROM webhooks') }), 'the webhook is there');
$server->api(POST => '/products', { name => 'x', price => 1 }, token => register($server)->{token});
ok(wait_until(20, sub { ($db->selectrow_array('SELECT error FROM webhooks') // '') =~ /certificate/ }), 'its certificate is refused') or diag $server->log_text;
kill KILL => $pid;
is(join('', <$out>), '', 'before anything is sent');

expect_log(qr/CAT140: /);
done_testing;
