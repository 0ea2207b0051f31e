# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# again: pgsql
# catalogctl index builds the database's indexes that CatalogIndex needs and drops the others, while servers read and write; and again
# after it was killed.
# runs: first
use CatalogTest;
use CatalogTest::Ctl qw(at_terminal command_for ctl_for listed problems run);
use POSIX ();
use Time::HiRes qw(sleep);

my $PRODUCTS = $ENV{CATALOG_PRODUCTS} // 700;
my $OF_PRICE = 'category search price';
my %part_of = (products_by_category => 'category', products_by_category_key => 'category', products_by_category_price => 'price', products_by_price => 'price',
    products_by_name => 'name', products_by_rating => 'rating');

my $server = server(mount => 'CatalogIndex category price name rating search')->start;
my %user = (token => register($server)->{token});
my $db = $server->database;

# From the next start of the server on.
sub keep {
    my ($parts) = @_;
    my $file = $server->dir . '/httpd.conf';
    spew($file, slurp($file) =~ s/^\s*CatalogIndex .*$/CatalogIndex $parts/mr);
}

sub restart_with {
    my ($parts) = @_;
    $server->stop;
    keep($parts);
    $server->start;
}

# The database's indexes of products, with their definitions; an invalid one says so.
sub definitions {
    my %sql = (
        sqlite3 => q(SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'products' AND sql IS NOT NULL),
        pgsql => q(SELECT c.relname, pg_get_indexdef(c.oid) || CASE WHEN indisvalid THEN '' ELSE ' INVALID' END
            FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = 'products'::regclass),
        mysql => q(SELECT index_name, GROUP_CONCAT(column_name ORDER BY seq_in_index) FROM information_schema.statistics
            WHERE table_schema = DATABASE() AND table_name = 'products' GROUP BY index_name),
    );
    return { map { @$_ } @{ $db->selectall_arrayref($sql{ +driver }) } };
}
sub names { return join ' ', sort grep { $part_of{$_} } keys %{ definitions() } }
sub built { return join ' ', sort @{ $db->selectcol_arrayref(q(SELECT part FROM product_indexes WHERE part NOT LIKE 'rules%')) } }
sub complete { return join ' ', sort @{ $db->selectcol_arrayref(q(SELECT part FROM product_indexes WHERE complete = 1 AND part NOT LIKE 'rules%')) } }
sub value { return $db->selectrow_array($_[0]) }

my %questions = (price => 'sort=-price&limit=50', name => 'name[prefix]=kettle&sort=name&limit=50', rating => 'rating[gte]=2&sort=-rating&limit=50',
    category => 'category=c3&limit=50', search => 'q=red kettle&limit=50');
sub ask { my ($part) = @_; return $server->api(GET => "/products?$questions{$part}" =~ s/ /%20/gr) }
sub ids { my ($part) = @_; my $r = ask($part); return $r->{status} == 200 ? join ' ', map { $_->{id} } @{ $r->{json}{data} } : $r->{status} }
sub ids_of_all { return { map { $_ => ids($_) } keys %questions } }

my $number = 0;
sub import_products {
    my ($count) = @_;
    my $file = join '', "name,price,category,rating\n",
        map { my $n = ++$number; sprintf "%s kettle %d,%d,c%d,%s\n", $n % 3 ? 'red' : 'green', $n, $n % 97, $n % 7, $n % 5 ? $n % 5 : '' } 1 .. $count;
    is(ctl_for($server, { in => $file }, qw(import --products csv))->{status}, 0, "$count products are imported");
}

# ---- what is there already ----

import_products($PRODUCTS);
my $fresh = definitions();
my $answers = ids_of_all();
unlike(join(' ', values %$answers), qr/\b\d{3}\b(?!-)/, 'all questions are answered');
is_deeply(ctl_for($server, 'index'), { status => 0, out => "$PRODUCTS products, 0 indexed anew\n", err => '' }, 'nothing to do');

