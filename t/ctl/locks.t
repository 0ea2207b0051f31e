# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# catalogctl waits while another program holds SQLite's lock.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for listed);
use POSIX ();
use Time::HiRes qw(sleep time);

my $server = server();
is(ctl_for($server, 'migrate')->{status}, 0, 'migrate creates a database');
is(ctl_for($server, { in => "correct horse\n" }, qw(user add ada ada@example.com))->{status}, 0, 'user add creates a user');
my $db = $server->database;

pipe my $locked, my $tell or die "pipe: $!\n";
my $pid = fork // die;
if (!$pid) {
    my $own = $server->database;
    $own->do('BEGIN IMMEDIATE');
    syswrite $tell, 'x';
    sleep 3;
    $own->do('ROLLBACK');
    POSIX::_exit(0);
}
sysread $locked, my $mark, 1;
my $start = time;
is_deeply(ctl_for($server, qw(user role ada admin)), { status => 0, out => '', err => '' },
    'a command waits for a lock held longer than the driver waits');
cmp_ok(time - $start, '>', 1.6, 'the command tried more than once');
waitpid $pid, 0;

$db->do('BEGIN IMMEDIATE');
my $r = ctl_for($server, qw(user role ada user));
is_deeply([@$r{qw(status out)}], [1, ''], 'a command fails if the lock is not released');
like($r->{err}, qr/^catalogctl: CAT003: .*database is locked\n\z/, 'the cause is printed once');
$db->do('ROLLBACK');
is((listed(ctl_for($server, qw(user list))))[0]{role}, 'admin', 'the failed command changes nothing');

done_testing;
