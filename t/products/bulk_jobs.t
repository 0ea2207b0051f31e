# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# route: GET /products/batch/:id
# route: DELETE /products/batch/:id
# again: db
# runs: first
# Changes of more products than one transaction takes: the job that makes them, in portions, is shown, stopped, killed, and shared by two
# servers of a database.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use Time::HiRes qw(sleep);

use constant MANY => 10_200;

my $server = server(mount => 'CatalogWriteRole editor')->start;
my $reader = register($server);
my $user = register($server);
ctl_for($server, 'user', 'role', $user->{user}{username}, 'editor');
my $token = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};
my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub change { my ($where, $body, %headers) = @_; return ask(POST => '/products/batch', { where => $where, %$body }, headers => \%headers) }
sub raise { my ($by, %more) = @_; return change('category=many', { adjust => { price => { add => $by } }, atomic => false, %more }) }
sub job { return ask(GET => "/products/batch/$_[0]")->{json}{data} }
sub has_ended { my ($id) = @_; return wait_until(120, sub { my $job = job($id); $job && $job->{state} ne 'running' && $job }) }
sub prices { return join ' ', map { "$_->[1]*$_->[0]" } @{ $db->selectall_arrayref('SELECT price, COUNT(*) FROM products GROUP BY price ORDER BY price') } }
sub begun { my (%more) = @_;
    return { success => true, message => 'Change begun', data => { id => $ID, state => 'running', dryRun => false, matched => 0, changed => 0,
        unchanged => 0, failed => 0, errors => [], userId => $user->{user}{id}, createdAt => $TIME, %more } } }
sub ended { my (%more) = @_; return { id => $ID, state => 'done', dryRun => false, failed => 0, errors => [], userId => $user->{user}{id},
    createdAt => $TIME, endedAt => $TIME, unchanged => 0, %more } }

my $few = ask(POST => '/products', { name => 'few', price => 1 })->{json}{data}{id};
my $file = join '', "name,price,category,rating\n", map { "p$_,1,many," . ($_ % 100 ? '' : 5) . "\n" } 1 .. MANY;
answers(ask(POST => '/products/import?atomic=false', $file, headers => { 'Content-Type' => 'text/csv' }), 200, undef, MANY . ' products');

# ---- what is too large ----

answers(change('category=many', { set => { price => 2 } }), 400, refusal(message => 'Too many products', error => qr/10000.*"atomic": false/),
    'so many are not changed in one transaction');
answers(change('category=many', { set => { price => 2 }, dryRun => true }), 400, refusal(message => 'Too many products', error => qr/./), 'nor counted');
my $unexpected = sub { refusal(message => 'Unexpected number of products', error => $_[0]) };
answers(change('category=many', { set => { price => 2 }, expect => 20 }), 409, $unexpected->('more than 10000 products match, 20 were expected'),
    'a smaller number that is expected is compared first');
answers(raise(1, expect => MANY - 1), 409, $unexpected->(MANY . ' products match, ' . (MANY - 1) . ' were expected'), 'where a job would do it, all are counted');
answers(change('category=many', { set => { price => 2, name => 'x' x 200 }, atomic => false, pad => 'x' }), 400, invalid(pad => 'unknown'), 'a job is checked first');
my $long = '{"atomic":false,"where":"category=many","set":{"inStock":true}' . ' ' x 8000 . '}';
answers(ask(POST => '/products/batch', $long), 400, invalid('' => 'too_long'), 'a request of more than 8000 octets is refused');
is(prices(), 1 + MANY . '*1', 'nothing is changed');
is($db->selectrow_array('SELECT COUNT(*) FROM bulk_jobs'), 0, 'no job is begun');

# ---- a job ----

my %key = ('Idempotency-Key' => '"once"');
my %request = (adjust => { price => { add => 1 } }, atomic => false, expect => MANY);
my $r = change('category=many', \%request, %key);
answers($r, 202, begun(), 'a job is begun', location => qr{^/api/products/batch/[0-9a-f-]{36}$});
my $id = $r->{json}{data}{id};
is($r->{headers}{location}, "/api/products/batch/$id", 'its Location is that of the job');
answers(change('category=many', \%request, %key), 202, $r->{body}, 'the same request again begins no other', 'idempotency-replayed' => 'true',
    location => "/api/products/batch/$id");
is_deeply(has_ended($id), { %{ ended() }, %{ job($id) }, matched => MANY, changed => MANY, unchanged => 0, state => 'done' }, 'it changes all');
answers(ask(GET => "/products/batch/$id"), 200, { success => true, data => ended(matched => MANY, changed => MANY) }, 'its result can be asked for');
is(prices(), '1*1 ' . MANY . '*2', 'each once, and no others');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# case: what it changes is what it asks for
$id = change('category=many&price[lt]=5', { adjust => { price => { percent => 50 } }, atomic => false })->{json}{data}{id};
has_ended($id);
is(prices(), '1*1 ' . MANY . '*3', 'each product once, although it still matches');

