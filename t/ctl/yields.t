# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# db: sqlite3
# runs: alone
# While catalogctl writes for long, the server's writers have their turn.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use POSIX ();
use Time::HiRes qw(sleep time);

my $server = server()->start;
my $user = register($server);
my $file = join '', "name,price,category\n", map { my $n = $_ * 7919; "a product of number $n,$n,category " . $n % 97 . "\n" } 1 .. 60_000;
my $result = $server->dir . '/result';
my $pid = fork // die;
if (!$pid) {
    @SIG{qw(INT TERM)} = qw(DEFAULT DEFAULT);
    my $r = ctl_for($server, { in => $file }, qw(import --products csv));
    $server->write($result, "$r->{status} $r->{out}");
    POSIX::_exit(0);
}
my (@waited, %answers);
until (-e $result) {
    my $begun = time;
    $answers{ $server->api(POST => '/products', { name => 'one', price => 1 }, token => $user->{token})->{status} }++;
    push @waited, time - $begun;
    sleep 0.05;
}
waitpid $pid, 0;
like(slurp($result), qr/^0 60000 rows, 60000 created/, 'catalogctl import stores the file');
@waited = sort { $a <=> $b } @waited;
note sprintf '%d writes of the server meanwhile took %.2f s, at most %.2f s', scalar @waited, $waited[@waited / 2], $waited[-1];
# SQLite asks for the lock ten times a second. Where others have the processors, it may ask outside each of the pauses.
if (slowness() > 2) {
    delete $answers{503};
    allow_log(qr/CAT003: .*database is locked/);
}
is(join(' ', sort keys %answers), '201', 'each write of the server meanwhile is done');
takes_less($waited[-1], 1.5, 'none takes long');
done_testing;
