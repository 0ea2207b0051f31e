# SPDX-License-Identifier: Apache-2.0
# mpm: event
# again: db
# What is asked of pictures by jobs and for each request costs as much as it finds, however many pictures the database has. No httpd serves
# requests, so the MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Plan qw(rows_read sqlite_plan);
use CatalogTest::Tools qw(setting);

my $server = server();
is(ctl_for($server, 'migrate')->{status}, 0, 'there is a database');
my $db = $server->database;

# 20,000 pictures, of which each tenth was dropped, one after the other.
sub id { return sprintf '01a2060f-5c1e-7b3c-8a69-%012x', $_[0] }
$db->begin_work;
my $insert = $db->prepare("INSERT INTO images (id, product_id, octets, width, digest, created_at, dropped_at) VALUES (?, ?, 1000, 640, '@{['0' x 64]}', 1, ?)");
$insert->execute(id($_), id($_ / 4), $_ % 10 ? undef : 1_000_000 + $_) for 1 .. 20_000;
$db->commit;
$db->do($_) for driver eq 'mysql' ? 'ANALYZE TABLE images PERSISTENT FOR ALL' : 'ANALYZE images';

# The text of a statement, with its values. On SQLite and PostgreSQL they are parameters, as the module passes them.
my $definitions = slurp(setting('top') . '/src/db/dialects/sql.def');
sub text_of {
    my ($name) = @_;
    my ($text) = $definitions =~ /^STATEMENT\($name,(.*?)\)$/ms or die "no $name\n";
    $text =~ s/"\s*HUNDRED\s*"/join ', ', ('%s') x 100/e;
    return join('', $text =~ /"(.*?)"/gs) =~ s/%s/?/gr;
}

sub reads {
    my ($text, @values) = @_;
    return rows_read($db, qr/\w+/, 20_000, $text, @values) if driver ne 'sqlite3';
    return sqlite_plan($db, $text, @values) =~ /SCAN/ ? 20_000 : 0;
}

for (
    [SQL_IMAGE_DROPPED => [1_019_000, 1_019_000, '', 500], 'pictures that were dropped lately'],
    [SQL_IMAGE_DROPPED => [1_018_000, 1_018_000, id(18_000), 500], 'the page behind one of them'],
    [SQL_IMAGE_DROPPED_BEFORE => [1_000_050], 'those that were kept for long enough'],
    [SQL_IMAGE_USED_100 => [map { id($_) } 1 .. 100], 'pictures of a hundred files'],
    [SQL_IMAGE_OF_PRODUCT => [id(100)], 'pictures of a product'],
    [SQL_IMAGE_USED => [id(7)], 'a picture']) {
    my ($name, $values, $what) = @$_;
    my $text = text_of($name);
    cmp_ok(scalar @{ $db->selectall_arrayref($text, undef, @$values) }, '>', 0, "$what: the statement finds some");
    cmp_ok(reads($text, @$values), '<', 800, "$what: no other rows are read");
}
done_testing;
