# SPDX-License-Identifier: Apache-2.0
# mpm: event
# again: db
# The lists of what was done, GET /audit and GET /changes/batches, cost as much as a page of them, however long they are and whatever is looked for. No
# httpd serves requests, so the MPM does not matter.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for);
use CatalogTest::Plan qw(rows_read sqlite_plan);
use CatalogTest::Tools qw(setting);

my $server = server();
is(ctl_for($server, 'migrate')->{status}, 0, 'there is a database');
my $db = $server->database;

# 20,000 entries and batches, one a second; of each thousand, one is by, to and about what the others are not.
sub id { my $time = sprintf '%012x', 1000 * $_[0]; return substr($time, 0, 8) . '-' . substr($time, 8) . '-7c3c-8a69-000000000000' }
sub values_of { my ($is_rare) = @_; return map { $_->[$is_rare] } [id(1), id(2)], ['Ada', 'Grace'], ['user.update', 'webhook.retry'], [id(3), id(4)], ['Ada', 'Grace'] }
$db->begin_work;
my $insert = $db->prepare(q(INSERT INTO audit (id, created_at, source, actor_id, actor, action, target_id, target) VALUES (?, ?, 'http', ?, ?, ?, ?, ?)));
$insert->execute(id($_), 1000 * $_, values_of($_ % 1000 == 0 ? 1 : 0)) for 1 .. 20_000;
my $batch = $db->prepare(q(INSERT INTO change_batches (id, at, source, row_count, complete, after_number) VALUES (?, ?, 'request', 1, 1, ?)));
$batch->execute(1000 * $_, 1000 * $_, $_) for 1 .. 20_000;
$db->commit;
$db->do($_) for map { driver eq 'mysql' ? "ANALYZE TABLE $_ PERSISTENT FOR ALL" : "ANALYZE $_" } 'audit', 'change_batches';

# SQLite says only in which order it reads; so where a condition has no index of its own, or the page has an offset, it reads too many.
sub reads_little {
    my ($what, $index, $rows, $text, @values) = @_;
    is(scalar @{ $db->selectall_arrayref($text, undef, @values) }, $rows, "$what: the statement finds $rows");
    return like(sqlite_plan($db, $text, @values), $index, "$what: by its index") if driver eq 'sqlite3';
    cmp_ok(rows_read($db, qr/audit|change_batches/, 20_000, $text, @values), '<', 800, "$what: few other rows are read");
}

# The statements are made of what the source says.
my $source = slurp(setting('top') . '/src/accounts/audit.c');
my ($base) = $source =~ /text = "( FROM audit WHERE .*?)";/;
my @conditions = $source =~ /add_condition\(c, "(.*?)"/g;
my ($order) = $source =~ /"( ORDER BY id DESC LIMIT %s OFFSET %s)"/;
my %rare = ('actor_id' => id(2), 'actor_key' => 'grace', 'target_id' => id(4), 'target_key' => 'grace', 'action' => 'webhook.retry');
is(scalar @conditions, keys %rare, 'each condition is tried');
sub entries { my ($condition) = @_; return "SELECT id, actor$base$condition$order" =~ s/%s/?/gr }
for my $condition (@conditions) {
    my ($column) = $condition =~ /^(\w+) = %s$/;
    reads_little("entries with a rare $column", qr/\($column=\? AND id>\? AND id<\?\)/, 10, entries(" AND $condition"), 'g', '', $rare{$column}, 10, 0);
}
reads_little('the entries since a time', qr/\(id>\? AND id<\?\)/, 10, entries(''), 'g', substr(id(19_991), 0, 13), 20, 0);
reads_little('a page of entries far behind', qr/\(id>\? AND id<\?\)/, 10, entries(''), id(100), '', 10, 0);
my ($batches) = slurp(setting('top') . '/src/db/dialects/sql.def') =~ /#define BATCHES_PAGE\(user\) \\\n(.*?)\nSTATEMENT/s;
$batches = join '', ($batches =~ s/" user "/b.user_id/r) =~ /"(.*?)"/gs;
reads_little('a page of batches far behind', qr/SEARCH b USING INTEGER PRIMARY KEY \(rowid<\?\)/, 10, $batches =~ s/%s/?/gr, 100_000, 10, 0);
done_testing;