# case: those that would become invalid, and those that are so already
$id = change('category=many', { adjust => { rating => { add => 1 } }, atomic => false })->{json}{data}{id};
my $job = has_ended($id);
my @errors = @{ delete $job->{errors} };
is_deeply([@{$job}{qw(state matched changed unchanged failed)}], ['done', MANY, 0, MANY - MANY / 100, MANY / 100], 'invalid ones are left as they are');
is(scalar @errors, 20, 'the first of them are named');
is_deeply({ %{ $errors[0] }, id => 1 }, { id => 1, field => 'rating', code => 'too_large', message => 'must be at most 5' }, 'with what is wrong');
like(ask(GET => "/products/$errors[0]{id}")->{json}{data}{name}, qr/^p\d+00$/, 'and their ids');

# case: a dry run
$id = raise(1, dryRun => true)->{json}{data}{id};
answers(do { has_ended($id); ask(GET => "/products/batch/$id") }, 200, { success => true, data => ended(dryRun => true, matched => MANY, changed => MANY) },
    'a dry run counts');
is(prices(), '1*1 ' . MANY . '*3', 'and changes nothing');

# ---- stopped ----

$id = raise(1)->{json}{data}{id};
wait_until(60, sub { job($id)->{changed} > 0 });
$r = ask(DELETE => "/products/batch/$id");
answers($r, 200, { success => true, data => ended(state => 'stopped', matched => qr/^\d+$/, changed => qr/^\d+$/) }, 'a job is stopped');
my $changed = $r->{json}{data}{changed};
cmp_ok($changed, '<', MANY, 'before it is done');
sleep 1.5;
is(prices(), '1*1 ' . (MANY - $changed) . "*3 $changed*4", 'it changes nothing more');
answers(ask(DELETE => "/products/batch/$id"), 200, $r->{body}, 'it stays as it is');
is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE price = ? AND id >= (SELECT MIN(id) FROM products WHERE price = ?)', undef, 3, 4), 0,
    'the newest products were the first');

# ---- who ----

my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
for my $method (qw(GET DELETE)) {
    answers($server->api($method => "/products/batch/$id"), 401, refusal(error => qr/./), "$method: a token is required");
    answers($server->api($method => "/products/batch/$id", token => $reader->{token}), 403, refusal(error => qr/./), 'and the role');
    answers(ask($method => "/products/batch/$_"), 404, { success => false, message => 'Change not found' }, 'an unknown id') for $unknown, 'x';
}

# ---- two servers, whose children are killed ----

my $other = server(mount => 'CatalogWriteRole editor' . "\n    CatalogDatabase \@driver\@ \"" . $server->params . '"')->start;
$id = change('category=many', { set => { price => 10 }, atomic => false })->{json}{data}{id};
has_ended($id);
$id = raise(1)->{json}{data}{id};
my $last = 0;
for my $round (1 .. 4) {
    $last = wait_until(60, sub { my $now = eval { job($id) } // return; $now->{state} ne 'running' || $now->{changed} > $last + 60 ? $now->{changed} : undef });
    kill KILL => ($round % 2 ? $server : $other)->children;
}
$job = wait_until(120, sub { my $now = eval { job($id) }; $now && $now->{state} ne 'running' && $now });
is_deeply([@{$job}{qw(state matched changed)}], ['done', MANY, MANY], 'children are killed, and the job is made to its end');
is(prices(), '1*1 ' . MANY . '*11', 'each product once');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# case: deletions
$id = change('category=many', { delete => true, atomic => false })->{json}{data}{id};
wait_until(60, sub { my $now = eval { job($id) }; $now && $now->{changed} });
kill KILL => $server->children;
$job = wait_until(120, sub { my $now = eval { job($id) }; $now && $now->{state} ne 'running' && $now });
is_deeply([@{$job}{qw(state matched changed)}], ['done', MANY, MANY], 'all are deleted');
is($db->selectrow_array('SELECT COUNT(*) FROM products'), 1, 'and no others');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- what a server does not understand ----

$db->do("UPDATE bulk_jobs SET state = 'running', ended_at = NULL, request = ? WHERE id = ?", undef, '{"where":"colour=red","delete":true}', $id);
$job = has_ended($id);
is($job->{state}, 'failed', 'a request that its settings do not allow any more fails');
is($job->{error}, 'where.colour is not a known parameter', 'and says why');
expect_log(qr/CAT093: .*the change $id ends before the last product: where\.colour /);

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
