# SPDX-License-Identifier: Apache-2.0
# runs: first
# catalogctl images add and import; pictures in files of products; and pictures that move to another database.
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for command run);
use CatalogTest::Image qw(png picture size_of write_program running);
use CatalogTest::Tools qw(hand_over);

my $server = server(mount => <<'END')->start;
CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogField      sku string unique
    CatalogField      ean number unique
    CatalogField      cost number private
END
my $token = forge();
my $photos = scratch();
mkdir "$photos/side" or die "$!\n";

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub made { my ($sku, @more) = @_; return ask(POST => '/products', { name => "Kettle $sku", price => 1, sku => $sku, @more })->{json}{data} }
sub photo { my ($name, $width, $kind) = @_; spew("$photos/$name", $kind ? picture($kind, $width, 30) : png($width, 30)); return hand_over("$photos/$name") }
sub images { my ($sku) = @_; return @{ ask(GET => "/products/sku=$sku")->{json}{data}{images} // [] } }
sub widths { return join ' ', map { $_->{width} } images($_[0]) }
sub summary { my ($files, $added, $there, $without, $refused, $more) = @_;
    return "$files files, $added added, $there there already, $without without a product, $refused refused" . ($more // '') . "\n" }
sub does {
    my ($r, $status, $out, $err, $name) = @_;
    is_deeply([@$r{qw(status out)}], [$status, $out], $name) or diag($r->{err});
    ref $err ? like($r->{err}, $err, "$name: what is reported") : is($r->{err}, $err, "$name: what is reported");
}
hand_over($photos, "$photos/side");

# ---- add ----

made($_) for qw(KT-1 KT-2 KT_3 KT_3_1);
photo("$_.png", 100 + $_) for 1 .. 3;
does(ctl_for($server, 'images', 'add', 'sku=KT-1', "$photos/1.png", "$photos/2.png"), 0, summary(2, 2, 0, 0, 0), '', 'add');
is(widths('KT-1'), '101 102', 'the product has them, in this order');
is($server->api(GET => (images('KT-1'))[0]{url} =~ s{^/api}{}r)->{status}, 200, 'and the server sends them');
does(ctl_for($server, 'images', 'add', 'sku=KT-1', map { "$photos/$_.png" } 1, 3), 0, summary(2, 1, 1, 0, 0), '', 'add again');
is(widths('KT-1'), '101 102 103', 'what is there is not added again');
my $id = ask(GET => '/products/sku=KT-2')->{json}{data}{id};
does(ctl_for($server, 'images', 'add', '--dry-run', uc $id, "$photos/1.png"), 0, summary(1, 1, 0, 0, 0, ', nothing stored'), '', 'add --dry-run');
is(widths('KT-2'), '', 'stores nothing');
does(ctl_for($server, 'images', 'add', uc $id, "$photos/1.png"), 0, summary(1, 1, 0, 0, 0), '', 'add to an id');
is(widths('KT-2'), '101', 'adds the picture to that product');
spew("$photos/bad.jpg", 'x' x 100);
spew("$photos/cut.png", substr png(90, 90), 0, 120);
hand_over("$photos/bad.jpg", "$photos/cut.png");
does(ctl_for($server, 'images', 'add', 'sku=KT-2', map { "$photos/$_" } 'bad.jpg', 'cut.png', 'none.jpg', 'side', '2.png'), 1, summary(5, 1, 0, 0, 4),
    qr{bad.jpg: it is no JPEG, PNG, WebP, AVIF or GIF file\n.*cut.png: it cannot be decoded: it is damaged, or incomplete, or takes too much memory\n.*none.jpg: cannot be read: No such file or directory\n.*side: is not a file\n.*files that were not added: 4\n},
    'files that cannot be added');
is(widths('KT-2'), '101 102', 'the others are');
does(ctl_for($server, 'images', 'add', 'sku=none', "$photos/1.png"), 1, '', qr/^catalogctl: sku=none: there is no such product; name it by its id, or as sku=KT-1/, 'a product that is not there');
does(ctl_for($server, 'images', 'add', 'sku=KT-1'), 2, '', qr/images add takes PRODUCT FILE/, 'no file');

# ---- import ----

unlink glob "$photos/*.*";
photo('KT-1.png', 201);
photo('KT-1_2.jpg', 202, 'jpg');
photo('KT-1_10.png', 210);
photo('KT_3.webp', 301, 'webp');
photo('KT_3_1.png', 311);
photo('KT_3_1_2.png', 312);
photo('XY-9.png', 400);
spew("$photos/.hidden", 'x');
my $missing = "catalogctl: XY-9.png: no product has the sku XY-9\ncatalogctl: side: no product has the sku side\n";
my $end = "catalogctl: files that were not added: 2\n";
does(ctl_for($server, 'images', 'import', '--key', 'sku', '--dry-run', $photos), 1, summary(8, 6, 0, 2, 0, ', nothing stored'), $missing . $end, 'import --dry-run');
is(widths('KT-1'), '101 102 103', 'stores nothing');
rmdir "$photos/side" or die "$!\n";
unlink "$photos/XY-9.png";
does(ctl_for($server, 'images', 'import', '--key', 'sku', $photos), 0, summary(6, 6, 0, 0, 0), '', 'import');
is(widths('KT-1'), '201 202 210 101 102 103', 'the files of a product are its first pictures, in the order of their numbers');
is(widths('KT_3'), '301', 'the end of a name may be a number');
is(widths('KT_3_1'), '311 312', 'if a product is called so');
does(ctl_for($server, 'images', 'import', '--key', 'sku', $photos), 0, summary(6, 0, 6, 0, 0), '', 'import again');
is(widths('KT-1'), '201 202 210 101 102 103', 'changes nothing');
rename "$photos/KT_3.webp", "$photos/$id.webp" or die "$!\n";
does(ctl_for($server, 'images', 'import', '--key', 'id', $photos), 1, summary(6, 1, 0, 5, 0), qr/no product has the id KT-1\n/, 'import by id');
is(widths('KT-2'), '301 101 102', 'finds products by their ids');
does(ctl_for($server, 'images', 'import', $photos), 1, '', "catalogctl: say by which field the files are called: --key with a unique field, or id\n", 'import without a key');
does(ctl_for($server, 'images', 'import', '--key', 'cost', $photos), 1, '', "catalogctl: --key must be the name of a unique field, or id\n", 'by another field');
does(ctl_for($server, 'images', 'import', '--key', 'sku', "$photos/none"), 1, '', qr{catalogctl: \S+/none: No such file or directory\n}, 'a directory that is not there');

# case: a product that is itself called as files of another one are
made($_) for qw(PL-1 PL-1_2);
unlink glob "$photos/*";
photo("PL-1$_->[0].png", $_->[1]) for ['', 171], ['_2', 172], ['_3', 173], ['_10', 180];
does(ctl_for($server, 'images', 'import', '--key', 'sku', $photos), 0, summary(4, 4, 0, 0, 0), '', 'import where a product is called PL-1_2');
is(join('; ', map { widths($_) } qw(PL-1 PL-1_2)), '171 173 180; 172', 'the files of the other one keep their order');

# case: an import that is killed goes on where it stopped
unlink glob "$photos/*";
photo("MG-1_$_.png", 150 + $_) for 1 .. 5;
made('MG-1');
my $pid = fork // die "fork: $!\n";
if (!$pid) {
    exec CatalogTest::Ctl::command_for($server, 'images', 'import', '--key', 'sku', $photos) or POSIX::_exit(127);
}
wait_until(60, sub { images('MG-1') >= 2 });
kill KILL => $pid;
waitpid $pid, 0;
my $before = images('MG-1');
my $r = ctl_for($server, 'images', 'import', '--key', 'sku', $photos);
is($r->{status}, 0, 'an import that was killed is repeated');
like($r->{out}, qr/^5 files, \d added, [2-5] there already, 0 without/, "what is there is passed over ($before)");
is(widths('MG-1'), '151 152 153 154 155', 'then all are there, in their order');
my $db = $server->database;
is(join(' ', map { scalar $db->selectrow_array("SELECT COUNT(*) FROM images WHERE $_") } 'dropped_at IS NULL', 'dropped_at IS NULL AND id IN (SELECT SUBSTR(part, 1, 36) FROM image_parts)'),
    join(' ', (scalar map { images($_) } qw(KT-1 KT-2 KT_3 KT_3_1 PL-1 PL-1_2 MG-1)) x 2), 'no picture is there that no product has, or without its octets');

# case: the program is ended while it decodes one of several
my $programs = scratch();
chmod 0755, $programs;
my $three = scratch();
spew("$three/BD-1_$_->[0].png", png(@$_[1, 2])) for [1, 90, 30], [2, 900, 300], [3, 95, 30];
my $large = -s "$three/BD-1_2.png";
hand_over($three, glob "$three/*");
write_program("$programs/program", "sleep 60 if -s STDIN == $large; good();");
made('BD-1');
my $odd = server(mount => "CatalogImages On\nCatalogImageCache \"\@dir\@/data\"\nCatalogImageProgram $programs/program\n"
    . "CatalogField sku string unique\nCatalogDatabase \@driver\@ \"" . $server->params . '"');
my $killer = fork // die "fork: $!\n";
if (!$killer) {
    wait_until(60, sub { my @found = running("$programs/program"); sleep 3; return kill KILL => grep { my $pid = $_; grep { $_ == $pid } @found } running("$programs/program") });
    POSIX::_exit(0);
}
does(ctl_for($odd, 'images', 'import', '--key', 'sku', $three), 1, summary(3, 2, 0, 0, 1),
    qr{CAT120: \S+/program was killed.*BD-1_2.png: could not be decoded; see the cause above, and run the command again\n.*files that were not added: 1\n}s, 'the others are added');
waitpid $killer, 0;
is(scalar(images('BD-1')), 2, 'to their product');

# case: limits
my $small = server(mount => "CatalogImages On\nCatalogImageCache \"\@dir\@/data\"\nCatalogImageQuota 1\nCatalogDatabase \@driver\@ \"" . $server->params . '"');
$db->do("UPDATE images SET octets = 1048576 WHERE product_id = '$id'");
does(ctl_for($small, 'images', 'add', $id, "$photos/MG-1_1.png"), 1, summary(1, 0, 0, 0, 0), qr/CatalogImageQuota allows\n.*the other files were not added/s, 'a quota that is used up');
my @mounts = (['off', ''], ['on', "CatalogImages On\nCatalogImageCache \"\@dir\@/data\"\nCatalogImageQuota 1\n"]);
my $two = server(mount => undef, conf => 'CatalogDatabase @driver@ "' . $server->params . "\"\n"
    . join '', map { qq(<Location "/$_->[0]">\nCatalogEnable On\nCatalogKeyFile "\@key\@"\n$_->[1]</Location>\n) } @mounts);
does(ctl_for($two, 'images', 'add', $id, "$photos/MG-1_1.png"), 1, summary(1, 0, 0, 0, 0), qr/CatalogImageQuota allows/, 'the quota of the mount that has pictures');
my $off = server(mount => 'CatalogDatabase @driver@ "' . $server->params . '"');
does(ctl_for($off, 'images', 'add', $id, "$photos/MG-1_1.png"), 1, '', qr/products have no pictures here; set CatalogImages On/, 'where there are no pictures');

# ---- files of products ----

mkdir "$photos/side";
hand_over("$photos/side");
photo('side/a.png', 601);
photo('b.png', 602);
my $csv = "sku,name,price,images\nKT-1,Kettle,2,side/a.png|b.png\nNEW-1,New,3,b.png\nKT-2,Kettle,4,\n";
my @import = ('import', '--products', 'csv', '--upsert', '--key', 'sku', '--images', $photos);
does(ctl_for($server, { in => $csv }, @import, '--dry-run'), 0, "3 rows, 1 created, 2 updated, 0 unchanged, nothing stored\n", '', 'import --images --dry-run');
does(ctl_for($server, { in => $csv }, @import), 0, "3 rows, 1 created, 2 updated, 0 unchanged\n3 pictures added, 0 there already\n", '', 'import --images');
is(join('; ', map { widths($_) } qw(KT-1 NEW-1 KT-2)), '601 602; 602; 301 101 102', 'products have the pictures that their rows name; an empty cell leaves them alone');
does(ctl_for($server, { in => $csv }, @import), 0, "3 rows, 0 created, 0 updated, 3 unchanged\n0 pictures added, 3 there already\n", '', 'again, it changes nothing');
my $first = (images('KT-1'))[0]{id};
does(ctl_for($server, { in => qq({"sku":"KT-1","images":["b.png","side/a.png"]}\n{"sku":"KT-2","images":[]}\n) }, map { $_ eq 'csv' ? 'ndjson' : $_ } @import), 0,
    "2 rows, 0 created, 0 updated, 2 unchanged\n0 pictures added, 2 there already\n", '', 'NDJSON');
is(join('; ', map { widths($_) } qw(KT-1 KT-2)), '602 601; ', 'arranges them, and deletes them');
is((images('KT-1'))[1]{id}, $first, 'those that stay are the same');
for (['none.png', qr/row 1, line 2: images names none.png: cannot be read: No such file/], ['../x.png', qr{images must be files below the directory: ../x.png is none}],
    ['/etc/passwd', qr{images must be files below the directory}], ['KT.txt', qr/images names KT.txt: it is no JPEG/]) {
    my ($name, $words) = @$_;
    spew("$photos/KT.txt", 'x' x 50);
    hand_over("$photos/KT.txt");
    does(ctl_for($server, { in => "sku,name,price,images\nKT-1,Pot,9,$name\n" }, @import), 1, '', qr/$words.*bad rows: 1, nothing is stored/s, "a row that names $name");
}
isnt(ask(GET => '/products/sku=KT-1')->{json}{data}{name}, 'Pot', 'nothing of it is stored');
does(ctl_for($server, { in => "name,price,images\nPot,1,b.png\n" }, 'import', '--products', 'csv', '--upsert', '--images', $photos), 1, '', qr/images can only be set in a row with id/, 'a row without a name for its product');
does(ctl_for($server, 'import', '--products', 'csv', '--images', $photos), 2, '', qr/--images goes with --upsert/, '--images without --upsert');

# case: names that are links
my $elsewhere = scratch();
spew("$elsewhere/secret.png", png(77, 30));
hand_over($elsewhere, "$elsewhere/secret.png");
symlink "$elsewhere/secret.png", "$photos/link.png" or die "$!\n";
symlink $elsewhere, "$photos/way" or die "$!\n";
symlink 'b.png', "$photos/again.png" or die "$!\n";
for my $name ('link.png', 'way/secret.png') {
    does(ctl_for($server, { in => "sku,name,price,images\nKT-1,Pot,9,$name\n" }, @import), 1, '', qr{images must be files below the directory: \Q$name\E is none},
        "a link that leads out of the directory: $name");
}

# Imports a row of pictures.
sub import_row { my ($of, $sku, $names) = @_; return ctl_for($of, { in => "sku,name,price,images\n$sku,Copy,3,$names\n" }, @import) }
spew("$photos/copy.png", slurp("$photos/side/a.png"));
hand_over("$photos/copy.png");
for my $try (1, 2) {
    like(import_row($server, 'CP-1', 'side/a.png|copy.png|side/a.png|again.png|side/a.png')->{out}, $try == 1 ? qr/2 pictures added, 3 there/ : qr/0 pictures added, 5 there/,
        'files that are equal, or named twice');
    is(widths('CP-1'), '601 602', 'are one picture, and a link within the directory is a file');
}
is(scalar keys %{ { map { $_->{id} => 1 } images('CP-1') } }, 2, 'none is there twice');
is(ask(PATCH => '/products/sku=CP-1', { images => [images('CP-1')] })->{status}, 200, 'what is read can be sent');

# case: equal pictures that were added one by one move to another product, and to another database, as many as they are
my $equal = made('EQ-1')->{id};
ask(POST => "/products/$equal/images", png(88, 30), headers => { 'Content-Type' => 'image/png' }) for 1 .. 3;
my $equals = scratch();
hand_over($equals);
my ($row) = ctl_for($server, 'export', '--products', 'csv', '--images', $equals)->{out} =~ /,EQ-1,.*?([\w.|-]+\.webp)/;
@import = map { $_ eq $photos ? $equals : $_ } @import;
for my $sku ('EQ-2', 'EQ-2', 'EQ-1') {
    my $r = import_row($server, $sku, $row);
    is($r->{status}, 0, 'an export of equal pictures is imported') or diag($r->{err});
    is(scalar keys %{ { map { $_->{id} => 1 } images($sku) } }, 3, "$sku has three of them");
}
@import = map { $_ eq $equals ? $photos : $_ } @import;

# case: a product that is full gets others
photo("full-$_.png", 100 + $_) for 1 .. 24;
my $full = sub { return join '|', map { "full-$_.png" } @_ };
is(import_row($server, 'FL-1', $full->(1 .. 20))->{status}, 0, 'a product gets twenty pictures');
my @before = map { $_->{id} } images('FL-1');
spew("$photos/full-25.png", substr slurp("$photos/full-24.png"), 0, 60);
hand_over("$photos/full-25.png");
is(import_row($server, 'FL-1', $full->(20, 21, 25))->{status}, 1, 'a row with a damaged file is refused');
is(join(' ', map { $_->{id} } images('FL-1')), "@before", 'and the product keeps what it has');
does(import_row($server, 'FL-1', $full->(24, 5, 21 .. 23, 6 .. 20)), 0, "1 rows, 0 created, 0 updated, 1 unchanged\n4 pictures added, 16 there already\n", '', 'other pictures');
is(widths('FL-1'), join(' ', map { 100 + $_ } 24, 5, 21 .. 23, 6 .. 20), 'take their places');
photo("more-$_.png", 200 + $_) for 1 .. 20;
does(import_row($server, 'FL-1', join '|', map { "more-$_.png" } 1 .. 20), 0, "1 rows, 0 created, 0 updated, 1 unchanged\n20 pictures added, 0 there already\n", '',
    'even if both were more than a product may have');
is(widths('FL-1'), join(' ', map { 200 + $_ } 1 .. 20), 'then it has the new ones alone');

# case: without --images, files are those of the server
for my $format (qw(ndjson csv json)) {
    is(ctl_for($server, 'export', '--products', $format)->{out}, ask(GET => "/products/export?format=$format")->{body}, "export without --images is that of the server: $format");
}
my $unchanged = ctl_for($server, { in => ctl_for($server, 'export', '--products', 'csv')->{out} }, 'import', '--products', 'csv', '--upsert');
like($unchanged->{out}, qr/^\d+ rows, 0 created, 0 updated/, 'which an import takes');
is($unchanged->{err}, '', 'without a word about the pictures');
is(widths('KT-1'), '602 601', 'which it leaves as they are');

my $out = scratch();
spew("$out/" . (images('KT-1'))[0]{id} . '.webp.part', 'left by one that was killed');
hand_over($out);
$r = ctl_for($server, 'export', '--products', 'csv', '--images', $out);
is($r->{status}, 0, 'export --images') or diag($r->{err});
my @names = map { "$_->{id}.webp" } images('KT-1');
like($r->{out}, qr/^[^\n]*,KT-1,.*\b\Q$names[0]|$names[1]\E/m, 'the column names the files');
is(join(' ', map { size_of(slurp("$out/$_")) } @names), '602x30 601x30', 'which are the pictures');
is(join(' ', grep { !/webp$/ } glob "$out/*"), '', 'no file is left unfinished');
my $all = $r->{out};
$r = ctl_for($server, { in => $all }, 'import', '--products', 'csv', '--upsert', '--images', $out);
like($r->{out}, qr/ 0 updated, \d+ unchanged\n0 pictures added, \d+ there already\n$/, 'what was exported is there already') or diag($r->{err});

# ---- to another database, and back ----

my $between = [command('--driver', 'sqlite3', '--params', "$out/between.db")];
is(run({}, @$between, 'migrate')->{status}, 0, 'a database of SQLite');
my $export = ctl_for($server, 'export');
is(run({ in => $export->{out} }, @$between, 'import')->{status}, 0, 'all of the catalogue is imported there');
my $back = run({}, @$between, 'export');
is($back->{out} =~ s/^.*\n//r, $export->{out} =~ s/^.*\n//r, 'an export of that is the same, octet for octet');
my $next = server(mount => "CatalogImages On\nCatalogImageCache \"\@dir\@/data\"\nCatalogField sku string unique\nCatalogField ean number unique\nCatalogField cost number private");
is(ctl_for($next, 'migrate')->{status}, 0, 'another database of this server');
is(ctl_for($next, { in => $back->{out} }, 'import')->{status}, 0, 'takes it');
$next->start;
for my $sku (qw(KT-1 MG-1 NEW-1)) {
    my @here = images($sku);
    wait_until(60, sub { $next->api(GET => "/products/sku=$sku", undef, token => $token)->{status} == 200 }); # names are filled in first
    is_deeply($next->api(GET => "/products/sku=$sku", undef, token => $token)->{json}{data}{images} // [], \@here, "$sku has its pictures there");
    is($next->api(GET => $_->{url} =~ s{^/api}{}r)->{body}, $server->api(GET => $_->{url} =~ s{^/api}{}r)->{body}, 'with the same octets') for @here;
}

done_testing;
