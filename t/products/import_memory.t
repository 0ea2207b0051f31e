# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# runs: first
# again: db
# What an import takes of memory depends on the rows of a transaction, not on those of the file, and is bounded even if a transaction has ten
# thousand rows with long texts.
use CatalogTest;
use CatalogTest::Ctl qw(command_for ctl_for);
use POSIX ();
use Time::HiRes qw(sleep);

use constant MOST => 64 * 1024; # KiB

sub import_file {
    my ($server, $text, $query) = @_;
    my $summary = $server->api(POST => "/products/import?$query", $text, token => register($server)->{token}, patience => 600,
        headers => { 'Content-Type' => 'text/csv' })->{json}{summary};
    return join ' ', map { $summary->{$_} // '-' } qw(created updated unchanged);
}

sub peak_of { return slurp("/proc/$_[0]/status") =~ /^VmHWM:\s+(\d+)/m ? $1 : 0 }
sub peak { my ($server) = @_; return (sort { $b <=> $a } map { peak_of($_) } $server->children)[0] }
sub is_bounded { my ($peak, $name) = @_; note "$peak KiB"; cmp_ok($peak, '<', MOST, $name) if !is_under_tsan && !is_under_asan }

# ---- fields of the shop's own: one transaction, with words that the dictionary lacks ----

my $rows = $ENV{BRIEF} || driver() ne 'sqlite3' ? 5_000 : 10_000; # which the servers take longer to store
my $fields = <<'END';
CatalogField sku         string   unique
CatalogField description text     search detail
CatalogField brand       string   index facet search
CatalogField tags        strings  index facet
CatalogField weight      number   index
CatalogField quantity    integer  index
CatalogField color       choice   values="red|green|blue" facet
CatalogField updatedAt   modified index
END
srand 9;
my @words = map { join '', map { chr 97 + rand 26 } 1 .. 7 } 1 .. 20_000;
my $file = join '', "name,price,category,sku,description,brand,tags,weight,quantity,color\n", map {
    join(',', "a product $_", "$_.5", 'c' . $_ % 50, "KT-$_", join(' ', map { $words[@words**rand] } 1 .. 71),
        'Brand ' . $_ % 500, "tag$_|often" . $_ % 100, "$_.25", $_, $_ % 2 ? 'red' : 'blue') . "\n"
} 1 .. $rows;

# PostgreSQL keeps plans, and cannot know before the commit how many rows the transaction has added; worst of all, it knows that there were none.
my @filled = qw(products product_words product_keys product_unique dictionary value_counts);

# All that it has read of these tables without an index, and of the dictionary.
sub rows_read {
    my ($db) = @_;
    my $names = join ', ', map { "'$_'" } @filled;
    return $db->selectrow_array("SELECT SUM(seq_tup_read) + (SELECT SUM(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'dictionary')"
        . " FROM pg_stat_user_tables WHERE relname IN ($names)");
}

my $own = server(conf => CatalogTest::Server::one_child(), mount => $fields)->start;
if (driver() eq 'pgsql') {
    $own->database->do("ANALYZE $_") for @filled;
}
is(import_file($own, $file, 'atomic=true&mode=upsert&key=sku'), "$rows 0 0", "$rows products with eight fields and 71 words each are created");
is_bounded(peak($own), 'which takes less than 64 MiB of memory');
if (driver() eq 'pgsql') {
    ok(wait_until(60, sub { $own->database->selectrow_array(q(SELECT n_tup_ins FROM pg_stat_user_tables WHERE relname = 'products')) }), 'PostgreSQL has counted');
    my $read = rows_read($own->database);
    note "$read rows read";
    cmp_ok($read, '<', 100 * $rows, 'and has not read again and again what the transaction has added');
}
if (!$ENV{AGAIN}) {
    $own->stop; # what a thread has freed is not the next one's
    $own->start;
    is(import_file($own, $file =~ s/,Brand /,No brand /gr, 'mode=upsert&key=sku'), "0 $rows 0", 'and changed');
    is_bounded(peak($own), 'in no more memory');
}

my $db = server(mount => $fields);
my ($dir, @command) = (scratch(), command_for($db, qw(import --products csv)));
like(ctl_for($db, 'migrate')->{out}, qr/^\d+$/m, 'another database');
spew("$dir/in", $file);
my $pid = fork // die "fork: $!\n";
if (!$pid) {
    open STDIN, '<', "$dir/in";
    open STDOUT, '>', "$dir/out";
    exec @command or POSIX::_exit(127);
}
my $most = 0;
until (waitpid $pid, POSIX::WNOHANG()) {
    $most = peak_of($pid) || $most;
    sleep 0.01;
}
like(slurp("$dir/out"), qr/^$rows rows, $rows created/, 'catalogctl creates them, too');
is_bounded($most, 'in no more memory');

# ---- many transactions ----

if (!$ENV{AGAIN}) {
    my $large = server(conf => CatalogTest::Server::one_child())->start;
    my $count = driver() eq 'sqlite3' && !$ENV{BRIEF} ? 100_000 : 30_000; # which the others take longer to store
    is(import_file($large, join('', "name,price,category\n", map { "a product of the large file,$_.5,c$_\n" } 1 .. $count), 'atomic=false'),
        "$count 0 0", "$count rows are stored");
    is_bounded(peak($large), 'which takes less than 64 MiB of memory');
    my @updates = map { /^([^,]*),/ ? "$1,1\n" : () } (split /\r\n/, $large->api(GET => '/products/export?format=csv')->{body})[1 .. 20_000];
    is(import_file($large, join('', "id,price\n", @updates), 'atomic=false&mode=upsert'), '0 20000 0', 'so are updates');
    is_bounded(peak($large), 'in no more memory');
}

done_testing;
