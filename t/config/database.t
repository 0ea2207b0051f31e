# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# httpd -t refuses a database that httpd's children could not open, and prints the command that repairs it; if it is lost later, the
# log names its file and the cause. catalogctl reports the same.
use CatalogTest;

use CatalogTest::Ctl qw(ctl ctl_for problems);
use CatalogTest::Tools qw(setting);

my ($user, $group) = map { setting($_) } 'user', 'group';

# With DBDParams, and with CatalogDatabase.
sub dbd { my ($params) = @_; return server(conf => qq(DBDParams "$params"\n)) }
sub own { my ($params) = @_; return server(mount => qq(CatalogDatabase sqlite3 "$params"\n)) }
sub said { my ($server) = @_; my ($status, $text) = $server->configtest; return $status ? $text : 'OK' }

# The test runs the printed command as it is, as root would, and checks that it names only the directory.
sub obey {
    my ($text) = @_;
    my ($command) = $text =~ /: (install -d -o \Q$user\E -g \Q$group\E -m 750 \S+|install -d -o \S+ -g \S+ -m 750 '[^']+')$/m
        or return fail("no command in: $text");
    return system('sh', '-c', $command) == 0;
}

for my $make (\&dbd, \&own) {
    my $which = $make == \&dbd ? 'DBDParams' : 'CatalogDatabase';

    # No directory.
    my $server = $make->('@dir@/missing/catalog.db');
    my $dir = $server->dir . '/missing';
    my $text = said($server);
    like($text, qr{CAT030: <Location "/api"> of 127\.0\.0\.1 cannot use its database, \Q$dir\E/catalog\.db: there is no directory \Q$dir\E; run: install -d -o $user -g $group -m 750 \Q$dir\E$}m,
        "$which: httpd -t refuses a database without a directory");
    for my $command (qw(check migrate)) {
        my $r = ctl_for($server, $command);
        is($r->{status}, 1, "$which: catalogctl $command fails");
        like($r->{err}, qr{there is no directory \Q$dir\E; run: install -d },
            "$which: catalogctl $command prints the same cause and command");
        unlike($r->{err}, qr/catalogctl (?:migrate|check)/, "$which: catalogctl $command refers to no other subcommand");
    }
    ok(obey($text), "$which: the printed command succeeds");
    is(said($server), "OK", "$which: httpd -t then accepts the database");
    like(problems(ctl_for($server, 'check')), qr/run: catalogctl migrate/, "$which: catalogctl check refers to migrate");
    is(ctl_for($server, 'migrate')->{status}, 0, "$which: catalogctl migrate creates the database");
    is(problems(ctl_for($server, 'check')), '', "$which: catalogctl check then finds no problem");
    $server->start;
    register($server);

    # A relative path.
    like(said($make->('catalog.db')), qr{database at catalog\.db, a relative path, .*set an absolute one: },
        "$which: httpd -t refuses a relative path");
    like(said($make->('@dir@/data')), qr{/data: is a directory; name a file in it, such as catalog\.db},
        "$which: httpd -t refuses a directory");
    my $loop = $make->('@dir@/data/loop.db');
    symlink 'loop.db', $loop->dir . '/data/loop.db';
    like(said($loop), qr{cannot use its database, \Q$loop->{dir}\E/data/loop\.db: is a symbolic link that leads back to itself; remove it, or name another file$}m,
        "$which: httpd -t refuses a link that leads back to itself");
    like(ctl_for($loop, 'migrate')->{err}, qr{/data/loop\.db: is a symbolic link that leads back to itself}, "$which: so does catalogctl");
    is(said($make->('file:@dir@/data/catalog.db?cache=private')), 'OK',
        "$which: httpd -t accepts a URI, which SQLite reads itself");
}
like(said(dbd('catalog.db')), qr{: DBDParams /var/lib/catalog/catalog\.db$}m, 'the message has the line to write, with DBDParams');
like(said(own('catalog.db')), qr{: CatalogDatabase sqlite3 /var/lib/catalog/catalog\.db$}m,
    'the message has the line to write, with CatalogDatabase');

