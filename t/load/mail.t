# SPDX-License-Identifier: Apache-2.0
# route: POST /register
# case: 59 60 62
# mpm: event
# runs: first
# No mail is lost if a child, a generation of children, the SMTP server or httpd ends while mails are sent.
use CatalogTest;
use CatalogTest::Smtp;
use List::Util qw(max);
use Time::HiRes qw(sleep time);

my $home = scratch();

# A server with mails for this many users in its queue: one registers, the test inserts the others.
sub mailing {
    my ($smtp, $mails) = @_;
    my $server = server(conf => "ServerLimit 16\nMaxRequestWorkers 512\n", mount => <<"END")->start;
        CatalogBaseURL  https://shop.test
        CatalogMail     @{[ $smtp->url ]}
        CatalogMailFrom catalogue\@catalog.test
END
    register($server);
    my $db = $server->database;
    $db->begin_work;
    $db->do(qq(
        INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
        WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < $mails)
        SELECT '00000000-0000-7000-8000-' || CAST(100000000000 + i AS CHAR(12)), 'u' || i, 'u' || i,
            'u' || i || '\@x.test', 'u' || i || '\@x.test', '', 0 FROM n));
    $db->do(q(
        INSERT INTO outbox (id, template, user_id, next_at, created_at)
        SELECT id, 'confirm', id, 1, ? FROM users WHERE created_at = 0), undef, int 1000 * time);
    $db->commit;
    return $server;
}

sub waiting { $_[0]->database->selectrow_array("SELECT COUNT(*) FROM outbox WHERE state = 'pending'") }

# The recipients and the Message-ID of each received mail.
sub received {
    my ($dir) = @_;
    return map { [/^Message-ID: (\S+)/m, /^X-RcptTo: (\S+)/mg] } map { slurp($_) } glob "$dir/*.eml";
}

# ---- a generation of children ends, and the SMTP server ----

my $smtp = CatalogTest::Smtp->new("$home/one");
my $start = time;
my $server = mailing($smtp, 300);
for my $round (1 .. 3) {
    my $before = received("$home/one");
    ok(wait_until(15, sub { received("$home/one") > $before + 10 }), "round $round: mails are sent");
    $server->graceful;
    sleep 0.1 * $round;
    $smtp->kill;
    sleep 0.5;
    $smtp->start;
}
ok(wait_until(60, sub { !waiting($server) }), 'the queue is emptied') or diag waiting($server) . ' are left';

my @received = received("$home/one");
my %ids;
$ids{ $_->[1] }{ $_->[0] } = 1 for @received;
note sprintf '%.1f s, %d mails for 300 users', time - $start, scalar @received;
is(scalar(keys %ids), 300, 'each user receives a mail');
is(max(map { $#$_ } @received), 1, 'each mail has one recipient');
is(max(map { scalar keys %$_ } values %ids), 1, 'a repeated mail has the same Message-ID');
unlike($server->log_text, qr/exit signal/, 'no child crashed');

# ---- the child ends that sends ----

my @senders = $server->log_text =~ /\[pid (\d+):tid \d+\] CAT016: /g;
my $sender = $senders[-1];
is(scalar(grep { $_ == $sender } $server->children), 1, 'one child sends');
kill KILL => $sender;
$start = time;
wait_until(5, sub { !grep { $_ == $sender } $server->children }); # the old child could still accept the connection
my $address = register($server)->{user}{email};
ok(wait_until(15, sub { grep { $_->[1] eq $address } received("$home/one") }), 'when that child is killed, another one sends');
note sprintf 'after %.1f s', time - $start;
$server->stop;

# ---- httpd ends ----

$smtp->kill;
$smtp = CatalogTest::Smtp->new("$home/two", '--hang', 'DATA');
$server = mailing($smtp, 1000);
my $db = $server->database;
ok(wait_until(5, sub { $db->selectrow_array("SELECT COUNT(*) FROM outbox WHERE lease != ''") }),
    'a child sends a mail to a server that does not answer');
my $took = $server->stop;
note sprintf 'stopped after %.1f s', $took;
takes_less($took, 5, 'httpd stops within five seconds');
is(waiting($server), 1000, 'the outbox has all mails');

allow_log(qr/CAT015: /);
done_testing;
