# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# catalogctl backup copies a database beside its writers; the copy is whole, and serves.
# runs: first
use CatalogTest;
use CatalogLoad;
use CatalogTest::Ctl qw(ctl ctl_for command_for at_terminal problems);
use CatalogTest::Image qw(png);
use File::Copy ();

my $pictures = qq(CatalogImages On\nCatalogImageCache "\@dir\@/data"\n);
my $server = server(mount => $pictures, conf => "CatalogIndex none\n")->start;
my $file = $server->dir . '/data/catalog.db';
my $db = $server->database;
my $user = register($server);
my $product = $server->api(POST => '/products', { name => 'Kettle', price => 1 }, token => $user->{token})->{json}{data}{id};
my $picture = $server->api(POST => "/products/$product/images", png(700, 500), token => $user->{token}, headers => { 'Content-Type' => 'image/png' })->{json}{data};

# 60 MB besides, so that a copy takes many portions.
$db->do('CREATE TABLE filler (octets)');
$db->do('INSERT INTO filler WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 15000) SELECT randomblob(4000) FROM n');

my $dir = scratch();
my $backup = "$dir/catalog.db";
sub names { opendir my $d, $dir or die "$dir: $!\n"; return join ' ', sort grep { !/^\.\.?$/ } readdir $d }
sub fails {
    my ($r, $words, $name) = @_;
    is_deeply([@$r{qw(status out)}], [1, ''], $name);
    like($r->{err}, $words, "$name: the message has the reason");
}

# ---- beside writers ----

my $writers = clients($server, 3, sub {
    my ($client, $number) = @_;
    my $made = 0;
    while (!-e "$dir/stop") {
        $made += $client->ask(POST => '/products', { name => "of $number", price => 1 }, token => forge())->{status} == 201;
    }
    return [$made];
});
wait_until(10, sub { $db->selectrow_array('SELECT COUNT(*) FROM products') > 50 });
my ($before) = $db->selectrow_array('SELECT COUNT(*) FROM products');
my $begun = time;
my $r = ctl_for($server, 'backup', $backup);
my ($after) = $db->selectrow_array('SELECT COUNT(*) FROM products');
is_deeply($r, { status => 0, out => "$backup\n", err => '' }, 'backup prints the path of the copy');
takes_less(time - $begun, 20, 'it ends although three clients write');
cmp_ok($after, '>', $before, 'they have written meanwhile');
for my $try (1 .. 3) {
    is(ctl_for($server, 'backup', "$dir/$try")->{status}, 0, "it ends again, $try");
}
spew("$dir/stop", '');
my $made = 1; # that with a picture
$made += $_->[0] for $writers->results;
is($made, $db->selectrow_array('SELECT COUNT(*) FROM products'), 'no write was refused or lost');
unlink "$dir/stop", map { "$dir/$_" } 1 .. 3;
is(names(), 'catalog.db', 'it leaves no other file');

my @info = stat $backup;
my @original = stat $file;
is_deeply([@info[2, 4, 5]], [@original[2, 4, 5]], 'the copy has the mode and the owner of the database');

# ---- restored, it serves ----

my $other = server(mount => $pictures);
my $restored = $other->dir . '/data/catalog.db';
File::Copy::copy($backup, $restored);
chown @original[4, 5], $restored;
chmod 0640, $restored;
$other->start;
my $count = $other->api(GET => '/products')->{json}{pagination}{total};
ok($count >= $before && $count <= $after, "the restored copy has the products of one moment: $before, $count, $after");
answers($other->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} }), 200, undef,
    'and its users');
is_deeply($other->api(GET => "/products/$product")->{json}{data}{images}, [$picture], 'a product has its picture');
is($other->api(GET => $_)->{body}, $server->api(GET => $_)->{body}, 'with the same octets') for map { $_->{url} =~ s{^/api}{}r } @{ $picture->{sizes} };
is($other->database->selectrow_array('PRAGMA journal_mode'), 'wal', 'it is in WAL mode');
$other->stop;
is(problems(ctl_for($other, 'check')) =~ s/^index: .*$//mgr, '', 'check finds no problem in it');

# ---- names ----

fails(ctl_for($server, 'backup', $backup), qr{^catalogctl: \Q$backup\E: exists; choose another name, or replace it with --force$},
    'an existing file is not replaced');
spew($backup, 'old');
is(ctl_for($server, 'backup', '--force', $backup)->{status}, 0, 'with --force it is');
cmp_ok(-s $backup, '>', 60_000_000, 'the new copy is there');
fails(ctl_for($server, 'backup', '--force', $file), qr/is the database itself/, 'the database is never replaced');
fails(ctl_for($server, 'backup', '--force', $dir), qr/is not a file/, 'a directory is not replaced');
spew("$dir/new-wal", '');
fails(ctl_for($server, 'backup', "$dir/new"), qr{/new-wal: belongs to another database}, 'a name with an old -wal file is refused');
unlink "$dir/new-wal";
fails(ctl_for($server, 'backup', "$dir/none/new"), qr{/none/new: cannot be created: No such file}, 'a missing directory is reported');
is(ctl_for($server, 'backup')->{status}, 2, 'the name is required');
fails(ctl(qw(--driver sqlite3 --params), "$dir/none.db", 'backup', "$dir/new"), qr{none\.db: No such file}, 'a missing database is reported');
is(names(), 'catalog.db', 'the refused ones leave no file');

# ---- damaged, or stopped ----

my $damaged = "$dir/damaged.db";
File::Copy::copy($backup, $damaged);
open my $out, '+<', $damaged or die "$damaged: $!\n";
seek $out, 4096 * 9000, 0;
print {$out} "\xff" x 40_960;
close $out;
fails(ctl(qw(--driver sqlite3 --params), $damaged, 'backup', "$dir/new"), qr{damaged\.db is damaged, and so is its copy: }, 'a damaged database is found');
unlink glob "$damaged*";
is(names(), 'catalog.db', 'its copy is removed');

for my $signal (qw(INT TERM)) {
    my $pid = fork // die "fork: $!\n";
    exec command_for($server, 'backup', "$dir/new") if !$pid;
    ok(wait_until(20, sub { names() =~ /new\.\w{6}/ }), "SIG$signal: the copy has begun");
    kill $signal => $pid;
    waitpid $pid, 0;
    is($? & 127, { INT => 2, TERM => 15 }->{$signal}, "SIG$signal ends it");
    is(names(), 'catalog.db', "SIG$signal: it leaves no file");
}

# ---- progress, and other databases ----

open my $screen, '-|', at_terminal(command_for($server, 'backup', "$dir/seen")) or die "script: $!\n";
like(join('', <$screen>), qr/\r\[#{30}\] 100 %  \d+ MiB, \d+ a second \r?\nchecking the copy\r?\n/, 'at a terminal it shows its progress');
close $screen;
my %dump = (mysql => ['host=x,user=x,dbname=x,reconnect=0,flags=CLIENT_FOUND_ROWS', 'mariadb-dump --single-transaction'],
    pgsql => ['host=x dbname=x connect_timeout=2', 'pg_dump --format=custom']);
fails(ctl('--driver', $_, '--params', $dump{$_}[0], 'backup', "$dir/new"), qr/a tool of its own; run: $dump{$_}[1] /,
    "$_: the message names the database's own tool") for sort keys %dump;

done_testing;
