# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: GET /products/:id
# route: POST /products
# route: PUT /products/:id
# route: DELETE /products/:id
# The response cache: when it serves a response, and when it must not. Exactly one child, so that each hit is predictable.
use CatalogTest;
use Time::HiRes qw(sleep time);

my $one_child = mpm() eq 'prefork' ? "StartServers 1\nMinSpareServers 1\nMaxSpareServers 1\nMaxRequestWorkers 1"
    : "StartServers 1\nMinSpareThreads 1\nMaxSpareThreads 32\nMaxRequestWorkers 32";
my $status = "$one_child\n<Location \"/server-status\">\n    SetHandler server-status\n</Location>\n";
my $is_file = driver eq 'sqlite3';
my $rewrite = "RewriteEngine On\nRewriteRule ^/rewritten/(.*)\$ /api/\$1 [PT]\n";
my $token = forge();
my $age = $is_file ? '' : 'CatalogCacheMaxAge 3600';
my $server = server(conf => $status . $rewrite, mount => $age)->start;

sub counts { return { map { /^CatalogCache(\w+): (\d+)/ ? ($1 => $2) : () }
    split /\n/, $_[0]->api(GET => '/server-status?auto', mount => '')->{body} } }

sub ask { return $_[0]->api(GET => $_[1]) }
sub create { return $_[0]->api(POST => '/products', { name => $_[1], price => 1 }, token => $token)->{json}{data}{id} }

# How many of these answers came from the cache.
sub kept {
    my ($server, @paths) = @_;
    my $before = counts($server)->{Hits};
    ask($server, $_) for @paths;
    return counts($server)->{Hits} - $before;
}

# Reads until the connection has returned to the pool and the response is in the cache.
sub warm { my ($server, @paths) = @_; ask($server, $_) for (@paths) x 4 }

my @ids = map { create($server, "p$_") } 1 .. 12;
my $one = "/products/$ids[0]";
my $other = "/products/$ids[1]";

# ---- what the cache stores ----

my @paths = ($one, '/products', '/products?limit=5', '/products?page=2&limit=5', '/products?cursor=&limit=5');
for my $path (@paths) {
    my $first = ask($server, $path);
    warm($server, $path);
    is(kept($server, $path), 1, "$path is cached");
    my $again = ask($server, $path);
    delete @{ $_->{headers} }{qw(date x-request-id)} for $first, $again;
    is_deeply([@$again{qw(status headers body)}], [@$first{qw(status headers body)}], "$path is the same from the cache");
}
my $cursor = ask($server, '/products?cursor=&limit=5')->{json}{pagination}{nextCursor};
warm($server, "/products?cursor=$cursor&limit=5");
is(kept($server, "/products?cursor=$cursor&limit=5"), 1, 'a page behind a cursor is cached');
is(kept($server, '/products?limit=10', '/products?page=1', '/products?page=x'), 3, 'different spellings of a query share an entry');
my $tag = ask($server, $one)->{headers}{etag};
is($server->api(GET => $one, headers => { 'If-None-Match' => $tag })->{status}, 304, 'the cache evaluates a condition');
my $head = $server->api(HEAD => $one);
is($head->{headers}{'content-length'}, length ask($server, $one)->{body}, 'HEAD has the length of the cached answer');
warm($server, '/products?page=9', '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b');
is(kept($server, '/products?page=9', '/products/01a1fd8d-47a8-77ac-9778-38d2c78c295b'), 0,
    'the cache stores neither a page past the end nor a 404');

# ---- our own writes ----

warm($server, @paths, $other);
answers($server->api(PUT => $one, { price => 7 }, token => $token), 200, undef, 'the product is updated');
answers(ask($server, $one), 200, sub { $_[0]{data}{price} == 7 }, 'the product is new at once');
ok((grep { $_->{price} == 7 } @{ ask($server, '/products?limit=100')->{json}{data} }), 'a list has the new product');

warm($server, '/products');
my $new = create($server, 'new');
is(ask($server, '/products')->{json}{pagination}{total}, 13, 'the list has the created product');
warm($server, '/products', "/products/$new");
$server->api(DELETE => "/products/$new", token => $token);
is(ask($server, "/products/$new")->{status}, 404, 'the deleted product gets a 404');
is(ask($server, '/products')->{json}{pagination}{total}, 12, 'the list does not have the deleted product');

# ---- names ----

# Until the first write, a new server tells lists and products apart only by their names; a rewrite rule leaves spaces in them.
$server->stop;
$server->start;
warm($server, '/products?limit=10');
is($server->api(GET => "/products/$_", mount => '/rewritten')->{status}, 404, "no cached list answers for the product $_")
    for 'page%2010%201', 'page/10%201', 'page%2F10%201';

# ---- others' writes ----

sub changed_behind_its_back {
    my ($what, $do) = @_;
    warm($server, $one);
    my $before = ask($server, $one)->{json}{data}{price};
    $do->($before + 1);
    return answers(ask($server, $one), 200, sub { $_[0]{data}{price} == $before + 1 }, $what);
}