# ---- drop, build ----

sub is_as_fresh {
    my ($name) = @_;
    is_deeply(definitions(), $fresh, "$name: the indexes are those of a new database");
    is(complete(), 'category name price rating search', "$name: all parts can be used");
    is_deeply(ids_of_all(), $answers, "$name: lists are as before");
    is(problems(ctl_for($server, 'check')), '', "$name: check finds no problem");
}

restart_with($OF_PRICE);
my @unused = sort map { $_->{detail} } grep { $_->{what} eq 'index' && $_->{detail} =~ /not used/ } listed(ctl_for($server, 'check'));
is_deeply(\@unused, [map { "products_by_$_ is not used; to drop it, run: catalogctl index" } qw(name rating)], 'check names unused indexes');
my $size = qr/(?:, \d+\.\d MB)?/;
like(ctl_for($server, qw(index --dry-run))->{out}, qr/\A(?:drop products_by_(?:name|rating) \((?:name|rating)_key, n, category\)$size\n){2}$PRODUCTS products, $PRODUCTS to be indexed anew\n\z/,
    '--dry-run says what would be dropped and emptied');
is_deeply(definitions(), $fresh, 'and does not do it');
my $r = ctl_for($server, 'index');
is_deeply([@$r{qw(status err)}], [0, ''], 'catalogctl index succeeds');
like($r->{out}, qr/\A(?:products_by_(?:name|rating) dropped in \d+\.\d s\n){2}$PRODUCTS products, $PRODUCTS indexed anew\n\z/, 'and says what it dropped');
is(names(), 'products_by_category products_by_category_key products_by_category_price products_by_price', 'these are gone');
is(built(), 'category price search', 'the database says so to servers');
is(value('SELECT COUNT(*) FROM products WHERE name_key IS NOT NULL OR rating_key IS NOT NULL'), 0, 'the columns are empty');
is(problems(ctl_for($server, 'check')), '', 'check finds no problem');
is(ids('price'), $answers->{price}, 'the part that is left is used');
answers(ask('name'), 400, invalid('name[prefix]' => 'no_index', sort => 'no_index'), 'a part without an index is refused');

# A part that CatalogIndex names again is not ready until its index is built.
restart_with('category price name rating search');
expect_log(qr/CAT063: .*no indexes for these parts of CatalogIndex: name rating; run: catalogctl index/);
answers(ask('name'), 503, { success => false, message => 'Service unavailable', error => 'the products are being indexed: 0 %' }, 'a part whose index is not built', 'retry-after' => qr/^\d+$/);
is(ids('price'), $answers->{price}, 'others are used meanwhile');
like(problems(ctl_for($server, 'check')), qr/\A(?:index: products_by_(?:name|rating) is missing; run: catalogctl index\n){2}index: name rating: not built, or not completely; run: catalogctl index\z/,
    'check names what is missing');
ok(wait_until(20, sub { $server->log_text =~ /CAT063/ }), 'the server says what to do');
is(names(), 'products_by_category products_by_category_key products_by_category_price products_by_price', 'servers do not build indexes');
like(ctl_for($server, qw(index -n))->{out}, qr/\A(?:build products_by_(?:name|rating) \(\w+, n, category\)\n){2}$PRODUCTS products, (\d+) to be indexed anew\n\z/, '--dry-run says what would be built');
$r = ctl_for($server, 'index');
like($r->{out}, qr/\A(?:products_by_(?:name|rating) built in \d+\.\d s\n){2}$PRODUCTS products, \d+ indexed anew\n\z/, 'catalogctl index builds them');
is_as_fresh('after dropping and building');

# ---- while servers read and write; a second one waits; the first is killed ----

# Starts catalogctl in a process of its own. Returns its id and the file of its output.
sub begin_index {
    my $file = scratch() . '/out';
    my $pid = fork // die "fork: $!\n";
    if (!$pid) {
        open STDOUT, '>', $file;
        open STDERR, '>&', \*STDOUT;
        exec command_for($server, 'index') or POSIX::_exit(127);
    }
    return ($pid, $file);
}

