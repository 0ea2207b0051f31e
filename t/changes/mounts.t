# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id/history
# route: POST /products/:id/restore
# route: POST /changes/batches/:batch/undo
# Mounts of one database that have other fields, no pictures or no history; and products that are named, not numbered.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Image qw(png %TYPE);

my $same = 'CatalogEnable On' . "\nCatalogKeyFile " . key_path . "\nCatalogIssuer https://catalog.test\nCatalogAudience catalog-test\n";
my $server = server(mount => <<'END', conf => <<"END2")->start;
CatalogField      sku string unique
CatalogField      note string index search
CatalogImages     On
CatalogImageCache "@dir@/data"
END
<Location "/bare">
$same
</Location>
<Location "/off">
$same
CatalogHistory Off
CatalogField   sku string unique
CatalogImages  On
CatalogImageCache "\@dir\@/data"
</Location>
<Location "/short">
$same
CatalogHistory 1s
CatalogImages  On
CatalogImageCache "\@dir\@/data"
</Location>
END2
my $token = register($server)->{token};
my $db = $server->database;

sub ask {
    my ($mount, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    return CatalogTest::Http::request($server->port, $method, "/$mount$path", $body, @more, token => $token);
}
sub made { return ask('api', POST => '/products', { name => 'Cup', price => 1, @_ })->{json}{data} }
sub stored { return ask('api', GET => "/products/$_[0]{id}")->{json}{data} }
sub newest { return ask('api', GET => '/changes/batches?limit=1')->{json}{data}[0]{batch} }
sub entries { @{ ask('api', GET => "/products/$_[0]{id}/history")->{json}{data} } }

# ---- fields that the mount does not have ----

my $cup = made(sku => 'C-1', note => 'old');
for my $change ({ note => 'new', price => 2 }, { note => 'new' }, { note => undef }, { sku => undef, note => undef, price => 3 }) {
    ask('api', PATCH => "/products/$cup->{id}", $change);
    my $batch = newest();
    my $after = stored($cup);
    is(ask('bare', POST => "/changes/batches/$batch/undo")->{json}{changed}, 1, join(' ', sort keys %$change) . ': a mount that lacks a field undoes the batch');
    is_deeply(stored($cup), $cup, 'all fields are what they were');
    is(ask('bare', POST => '/changes/batches/' . newest() . '/undo')->{json}{changed}, 1, 'the undo is undone');
    is_deeply(stored($cup), $after, 'with all fields');
    my ($entry) = grep { $_->{op} eq 'update' && $_->{batch} == $batch } entries($cup);
    answers(ask('bare', POST => "/products/$cup->{id}/restore", { seq => $entry->{seq} }), 200, undef, 'and restores the product');
    is_deeply(stored($cup), $cup, 'all fields are what they were');
}
is(ask('api', GET => '/products?note=old')->{json}{pagination}{total}, 1, 'the product is found by them');
is(problems(ctl_for($server, '--mount', '/api', 'check')), '', 'all counts and keys are right');

# ---- pictures, where the mount has none ----

ask('api', POST => "/products/$cup->{id}/images", png(40, 20), headers => { 'Content-Type' => $TYPE{png} });
my $shown = stored($cup);
ask('api', DELETE => "/products/$cup->{id}");
is(ask('bare', POST => '/changes/batches/' . newest() . '/undo')->{json}{changed}, 1, 'a mount without pictures undoes a deletion');
is_deeply(stored($cup), $shown, 'the product has its picture');
is($db->selectrow_array('SELECT COUNT(*) FROM images WHERE dropped_at IS NOT NULL'), 0, 'which stays');

# What one mount can still restore is kept by the others, too, whose history is shorter, or Off.
ask('api', DELETE => "/products/$cup->{id}");
$db->do('UPDATE images SET dropped_at = dropped_at - 600000');
my $changes = $db->selectrow_array('SELECT COUNT(*) FROM changes');
sleep 12; # each job runs every five seconds
is($db->selectrow_array('SELECT COUNT(*) FROM changes'), $changes, 'no change is deleted');
is(ask('api', POST => '/changes/batches/' . newest() . '/undo')->{json}{changed}, 1, 'the deletion is undone');
is_deeply(stored($cup), $shown, 'the product has its picture');

# ---- names ----

answers(ask('api', GET => '/products/sku=C-1/history'), 200, undef, 'the history of a product by its name');
my ($update) = grep { $_->{op} eq 'update' } entries($cup);
answers(ask('api', POST => '/products/sku=C-1/restore', { seq => $update->{seq} }), 200, undef, 'restore one by its name');
answers(ask('api', GET => '/products/sku=C-2/history'), 404, refusal(), 'no product has the name');
answers(ask('bare', GET => '/products/sku=C-1/history'), 404, refusal(), 'the mount has no such field');
answers(ask('api', GET => '/products/' . uc($cup->{id}) . '/history'), 200, undef, 'ids may have capital letters');

# ---- changes that were not noted ----

my $lost = made(sku => 'L-1', note => 'x');
ask('api', PATCH => "/products/$lost->{id}", { price => 5 });
is(ask('off', DELETE => "/products/$lost->{id}")->{status}, 200, 'a mount without a history deletes a product');
my @entries = entries($lost);
is(join(' ', map { $_->{op} } @entries), 'update create', 'its deletion is not in the history');
is_deeply([map { $_->{changes} } @entries], [{}, {}], 'nobody knows what it was');
answers(ask('api', POST => "/products/$lost->{id}/restore", { seq => $_->{seq} }), 409, refusal(error => qr/./), "it does not come back: $_->{op}", 'catalog-problem' => 'nothing-to-restore')
    for @entries;

done_testing;
