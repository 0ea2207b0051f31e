# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# catalogctl migrate and check.
# runs: first
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for listed problems);
use CatalogTest::Tools qw(setting);

my @steps = map { m{(\w+)\.sql$} } sort glob setting('top') . '/conf/schema/' . driver . '/*.sql';
my ($newest, $before) = (scalar @steps, @steps - 1);
my $server = server();
my $file = $server->dir . '/data/catalog.db';

sub check { return ctl_for($server, 'check') }

# catalogctl creates a database only with migrate.
like(problems(check()), qr/^database: \Q$file\E: there is no such database; .*catalogctl migrate$/,
    'check reports a missing database');
my $list = ctl_for($server, qw(user list));
is_deeply([@$list{qw(status out)}], [1, ''], 'another command does not create the database');
ok(!-e $file, 'neither command creates a file');
my $made = ctl_for($server, 'migrate');
is_deeply([@$made{qw(status out)}], [0, "$newest\n"], 'migrate creates the database and prints the version');
is(join(' ', $made->{err} =~ /CAT009: schema step (\w+) applied\n/g), "@steps", 'migrate prints the steps it applies');
is_deeply(ctl_for($server, 'migrate'), { status => 0, out => "$newest\n", err => '' }, 'a second migrate applies nothing');
is((stat $file)[2] & 07777, 0640, 'other users cannot read the database');
is((stat $file)[4], $> == 0 ? scalar getpwnam('www-data') : $>, 'the database belongs to the server\'s user');
is(problems(check()), '', 'check finds no problem');
is(match([sort map { $_->{what} } listed(check())], [qw(configuration counts database file index journal_mode keys mail schema synchronous)]), '',
    'check lists what it checks');
my ($told) = grep { $_->{what} eq 'configuration' } @{ Cpanel::JSON::XS::decode_json(ctl_for($server, 'check', '--json')->{out}) };
is(match($told, { what => 'configuration', state => 'ok', detail => '127.0.0.1 /api' }), '',
    'check --json prints the same as JSON');

$server->start;
register($server);
is(problems(check()), '', 'check finds no problem while the server runs');
like(check()->{out}, qr/^ok\tfile\t\Q$file\E-wal$/m, 'check lists the files beside the database');
like(check()->{out}, qr/^ok\tmail\t1 pending, the oldest since \d{4}-/m, 'check lists the pending mail');

# Mail.
my $db = $server->database;
my $user = $db->selectrow_array('SELECT id FROM users');
$db->do('UPDATE outbox SET created_at = created_at - 4000000');
like(problems(check()), qr/^mail: 1 pending, the oldest since \d{4}-\S+Z$/,
    'check reports a mail that has been pending for over an hour');
$db->do(q(UPDATE outbox SET state = 'dead'));
like(problems(check()), qr/^mail: 1 dead, the oldest since/, 'check reports a dead mail');
$db->do('DELETE FROM outbox');
is(problems(check()), '', 'check reports nothing without mails');

# Locked: check reports it after waiting.
$db->do('BEGIN IMMEDIATE');
my $locked = check();
is(problems($locked), 'database: cannot be written; the cause is above', 'check reports a locked database');
like($locked->{err}, qr/^catalogctl: CAT003: .*database is locked\n\z/, 'check prints the cause of the lock');
$db->do('ROLLBACK');

# The schema is older than this program: check does not change it.
my $step = $db->selectall_arrayref('SELECT * FROM schema_version WHERE version = ?', undef, $newest);
$db->do('DELETE FROM schema_version WHERE version = ?', undef, $newest);
is(problems(check()), "schema: version $before, version $newest is required; run: catalogctl migrate",
    'check reports an old schema');
my $refused = ctl_for($server, qw(user list));
is($refused->{status}, 1, 'another command fails with an old schema');
like($refused->{err}, qr/CAT010: .*version $before, version $newest is required; .*run: catalogctl migrate/,
    'the message says to run migrate');
$db->do('INSERT INTO schema_version VALUES (?, ?, ?)', undef, @{ $step->[0] });
$db->disconnect;
$server->stop;

# The file.
chmod 0644, $file;
is(problems(check()), "file: $file: is accessible to others; run: chmod o-rwx $file", 'check reports a file that others may read');
chmod 0640, $file;
$db = $server->database;
$db->do('PRAGMA journal_mode = DELETE');
$db->disconnect;
is(problems(check()), 'journal_mode: delete, not wal; run: catalogctl migrate', 'check reports a database that is not in WAL mode');
if ($> == 0) {
    chown 0, -1, $file;
    my $foreign = check();
    is($foreign->{status}, 1, 'check fails with a file of another user');
    like($foreign->{err}, qr/cannot use its database, \Q$file\E: belongs to root, and the user \S+ may not write to it; run: chown \S+ \Q$file\E && chmod 640 \Q$file\E$/m,
        'check names the owner and prints the command');
    CatalogTest::Server::hand_over($file);
}
$server->write($file, 'no database at all ' x 1000);
chmod 0640, $file;
my $garbage = check();
like(problems($garbage), qr/^database: cannot be read; the cause is above$/m, 'check reports a file that is not a database');
like($garbage->{err}, qr/CAT003: .*not a database/, 'check prints SQLite\'s message');
is(ctl_for($server, 'migrate')->{status}, 1, 'migrate fails on such a file');

# Where migrate cannot create it.
my $nowhere = ctl('--driver', 'sqlite3', '--params', $server->dir . '/nowhere/x.db', 'migrate');
is_deeply([@$nowhere{qw(status out)}], [1, ''], 'migrate fails without a directory');
like($nowhere->{err}, qr{/nowhere/x\.db: there is no directory \S+/nowhere; run: install -d },
    'the message has the command that creates the directory');

# Keys, as the server's children see them.
my $several = server(mount => qq(CatalogKeyDir "\@dir\@/keys"));
my $keys = $several->dir . '/keys';
mkdir $keys;
my @made = map { ctl('key', 'new', $keys)->{out} =~ m{([^/]+)\.key\n} } 1 .. 2;
chown 0, scalar getgrnam(setting('group')), $keys, glob "$keys/*" if $> == 0;
$file = $several->dir . '/data/catalog.db';
is(ctl_for($several, 'migrate')->{status}, 0, 'migrate creates a database for a server with several keys');
my $good = ctl_for($several, 'check');
is(problems($good), '', 'check finds no problem with a directory of keys');
like($good->{out}, qr/^ok\tkeys\t\Q$keys\E: 2, (?:$made[0]|$made[1]) signs with HS256$/m, 'check names the key that signs');
if ($> == 0) {
    chown 0, 0, $keys;
    chmod 0700, $keys;
    is(problems(ctl_for($several, 'check')), "keys: $keys: cannot be read: Permission denied",
        'check reports a key directory that the children cannot read');
    chown 0, 0, glob "$keys/*";
    chmod 0755, $keys;
    like(problems(ctl_for($several, 'check')), qr{^keys: \Q$keys\E/\S+: cannot be read: Permission denied$},
        'check reports a key that the children cannot read');
}

done_testing;