my $update = sub { my ($db, $price) = @_; $db->do('UPDATE products SET price = ? WHERE id = ?', undef, $price, $ids[0]) };
if ($is_file) {
    my $db = $server->database;
    changed_behind_its_back('another program\'s change is visible at once', sub { $update->($db, @_) }) for 1 .. 5;
    changed_behind_its_back('a change in the database file alone is visible', sub {
        $update->($db, @_);
        $db->do('PRAGMA wal_checkpoint(TRUNCATE)');
    });
    warm($server, $one);
    is(kept($server, $one), 1, 'after another program\'s change answers are cached again');
    changed_behind_its_back('a change before a VACUUM is visible', sub { $update->($db, @_); $db->do('VACUUM') });
    changed_behind_its_back('a change by a program that ends at once is visible', sub {
        my ($price) = @_;
        my $pid = fork // die;
        if (!$pid) {
            $update->($server->database, $price);
            POSIX::_exit(0);
        }
        waitpid $pid, 0;
    });
    changed_behind_its_back('a change after one by the server is visible', sub {
        my ($price) = @_;
        $server->api(PUT => $one, { price => 99 }, token => $token);
        $update->($db, $price);
    });
    changed_behind_its_back('a database restored from a copy is visible', sub {
        my ($price) = @_;
        my $copy = $server->dir . '/copy.db';
        $db->sqlite_backup_to_file($copy);
        my $other = DBI->connect("dbi:SQLite:dbname=$copy", '', '', { RaiseError => 1 });
        $update->($other, $price);
        $other->disconnect;
        $db->sqlite_backup_from_file($copy);
    });
    $db->disconnect;

    # All connections are closed and the files beside the database deleted; new files look like those at the start.
    $server->stop;
    $server->start;
    changed_behind_its_back('a change while all children are dead is visible', sub {
        my ($price) = @_;
        kill STOP => $server->{pid};
        kill KILL => $server->children;
        $update->($server->database, $price);
        my $is_last = sub {
            $server->database->selectrow_array('SELECT 1 FROM products');
            return !-e $server->dir . '/data/catalog.db-shm';
        };
        ok(wait_until(10, $is_last), 'the WAL-index is deleted');
        kill CONT => $server->{pid};
        ok(wait_until(10, sub { $server->api(GET => '/health/live')->{status} == 200 }), 'httpd starts new children');
        warm($server, $other); # again with a pooled connection
    });
    warm($server, $one);
    is(kept($server, $one), 1, 'the new children cache answers again');
}

# ---- the directives ----

my $off = server(conf => "$status\nCatalogCacheSize 0\n", mount => $age)->start;
my $id = create($off, 'off');
warm($off, "/products/$id");
is_deeply(counts($off), { map { $_ => 0 } qw(Hits Misses Stored Invalidations) }, 'CatalogCacheSize 0 disables the cache');
$off->stop;

if (!$is_file) {
    my $shared = server(conf => $status)->start;
    my $path = '/products/' . create($shared, 'shared');
    warm($shared, $path);
    is(kept($shared, $path), 0, 'answers from a shared database are not cached by default');
    $shared->stop;

    my $brief = server(conf => $status, mount => 'CatalogCacheMaxAge 1')->start;
    my $brief_id = create($brief, 'brief');
    $path = "/products/$brief_id";
    warm($brief, $path);
    is(kept($brief, $path), 1, 'CatalogCacheMaxAge caches answers from a shared database');
    $brief->database->do('UPDATE products SET price = 5 WHERE id = ?', undef, $brief_id);
    my $start = time;
    ok(wait_until(5, sub { ask($brief, $path)->{json}{data}{price} == 5 }), 'the cached answer expires');
    takes_less(time - $start, 2.5, 'the cached answer expires after CatalogCacheMaxAge');
    $brief->stop;
}

# Two mounts of one database, and a third one of another.
my $mounts = server(conf => $status . join('', map { <<"END" } ['two', ''], ['three', qq(CatalogAudience three\n    CatalogDatabase \@driver\@ "\@params:own\@")])
<Location "/$_->[0]">
    CatalogEnable   On
    CatalogKeyFile  "\@key\@"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
    CatalogDefaultLimit 1
    $age
    $_->[1]
</Location>
END
    , mount => $age)->start;
my $at = sub { my ($mount, $path) = @_; return $mounts->api(GET => $path, mount => "/$mount") };
my $both = create($mounts, 'both');
create($mounts, 'both');
$at->($_->[0], $_->[1]) for (map { my $m = $_; map { [$m, $_] } '/products', "/products/$both" } qw(api two three)) x 4;
my $hits = counts($mounts)->{Hits};
is($at->(two => "/products/$both")->{body}, $at->(api => "/products/$both")->{body}, 'mounts share the cache of one database');
is(counts($mounts)->{Hits} - $hits, 2, 'an answer cached by one mount answers the other');
is($at->(three => "/products/$both")->{status}, 404, 'a mount of another database has its own answers');
is(scalar @{ $at->(two => '/products')->{json}{data} }, 1, 'a mount has its own page size');
is(scalar @{ $at->(api => '/products')->{json}{data} }, 2, 'the other mount has its own page size');
$mounts->api(PUT => "/products/$both", { price => 3 }, token => $token, mount => '/two');
answers($at->(api => "/products/$both"), 200, sub { $_[0]{data}{price} == 3 }, 'an update by one mount is visible in the other');

allow_log(qr/AH00052: child pid \d+ exit signal Killed/, qr/AH00161: /); # prefork has a single child here
done_testing;
