# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# The receiver of docs/api.md is told of changes.
use CatalogTest;
use CatalogTest::Tools qw(setting free_port);
use CatalogTest::Webhooks;
use HTTP::Tiny ();
use POSIX ();

my ($code) = slurp(setting('top') . '/docs/api.md') =~ /^```js\n((?:(?!^```).)*from 'standardwebhooks'.*?)^```$/ms;
my $script = setting('top') . "/build/webhooks/example-$$.mjs"; # beside the library
spew($script, $code);
my ($dir, $port) = (scratch(), free_port());
spew("$dir/secret", "$CatalogTest::Webhooks::SECRET\n");
chmod 0600, "$dir/secret";
my $pid = fork // die "fork: $!\n";
if (!$pid) {
    @ENV{qw(WEBHOOK_SECRET PORT)} = ($CatalogTest::Webhooks::SECRET, $port);
    open STDOUT, '>', "$dir/out";
    open STDERR, '>&', \*STDOUT;
    exec qw(setpriv --pdeathsig KILL node), $script or POSIX::_exit(127);
}

my $server = server(mount => qq(CatalogWebhook http://localhost:$port/ "secret=$dir/secret"\n))->start;
my $db = $server->database;
ok(wait_until(20, sub { $db->selectrow_array('SELECT COUNT(*) FROM webhooks') }), 'the server has the webhook');
my $id = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => register($server)->{token})->{json}{data}{id};
ok(wait_until(20, sub { slurp("$dir/out") eq "create $id\n" }), 'the receiver says what has changed') or diag slurp("$dir/out");
ok(wait_until(10, sub { ($db->selectrow_array('SELECT status FROM webhooks') // 0) == 204 }), 'and has accepted it');
my $forged = HTTP::Tiny->new->post("http://localhost:$port/", { content => '{}', headers => { 'webhook-id' => 'x', 'webhook-timestamp' => time, 'webhook-signature' => 'v1,AAAA' } });
is($forged->{status}, 400, 'it refuses what somebody else sends');

kill KILL => $pid;
waitpid $pid, 0;
unlink $script;
allow_log(qr/CAT14[04]: /); # Node.js may start more slowly than the server
done_testing;