# Reads and writes. Returns the statuses that no client should see.
sub use_server {
    my ($parts) = @_;
    my @wrong;
    my $made = $server->api(POST => '/products', { name => 'blue pot', price => 5, category => 'other' }, %user);
    push @wrong, "POST $made->{status}" if $made->{status} != 201;
    for my $part (@$parts) {
        my $status = ask($part)->{status};
        push @wrong, "$part $status" if $status != 200 && $status != 503;
    }
    my $gone = $server->api(DELETE => '/products/' . ($made->{json}{data}{id} // 'none'), undef, %user)->{status};
    push @wrong, "DELETE $gone" if $gone != 200;
    sleep 0.05; # most of the machine is for catalogctl
    return @wrong;
}

# The process that will do it, so that no request delays the end.
sub kill_after {
    my ($delay, $pid) = @_;
    my $killer = fork // die "fork: $!\n";
    return $killer if $killer;
    sleep $delay;
    kill KILL => $pid;
    POSIX::_exit(0);
}

my @rounds = ([$OF_PRICE, [qw(price search)]], ['category price name rating search', [keys %questions]], ['none', []],
    ['category price name rating search', [keys %questions]]);
expect_log(qr/CAT063/);
for my $round (@rounds) {
    my ($parts, $asked) = @$round;
    restart_with($parts);
    my @wrong;
    my $kills = 0;
    for my $delay (0.05, 0.2, 0.6) { # case: catalogctl is killed while it works
        my ($pid) = begin_index();
        my $killer = kill_after($delay, $pid);
        push @wrong, use_server($asked) until waitpid($killer, POSIX::WNOHANG());
        waitpid $pid, 0;
        $kills += ($? & 127) == POSIX::SIGKILL();
    }
    cmp_ok($kills, '>', 0, "$parts: killed while it worked");
    my ($pid, $out) = begin_index();
    push @wrong, use_server($asked) while waitpid($pid, POSIX::WNOHANG()) == 0;
    is($?, 0, "$parts: another run completes the work") or diag slurp($out);
    is(join(' ', @wrong), '', "$parts: clients see nothing of it, but lists that are not ready");
    my %kept = map { $_ => 1 } split ' ', $parts;
    is(names(), join(' ', sort grep { $kept{ $part_of{$_} } } keys %part_of), "$parts: the right indexes are there");
    is(complete(), join(' ', sort grep { $_ ne 'none' } keys %kept), "$parts: the right parts can be used");
    is(value('SELECT COUNT(*) FROM product_words') > 0, !!$kept{search}, "$parts: words are there if they are wanted");
    is(ids($_), $answers->{$_}, "$parts: the list by $_ is as before") for @$asked;
    is(problems(ctl_for($server, 'check')), '', "$parts: check finds no problem");
}
is_as_fresh('after all of that');

# ---- one at a time ----

my %hold = (
    mysql => [q(SELECT GET_LOCK(CONCAT('mod_catalog.index.', LEFT(SHA2(DATABASE(), 256), 32)), 0))],
    pgsql => [q(SELECT pg_try_advisory_lock(x'0d1d39d564b19c4e'::bigint))],
);
my $holder = $server->database;
my $lock;
if (driver eq 'sqlite3') {
    open $lock, '<', $server->dir . '/data' or die "data: $!\n";
    flock $lock, 2 or die "flock: $!\n"; # LOCK_EX
} else {
    $holder->selectrow_array(@{ $hold{ +driver } });
}
my ($pid, $out) = begin_index();
ok(wait_until(20, sub { slurp($out) =~ /\Acatalogctl: waiting for another catalogctl index\n\z/ }), 'a second one says that it waits');
sleep 0.5;
is(waitpid($pid, POSIX::WNOHANG()), 0, 'and waits');
$lock = undef;
$holder->disconnect;
waitpid $pid, 0;
is($?, 0, 'until the first one has ended');

# ---- others have locked products for longer than three writes wait ----

if (driver ne 'sqlite3') { # where any writer would be in the way of what comes before the products, too
    my $writer = $server->database;
    $writer->begin_work;
    $writer->selectall_arrayref(q(SELECT id FROM products WHERE price = '50' FOR UPDATE));
    ($pid, $out) = begin_index();
    sleep 11;
    is(waitpid($pid, POSIX::WNOHANG()), 0, 'catalogctl index waits for products that another program has locked');
    $writer->rollback;
    waitpid $pid, 0;
    is($?, 0, 'and succeeds after that');
    is(slurp($out), value('SELECT COUNT(*) FROM products') . " products, 0 indexed anew\n", 'without a complaint');
}

# ---- indexes that something else has dropped or left ----

my %drop = (mysql => 'ALTER TABLE products DROP INDEX products_by_price', map { $_ => 'DROP INDEX products_by_price' } qw(pgsql sqlite3));
$db->do($drop{ +driver });
like(problems(ctl_for($server, 'check')), qr/^index: products_by_price is missing; run: catalogctl index$/, 'check names an index that somebody has dropped');
is(ctl_for($server, 'index')->{status}, 0, 'catalogctl index builds it again');
is_as_fresh('after that');
if (driver eq 'pgsql') { # as CREATE INDEX CONCURRENTLY leaves it that was interrupted
    my $open = $server->database;
    $db->do($drop{ +driver });
    $open->begin_work;
    $open->do(q(UPDATE products SET name = name WHERE id = (SELECT MAX(id) FROM products)));
    $db->do(q(SET statement_timeout = 500));
    eval { $db->do('CREATE INDEX CONCURRENTLY products_by_price ON products (price_key, n, category) WHERE price_key IS NOT NULL') };
    $db->do(q(SET statement_timeout = 0));
    $open->rollback;
    like(definitions()->{products_by_price}, qr/INVALID/, 'an index is invalid');
    like(problems(ctl_for($server, 'check')), qr/^index: products_by_price is invalid, because its creation was interrupted; run: catalogctl index$/, 'check says so');
    like(ctl_for($server, qw(index -n))->{out}, qr/^build products_by_price \(price_key, n, category\).*, because it is invalid$/m, 'and --dry-run');
    is(ctl_for($server, 'index')->{status}, 0, 'catalogctl index builds it anew');
    is_as_fresh('after that');
}

# ---- behind a transaction that stays open ----

if (driver ne 'sqlite3') { # whose readers are in nobody's way
    my $open = $server->database;
    $db->do($drop{ +driver });
    $open->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ') if driver eq 'mysql';
    $open->begin_work;
    $open->do('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ') if driver eq 'pgsql';
    $open->selectrow_array('SELECT COUNT(*) FROM products');
    my ($waiting) = begin_index();
    my @wrong;
    my $until = Time::HiRes::time() + 4; # longer than the two seconds before the index is built
    push @wrong, use_server([qw(name search)]) while Time::HiRes::time() < $until;
    is(waitpid($waiting, POSIX::WNOHANG()), 0, 'catalogctl index waits for the end of a transaction');
    is(join(' ', @wrong), '', 'clients do not');
    $open->rollback;
    waitpid $waiting, 0;
    is($?, 0, 'then it goes on');
    is_as_fresh('after that');
}

# ---- at a terminal ----

$db->do($drop{ +driver });
my $shown = run({}, at_terminal(command_for($server, 'index')))->{out};
my $waits = driver eq 'sqlite3' ? '; writers wait' : '';
like($shown, qr/products_by_price is being built$waits\r?\n/, 'the progress names the index, and whether writers wait');
like($shown, qr/100 %/, 'and then counts the products');

done_testing;
