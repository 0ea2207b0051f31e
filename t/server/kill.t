# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /register
# runs: first
# again: mpm pgsql
# Children are killed while they write: their locks are free again, and every acknowledged write is stored.
use CatalogTest;
use Time::HiRes qw(sleep time);

my $mail = <<'END';
CatalogMail     "file:@dir@/data/mail"
CatalogMailFrom shop@catalog.test
CatalogBaseURL  https://shop.test
END
my $server = server(mount => $mail, conf => 'CatalogHashConcurrency 1')->start;
my $token = register($server)->{token};

sub create { return wire(POST => '/products', { name => $_[0], price => 1 }, token => $token) }

my (@acknowledged, @others);
for my $round (1 .. 8) {
    my @sockets = map { my $s = $server->connection; print {$s} $_; $s }
        (map { create("p$round-$_") } 1 .. 12),
        (map { wire(POST => '/register',
            { username => $_, email => "$_\@example.com", password => 'x' x 8 }) } map { fresh() } 1 .. 4);
    sleep 0.005 * $round;
    kill KILL => $server->children;
    for my $answer (map { my $s = $_; join '', <$s> } @sockets) {
        my ($status) = $answer =~ m{^HTTP/1\.1 (\d+)} or next; # cut off
        push @others, $status if $status !~ /^(?:201|503)$/;
        push @acknowledged, $answer =~ /"data":\{"id":"([^"]+)"/ if $status == 201;
    }
    my $start = time;
    ok(wait_until(10, sub { eval { $server->talk(create("after$round"))->{status} == 201 } }),
        sprintf 'round %d: a write succeeds again (%.1f s)', $round, time - $start);
}
is_deeply(\@others, [], 'every answer is a 201 or a 503');
my @lost = grep { $server->api(GET => "/products/$_")->{status} != 200 } @acknowledged;
is_deeply(\@lost, [], scalar(@acknowledged) . ' acknowledged writes are stored');
my $db = $server->database;
is($db->selectrow_array('PRAGMA integrity_check'), 'ok', 'the database passes the integrity check') if driver eq 'sqlite3';
is($db->selectrow_array(q(SELECT COUNT(*) - COUNT(DISTINCT name) FROM products WHERE name LIKE 'p%')), 0,
    'no product is stored twice');
my ($users) = $db->selectrow_array('SELECT COUNT(*) FROM users');
ok(register($server), 'a registration succeeds again');
my $mails = sub { scalar(() = glob $server->dir . '/data/mail/*.eml') };
ok(wait_until(30, sub { $mails->() >= $users + 1
    || $db->selectrow_array(q(SELECT COUNT(*) FROM outbox WHERE lease <> '')) }), 'mail is sent again')
    or diag $mails->() . " of $users";

allow_kills();
allow_log(qr/CAT011: /);
done_testing;