# A name that a shell would split in two.
my $blank = dbd('@dir@/my data/catalog.db');
ok(obey(said($blank)), 'the printed command quotes a directory with a space');
is(said($blank), 'OK', 'httpd -t accepts that directory');

# catalogctl with the parameters alone.
my $nowhere = ctl('--driver', 'sqlite3', '--params', "$blank->{dir}/none/x.db", 'check');
like($nowhere->{out} . $nowhere->{err}, qr{there is no directory \Q$blank->{dir}\E/none; run: install -d },
    'catalogctl check --driver prints the same cause');

# Another user's directory.
if ($> == 0) {
    my $server = dbd('@dir@/foreign/catalog.db');
    my $dir = $server->dir . '/foreign';
    mkdir $dir, 0755;
    my $text = said($server);
    like($text, qr{the directory \Q$dir\E must belong to the user $user, who may not write to it; run: install -d },
        'httpd -t refuses a directory that belongs to root');
    ok(obey($text), 'the printed command succeeds');
    is(said($server), 'OK', 'httpd -t then accepts the directory');

    chown 0, 0, $dir;
    spew("$dir/shop.conf", "x\n");
    $text = said($server);
    like($text, qr{may not write to the directory \Q$dir\E, which contains other files; give the database a directory of its own, \Q$dir/catalog\E, created with: install -d },
        'httpd -t refuses a directory with other files');

    # Another user's files, as root leaves them after restoring a backup or using sqlite3.
    for (['', 0600, 'open'], ['', 0644, 'write to'], ['-wal', 0640, 'open'], ['-shm', 0644, 'write to']) {
        my ($suffix, $mode, $verb) = @$_;
        $server = dbd('@dir@/data/it is.db');
        my $file = $server->dir . '/data/it is.db';
        is(ctl_for($server, 'migrate')->{status}, 0, 'a database is created');
        spew("$file$suffix", '') if $suffix;
        chown 0, 0, "$file$suffix";
        chmod $mode, "$file$suffix";
        my $remedy = qr{\Q$file$suffix\E: belongs to root, and the user $user may not $verb it; run: (chown $user:$group '\Q$file$suffix\E' && chmod 640 '\Q$file$suffix\E')$}m;
        my $what = sprintf '%04o, catalog.db%s', $mode, $suffix;
        like(said($server), qr{CAT030: .* cannot use its database, $remedy}, "$what: httpd -t refuses a file of root");
        for my $command (qw(check migrate)) {
            my $r = ctl_for($server, $command);
            like($r->{out} . $r->{err}, $remedy, "$what: catalogctl $command prints the owner and the command");
        }
        my ($run) = said($server) =~ $remedy;
        is(system('sh', '-c', $run), 0, "$what: the printed command succeeds");
        is(said($server), 'OK', "$what: httpd -t then accepts the database");
        is(problems(ctl_for($server, 'check')), '', "$what: catalogctl check then finds no problem");
    }
    my $file = $server->dir . '/data/it is.db';
    spew("$file-shm", '');
    chown 0, 0, $file, "$file-shm";
    like(said($server), qr{run: chown $user:$group '\Q$file\E' '\Q$file-shm\E' && }, 'one command is for all files');
    CatalogTest::Tools::hand_over($file, "$file-shm");
    chmod 0440, "$file-shm";
    is(said($server), 'OK', 'a read-only side file of the user\'s own is accepted, because it is made writable');
    chmod 0440, $file;
    like(said($server), qr{its mode keeps its owner, $user, from reading and writing it; run: chmod 640 '\Q$file\E'$}m,
        'a read-only database is refused');

    my $closed = dbd('@dir@/closed/deep/catalog.db');
    mkdir $closed->dir . '/closed', 0700;
    mkdir $closed->dir . '/closed/deep';
    CatalogTest::Tools::hand_over($closed->dir . '/closed/deep');
    like(said($closed), qr{the user $user may not enter \Q$closed->{dir}\E/closed; run: chmod o\+x \Q$closed->{dir}\E/closed; or put the database into a directory that the user can enter: install -d .* /var/lib/catalog$}m,
        'httpd -t refuses a directory below a closed one');
}

