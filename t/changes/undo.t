# SPDX-License-Identifier: Apache-2.0
# route: GET /changes/batches
# route: POST /changes/batches/:batch/undo
# again: pgsql
# Batches of changes are listed and taken back: afterwards every product that nobody has touched since is as it was, to the last octet of
# its row and of what is derived of it, but for the time of its last change.
use utf8;
use CatalogTest;
use CatalogTest::Changes qw(state_of difference);
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Image qw(png %TYPE);
use Time::HiRes qw(sleep);

my $server = server(mount => <<'END')->start;
CatalogWriteRole  editor
    CatalogMaxLimit   1000
    CatalogImages     On
    CatalogImageCache "@dir@/data"
    CatalogField      sku string unique
    CatalogField      slug string unique from=name
    CatalogField      tags strings index facet
    CatalogField      weight number index
    CatalogField      brand string index facet search
    CatalogField      note text search detail
    CatalogField      extra json
    CatalogField      seen time index
    CatalogField      updatedAt modified index
END
my $reader = register($server);
my $user = register($server);
ctl_for($server, 'user', 'role', $_->{user}{username}, 'editor') for $user;
my $token = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};
my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub made { my ($name, %more) = @_; return ask(POST => '/products', { name => $name, price => 1, %more })->{json}{data} }
sub stored { return ask(GET => "/products/$_[0]{id}")->{json}{data} }
sub operate { return ask(POST => '/products/batch', { operations => [@_] }) }
sub update { my ($product, %body) = @_; return { op => 'update', id => ref $product ? $product->{id} : $product, body => \%body } }
sub batches { return ask(GET => '/changes/batches' . ($_[0] // ''))->{json} }
sub newest { return batches('?limit=1')->{data}[0] }
sub undo { my ($batch, @more) = @_; return ask(POST => '/changes/batches/' . ($batch // newest()->{batch}) . '/undo', @more) }
sub total { return ask(GET => "/products?$_[0]")->{json}{pagination}{total} }
sub undone {
    my ($changed, $failed, @errors) = @_;
    return { success => true, message => 'Batch undone', $changed ? (batch => qr/^\d+$/) : (), matched => $changed + $failed, changed => $changed,
        unchanged => 0, failed => $failed, errors => \@errors };
}
sub touched { return { id => $_[0]{id}, field => '', code => 'changed', message => qr/./ } }
sub taken { return { id => $_[0]{id}, field => $_[1] // 'sku', code => 'taken', message => qr/./ } }

# Does something, takes it back, and compares. Returns the batch, and that of the undo.
sub goes_back {
    my ($name, $changed, $do) = @_;
    my $before = state_of($server);
    answers($do->(), 200, undef, $name);
    my $batch = newest();
    my $after = state_of($server);
    isnt(difference($before, $after), '', 'it changes something');
    answers(undo($batch->{batch}), 200, undone($changed, 0), 'it is undone');
    is(difference($before, state_of($server)), '', 'all is as it was');
    my $undo = newest();
    is("$undo->{source} $undo->{undoes} $undo->{rows}", "undo $batch->{batch} $changed", 'the undo is a batch');
    answers(undo($undo->{batch}), 200, undone($changed, 0), 'which is undone');
    is(difference($after, state_of($server)), '', 'all is as it was made');
    answers(undo(), 200, undone($changed, 0), 'and once more');
    is(difference($before, state_of($server)), '', 'all is as it was at first');
    is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');
    return ($batch, $undo);
}

my %full = (price => 19.99, category => 'Tee & Co.', rating => 4.5, tags => ['red', 'blau "ä"'], weight => 1e21, brand => 'Ácme', note => "one\ntwo",
    extra => { b => [1, 2.50, undef], a => { x => 'ü' } }, seen => '2026-11-21T16:17:07.937Z');
my @some = map { made("cup $_", %full, sku => "C-$_") } 1 .. 6;
my @plain = map { made("plain $_") } 1 .. 3;

# ---- a request ----

my $made = made('alone');
my $list = batches();
is($list->{pagination}{total}, 10, 'each request is a batch');
is_deeply($list->{data}[0], { batch => $list->{data}[0]{batch}, at => $list->{data}[0]{at}, by => { id => $user->{user}{id}, username => $user->{user}{username} },
    source => 'request', rows => 1, undone => false }, 'the newest is the first');
like($list->{data}[0]{$_->[0]}, $_->[1], "with its $_->[0]") for [batch => qr/^\d+$/], [at => $TIME];
answers(undo(), 200, undone(1, 0), 'a creation is undone');
answers(ask(GET => "/products/$made->{id}"), 404, undef, 'the product is gone');
is(batches()->{data}[1]{undone}, true, 'the list says that it was undone');
answers(undo(), 200, undone(1, 0), 'the undo is undone');
is_deeply({ %{ stored($made) }, updatedAt => 1 }, { %$made, updatedAt => 1 }, 'the product is back, with its id and time');
isnt(stored($made)->{updatedAt}, $made->{updatedAt}, 'it was changed just now');
is(ask(GET => '/products?limit=1')->{json}{data}[0]{id}, $made->{id}, 'it stands where it was in the list');

goes_back('an update', 1, sub { ask(PUT => "/products/$some[0]{id}", { price => 3, rating => undef, tags => [], sku => 'D-1', extra => 5, note => undef }) });
goes_back('a patch', 1, sub { ask(PATCH => "/products/$plain[0]{id}", { weight => 2, brand => 'x', seen => '2020-01-01T00:00:00Z', inStock => false }) });
goes_back('a deletion', 1, sub { ask(DELETE => "/products/$some[1]{id}") });
is(ask(GET => '/products/sku=C-2')->{json}{data}{id}, $some[1]{id}, 'its name is its own again');

# ---- batches ----

goes_back('a batch of all kinds', 7, sub { operate({ op => 'create', body => { name => 'new 1', price => 1, sku => 'N-1' } },
    { op => 'create', body => { name => 'new 2', price => 2, tags => ['red'] } }, { op => 'delete', id => $some[2]{id} }, { op => 'delete', id => $plain[1]{id} },
    update($some[3], name => 'other', price => 0, category => '', inStock => false, rating => 1), update($some[4], sku => undef, brand => 'Neu'),
    update($plain[0], %full, sku => 'P-1')) });
goes_back('several changes of one product', 3, sub { operate(update($some[0], price => 5), update($some[0], rating => undef), { op => 'delete', id => $some[0]{id} },
    { op => 'create', body => { name => 'short', price => 1, sku => 'C-1' } }, update('sku=C-1', sku => 'S-1', price => 7),
    update($plain[2], sku => 'C-1')) });
goes_back('two products that change their unique values', 2, sub { operate(update($some[0], sku => 'X'), update($some[1], sku => 'C-1'), update($some[0], sku => 'C-2')) });
goes_back('all that match', 6, sub { ask(POST => '/products/batch', { where => 'category=Tee%20%26%20Co.', set => { category => 'tea', rating => undef },
    adjust => { price => { percent => 10, round => 2 } } }) });
goes_back('the deletion of all that match', 10, sub { ask(POST => '/products/batch', { where => '', delete => true }) });

# ---- import ----

my $csv = { 'Content-Type' => 'text/csv' };
goes_back('an import', 200, sub { ask(POST => '/products/import', "name,price,sku\n" . join('', map { "i$_,$_,I-$_\n" } 1 .. 200), headers => $csv) });
goes_back('an import that updates and creates', 5, sub { ask(POST => '/products/import?mode=upsert&key=sku',
    "sku,name,price,tags,rating\nC-1,one,7,,\nC-2,two,8,a|b,2\nQ-1,three,9,,\nQ-2,four,10,,\nC-6,cup 6,19.99,,\nC-1,one more,1,,5\n", headers => $csv) });

# ---- pictures ----

my @images = map { ask(POST => "/products/$some[$_->[0]]{id}/images?alt=$_->[1]", png(700, 350), headers => { 'Content-Type' => $TYPE{png} })->{json}{data} }
    [0, 'front'], [0, 'back'], [0, 'side'], [1, 'one'];
my @named = map { { id => $_->{id} } } @images;
sub shows { return $server->api(GET => $_[0]{url} =~ s{^/api}{}r)->{status} }
goes_back('the deletion of products with pictures', 2, sub { operate({ op => 'delete', id => $some[0]{id} }, { op => 'delete', id => $some[1]{id} }) });
is_deeply(stored($some[0])->{images}, [@images[0 .. 2]], 'they are there again');
is(join(' ', map { shows($_) } @images), '200 200 200 200', 'so are their files');
goes_back('pictures that are dropped, named and put in another order', 1,
    sub { ask(PATCH => "/products/$some[0]{id}", { images => [{ %{ $named[2] }, alt => 'Seite' }, $named[0]] }) });
goes_back('a picture that is deleted', 1, sub { ask(DELETE => "/products/$some[0]{id}/images/$images[1]{id}") });
is_deeply(stored($some[0])->{images}, [@images[0 .. 2]], 'it is at its place again');
is(join(' ', map { shows($_) } @images), '200 200 200 200', 'with its files');

# ---- what was touched since ----

my $r = operate(map { update($_, price => 50) } @some[0 .. 3]);
my $batch = newest()->{batch};
ask(PUT => "/products/$some[1]{id}", { rating => 2 });
ask(DELETE => "/products/$some[2]{id}");
my ($second, $third) = (stored($some[1]), stored($some[2]));
answers(undo($batch), 200, undone(2, 2, touched($some[2]), touched($some[1])), 'products that somebody has touched since are named');
is_deeply(stored($some[1]), $second, 'and stay as they are');
is(stored($some[2]), undef, 'deleted, too');
is(join(' ', map { stored($some[$_])->{price} } 0, 3), '19.99 19.99', 'the others go back');
answers(undo($batch), 409, refusal(message => 'Already undone', error => qr/./), 'a batch is undone once');

ask(PUT => "/products/$some[3]{id}", { rating => $_ }) for 1, 2;
$batch = batches('?limit=2')->{data}[1]{batch};
answers(undo($batch), 200, undone(0, 1, touched($some[3])), 'where all were touched, nothing is done');
is(stored($some[3])->{rating}, 2, 'the product stays');
answers(undo(), 200, undone(1, 0), 'the later change is undone');
is(stored($some[3])->{rating}, 1, 'to what was before it');
answers(undo($batch), 200, undone(0, 1, touched($some[3])), 'the undo is a later change, too');

# ---- values that were taken meanwhile ----

operate(update($some[4], sku => 'free', price => 2), { op => 'delete', id => $some[5]{id} }, update($some[3], rating => 5));
$batch = newest()->{batch};
my @owners = (made('owner 5', sku => 'C-5'), made('owner 6', sku => 'C-6'));
answers(undo($batch), 200, undone(1, 2, taken($some[5]), taken($some[4])), 'products whose values were taken meanwhile are named');
is(stored($some[4])->{price}, 2, 'they stay as they are');
is(stored($some[5]), undef, 'or deleted');
is(stored($some[3])->{rating}, 1, 'the others go back');
is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');
is(ask(GET => "/products/sku=$_->{sku}")->{json}{data}{id}, $_->{id}, "$_->{sku} is its new owner's") for @owners;

# case: of more products than are tried together
ask(POST => '/products/import', "name,price,sku\n" . join('', map { "t$_,1,T-$_\n" } 1 .. 120), headers => $csv);
ask(POST => '/products/batch', { where => 'name[prefix]=t', delete => true });
$batch = newest()->{batch};
ask(POST => '/products/import', "name,price,sku\n" . join('', map { "u$_,1,T-$_\n" } 1 .. 119), headers => $csv);
$r = undo($batch)->{json};
is(join(' ', @{$r}{qw(changed failed)}, scalar grep { $_->{code} eq 'taken' } @{ $r->{errors} }), '1 119 119', 'all are named');
is(ask(GET => '/products/sku=T-120')->{json}{data}{name}, 't120', 'the one whose value is free is back');

# case: a value that the server has made of another field, which others have by now
my ($kettle, $teapot, $chosen) = (made('Blue Kettle'), made('Teapot 2000'), made('Mug', slug => 'chosen'));
operate(update($kettle, slug => 'moved'), { op => 'delete', id => $teapot->{id} }, update($chosen, slug => 'other'));
$batch = newest()->{batch};
made('Blue Kettle') for 1 .. 3;
made('Teapot 2000');
made('Owner', slug => 'chosen');
answers(undo($batch), 200, undone(2, 1, taken($chosen, 'slug')), 'is made anew; one that a client chose is named');
is(stored($kettle)->{slug}, 'blue-kettle-4', 'of a product that is there');
is(stored($teapot)->{slug}, 'teapot-2000-2', 'and of one that was deleted');
answers(ask(GET => '/products/slug=teapot-2000-2'), 200, undef, 'which is found by it');
my ($seq) = map { $_->{seq} } grep { $_->{op} eq 'delete' } @{ ask(GET => "/products/$teapot->{id}/history")->{json}{data} };
answers(ask(POST => "/products/$teapot->{id}/restore", { seq => $seq }), 200, undef, 'it is restored again');
is(stored($teapot)->{slug}, 'teapot-2000-2', 'and keeps the value');
ask(DELETE => "/products/$teapot->{id}");
made('Owner', slug => 'teapot-2000-2');
($seq) = map { $_->{seq} } grep { $_->{op} eq 'delete' } @{ ask(GET => "/products/$teapot->{id}/history")->{json}{data} };
answers(ask(POST => "/products/$teapot->{id}/restore", { seq => $seq }), 200, undef, 'restored, too, a product gets another value');
is(stored($teapot)->{slug}, 'teapot-2000-3', 'the next one that is free');
is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');

# ---- products with many changes ----

# A product is read in portions of a hundred changes: those of the batch itself, and those of others since.
my ($often, $since) = (made('often', rating => 1), made('since', rating => 1));
operate(update($since, rating => 2), map { update($often, price => $_) } 2 .. 251);
$batch = newest()->{batch};
operate(map { update($since, price => $_) } 2 .. 251);
answers(undo($batch), 200, undone(1, 1, touched($since)), 'one that the batch changed 250 times goes back, one that was changed 250 times since is named');
is(stored($often)->{price}, $often->{price}, 'to what it was');
is(stored($since)->{rating}, 2, 'and stays');

# ---- two at once ----

$r = operate(map { update($_, weight => 7) } @some[0, 3, 4]);
$batch = newest()->{batch};
my $before = total('weight=7');
my @answers = $server->burst(map { wire(POST => "/changes/batches/$batch/undo", token => $token) } 1 .. 4);
is(join(' ', sort map { $_->{status} } @answers), '200 409 409 409', 'of several undos at once one is done');
is("$before " . total('weight=7'), '3 0', 'once');

# ---- what cannot be undone ----

my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
answers(undo($_), 404, refusal(message => 'Batch not found'), "an unknown batch: $_") for $unknown, 'x';
ask(PUT => "/products/$some[0]{id}", { rating => 1 });
$batch = newest()->{batch};
$db->do('UPDATE change_batches SET complete = 0 WHERE id = ?', undef, $batch);
answers(undo($batch), 409, refusal(message => 'Still running', error => qr/./), 'a batch that is still running');

# case: it ended with its server
$db->do('UPDATE changes SET at = at - 301000 WHERE batch = ?', undef, $batch);
my $job = '01a20000-0000-7000-8000-000000000001';
$db->do(q(INSERT INTO bulk_jobs (id, mount, user_id, request, dry_run, after_n, created_at, batch) VALUES (?, '/other', '', '{}', 0, 0, 0, ?)), undef, $job, $batch);
answers(undo($batch), 409, refusal(message => 'Still running', error => qr/./), 'a job waits for something');
$db->do('DELETE FROM bulk_jobs WHERE id = ?', undef, $job);
my $rating = stored($some[0])->{rating};
answers(undo($batch), 200, undone(1, 0), 'nobody has worked at it for five minutes');
isnt(stored($some[0])->{rating}, $rating, 'it is undone');
ask(PUT => "/products/$some[0]{id}", { rating => 3 });
$batch = newest()->{batch};
operate(map { update($_, rating => 4) } @some[0, 3]);
my $gone = newest()->{batch};
$db->do('DELETE FROM changes WHERE batch <> ? OR product_id = ?', undef, $gone, $some[0]{id});
answers(undo($_), 410, refusal(message => 'No longer in the history', error => qr/./), 'a batch that the history no longer has, or a part of it') for $batch, $gone;
is(stored($some[3])->{rating}, 4, 'nothing is changed');

# case: some of its changes may have been deleted, for which nobody looks in the whole history
ask(PUT => "/products/$some[3]{id}", { rating => 5 });
$batch = newest()->{batch};
my $month = 31 * 86_400_000;
$db->do("UPDATE change_batches SET at = at - $month WHERE id = ?", undef, $batch);
answers(undo($batch), 410, refusal(message => 'No longer in the history', error => qr/./), 'a batch that is older than the history');
$db->do("UPDATE change_batches SET at = at + $month WHERE id = ?", undef, $batch);

# ---- the list, and who may ----

my $page = batches('?limit=2&page=2');
is(scalar @{ $page->{data} }, 2, 'the list is paged');
is($page->{pagination}{page}, 2, 'as others are');
my @at = map { $_->{at} } @{ batches('?limit=1000')->{data} };
is_deeply(\@at, [reverse sort @at], 'the newest is the first');
is(join(' ', sort keys %{ { map { $_->{source} => 1 } @{ batches('?limit=1000')->{data} } } }), 'batch import request undo', 'the list says where they come from');
for (['GET', '/changes/batches'], ['POST', "/changes/batches/$gone/undo"]) {
    my ($method, $path) = @$_;
    answers($server->api($method => $path), 401, refusal(error => qr/./), "$method $path: a token is required");
    answers($server->api($method => $path, token => $reader->{token}), 403, refusal(error => qr/./), 'and the role');
}
my @entries = @{ $db->selectall_arrayref(q(SELECT target, actor_id, client FROM audit WHERE action = 'changes.undo' ORDER BY id)) };
is_deeply($entries[0], [$list->{data}[0]{batch}, $user->{user}{id}, '127.0.0.1'], 'undos are in the audit trail');
cmp_ok(scalar @entries, '>', 40, 'each');

# ---- without a history ----

my $off = server(mount => 'CatalogHistory Off')->start;
my $writer = register($off)->{token};
answers($off->api(POST => '/products', { name => 'cup', price => 1 }, token => $writer), 201, undef, 'a product');
answers($off->api($_->[0] => $_->[1], token => $writer), 404, refusal(), "$_->[0] $_->[1]: without a history there is nothing to undo")
    for ['GET', '/changes/batches'], ['POST', "/changes/batches/$gone/undo"];

done_testing;