# A read-only file system: the log and catalogctl say so.
SKIP: {
    my $server = dbd('@dir@/disk/catalog.db');
    my $disk = $server->dir . '/disk';
    mkdir $disk or die;
    skip 'no file system can be mounted here', 4 if system("mount -t tmpfs -o size=8m tmpfs $disk 2>/dev/null") != 0;
    CatalogTest::Tools::hand_over($disk);
    is(ctl_for($server, 'migrate')->{status}, 0, 'a database is created');
    system("mount -o remount,ro $disk") == 0 or die;
    my $cause = qr{failed with 14: .*; \Q$disk\E/catalog\.db: the file system is read-only; make it writable: mount -o remount,rw "\$\(findmnt -no TARGET -T \Q$disk\E\)"$}m;
    my $r = ctl_for($server, 'check');
    like("$r->{out}$r->{err}", $cause, 'catalogctl check says that the file system is read-only');
    expect_log(qr/CAT003: .*the file system is read-only/);
    $server->start;
    like($server->log_text =~ s/ \(request \S+\)$//mgr, $cause, 'so does the log');
    system("mount -o remount,rw $disk") == 0 or die;
    ok(wait_until(30, sub { $server->api(GET => '/products')->{status} == 200 }), 'and the server serves as soon as it is not');
    $server->stop;
    system("umount $disk");
}

# One file has one name: links and detours lead to the same database, and a hard link, which SQLite cannot notice, is refused.
for my $name ('@dir@/link/catalog.db', '@dir@/link.db', '@dir@/link/../data/catalog.db', 'file://localhost@dir@/data/catalog%2Edb?cache=private') {
    my $server = server(mount => undef, conf => join '', qq(DBDParams "\@dir\@/data/catalog.db"\n), map { sprintf qq(<Location "%s">\nCatalogEnable On\nCatalogKeyFile "\@key\@"\n%s</Location>\n), @$_ }
        ['/a', ''], ['/b', qq(CatalogDatabase sqlite3 "$name"\n)]);
    symlink 'data', $server->dir . '/link';
    symlink 'data/catalog.db', $server->dir . '/link.db';
    is(said($server), 'OK', "$name: httpd -t accepts it");
    is(ctl_for($server, 'migrate')->{status}, 0, "$name: catalogctl takes both mounts for one catalogue, before the file exists");
    is(ctl_for($server, 'check')->{err}, '', "$name: and afterwards");
    if ($name =~ /^file/) {
        link $server->dir . '/data/catalog.db', $server->dir . '/data/other.db' or die "$!\n";
        my $file = $server->dir . '/data/catalog.db';
        my $remedy = qr{\Q$file\E: has another name \(hard link\), .*: find / -xdev -samefile \Q$file\E$}m;
        like(said($server), $remedy, 'a hard link is refused');
        like(ctl('--driver', 'sqlite3', '--params', $server->dir . '/data/other.db', 'check')->{out}, qr/has another name/, 'whichever name is given');
    }
}

# Lost while the server runs: the server survives a restart, and the log names file and cause.
for (['DBDParams', \&dbd], ['CatalogDatabase', \&own]) {
    my ($which, $make) = @$_;
    my $server = $make->('@dir@/there/catalog.db');
    my $dir = $server->dir . '/there';
    obey(said($server));
    $server->start;
    answers($server->api(GET => '/products'), 200, undef, "$which: the server answers");
    expect_log(qr/CAT002: no connection to \S.*: \Q$dir\E\/catalog\.db: there is no directory \Q$dir\E; run: install -d /);
    # The directory may be back between an attempt to connect and the search for its cause.
    allow_log(qr/AH0\d+|CAT002: no connection to \S.*: unable to open database file$/);
    rename $dir, "$dir.gone";
    $server->graceful;
    ok(wait_until(30, sub { $server->log_text =~ /CAT002/ }), "$which: the log has the missing directory");
    rename "$dir.gone", $dir;
    ok(wait_until(30, sub { $server->api(GET => '/products')->{status} == 200 }),
        "$which: the server answers once the directory is back");
}

done_testing;
