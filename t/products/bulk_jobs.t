# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# route: GET /products/batch/:id
# route: DELETE /products/batch/:id
# runs: first
# Changes of more products than one transaction takes: the job that makes them, in portions, is shown, stopped, killed, and shared by two
# servers of a database. Its requests are about MANY products; what a job does with a product is tried with SOME, whose jobs are put into
# the table, because the server would make so few changes at once.
use CatalogTest;
use CatalogTest::Ctl qw(ctl_for problems);
use Time::HiRes qw(sleep);

use constant { MANY => 10_200, SOME => CatalogTest::driver() eq 'sqlite3' ? 3_600 : 1_800 }; # more portions than one run of the job makes

my $server = server(mount => "CatalogWriteRole editor\nCatalogField num integer unique")->start;
my $reader = register($server);
my $user = register($server);
ctl_for($server, 'user', 'role', $user->{user}{username}, 'editor');
my $token = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};
my $db = $server->database;

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub change { my ($where, $body, %headers) = @_; return ask(POST => '/products/batch', { where => $where, %$body }, headers => \%headers) }
sub raise { my ($by, %more) = @_; return change('category=many', { adjust => { price => { add => $by } }, atomic => false, %more }) }

# Begins a job, as a request does. Returns its id.
my $jobs = 0;
sub begin {
    my ($where, %request) = @_;
    my $id = sprintf '01a20000-0000-7000-8000-%012d', ++$jobs;
    my $body = Cpanel::JSON::XS::encode_json({ where => $where, atomic => false, %request });
    $db->do(q(INSERT INTO bulk_jobs (id, mount, user_id, request, dry_run, after_n, created_at) VALUES (?, '/api', ?, ?, ?, ?, ?)),
        undef, $id, $user->{user}{id}, $body, $request{dryRun} ? 1 : 0, '9223372036854775807', int(time) . '000');
    return $id;
}
sub job { return ask(GET => "/products/batch/$_[0]")->{json}{data} }
sub has_ended { my ($id) = @_; return wait_until(120, sub { my $job = eval { job($id) }; $job && $job->{state} ne 'running' && $job }) } # while children are killed, too

# "600*2": how many products of a category have each price.
sub prices {
    my ($category) = @_;
    return join ' ', map { "$_->[1]*$_->[0]" } @{ $db->selectall_arrayref('SELECT price, COUNT(*) FROM products WHERE category = ? GROUP BY price ORDER BY price', undef, $category) };
}
sub begun { my (%more) = @_;
    return { success => true, message => 'Change begun', data => { id => $ID, state => 'running', dryRun => false, matched => 0, changed => 0,
        unchanged => 0, failed => 0, errors => [], userId => $user->{user}{id}, createdAt => $TIME, %more } } }
sub ended { my (%more) = @_; return { id => $ID, state => 'done', dryRun => false, failed => 0, errors => [], userId => $user->{user}{id},
    createdAt => $TIME, endedAt => $TIME, unchanged => 0, ($more{changed} && !$more{dryRun} ? (batch => qr/^\d+$/) : ()), %more } }

my $few = ask(POST => '/products', { name => 'few', price => 1 })->{json}{data}{id};
my $file = join '', "name,price,category,rating\n", (map { "p$_,1,some," . ($_ % 20 ? '' : 5) . "\n" } 1 .. SOME), map { "m$_,1,many,\n" } 1 .. MANY;
answers(ask(POST => '/products/import?atomic=false', $file, headers => { 'Content-Type' => 'text/csv' }), 200, undef, MANY + SOME . ' products');

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
answers(change('category=many', { set => { num => 1 }, atomic => false }), 400, invalid('set.num' => 'taken'), 'a value that one product can have is refused');
answers(ask(POST => '/products/batch', $long), 400, invalid('' => 'too_long'), 'a request of more than 8000 octets is refused');
is(prices('many'), MANY . '*1', 'nothing is changed');
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

# case: children of two servers are killed while they work at it
my $other = server(mount => 'CatalogWriteRole editor' . "\n    CatalogDatabase \@driver\@ \"" . $server->params . '"')->start;
my $last = 0;
for my $round (1 .. 4) {
    $last = wait_until(60, sub { my $now = eval { job($id) } // return; $now->{state} ne 'running' || $now->{changed} > $last + 60 ? $now->{changed} : undef });
    kill KILL => ($round % 2 ? $server : $other)->children;
}
has_ended($id);
answers(ask(GET => "/products/batch/$id"), 200, { success => true, data => ended(matched => MANY, changed => MANY) },
    'children are killed, and the job is made to its end, with a result that can be asked for');
is(prices('many'), MANY . '*2', 'each product once');
is(prices('some') . prices(''), SOME . '*1' . '1*1', 'and no others');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');
$other->stop;

# ---- what it does ----

# case: what it changes is what it asks for
$id = begin('category=some&price[lt]=2', adjust => { price => { percent => 50 } });
is_deeply(has_ended($id), { %{ job($id) }, state => 'done', matched => SOME, changed => SOME }, 'it changes all');
is(prices('some'), SOME . '*1.5', 'each product once, although it still matches');
is(prices('many'), MANY . '*2', 'and no others');

# case: those that would become invalid, and those that are so already
my $job = has_ended(begin('category=some', adjust => { rating => { add => 1 } }));
my @errors = @{ delete $job->{errors} };
is_deeply([@{$job}{qw(state matched changed unchanged failed)}], ['done', SOME, 0, SOME - SOME / 20, SOME / 20], 'invalid ones are left as they are');
is(scalar @errors, 20, 'the first of them are named');
is_deeply({ %{ $errors[0] }, id => 1 }, { id => 1, field => 'rating', code => 'too_large', message => 'must be at most 5' }, 'with what is wrong');
like(ask(GET => "/products/$errors[0]{id}")->{json}{data}{name}, qr/^p\d*[24680]0$/, 'and their ids');

# case: a dry run
$id = begin('category=some', adjust => { price => { add => 1 } }, dryRun => true);
answers(do { has_ended($id); ask(GET => "/products/batch/$id") }, 200, { success => true, data => ended(dryRun => true, matched => SOME, changed => SOME) },
    'a dry run counts');
is(prices('some'), SOME . '*1.5', 'and changes nothing');

is(ask(PATCH => "/products/$few", { num => 7 })->{status}, 200, 'a product has a unique value');
$id = begin('category=some&rating=5', adjust => { rating => { add => 1 } }, dryRun => true);
is_deeply([@{ has_ended($id) }{qw(state matched changed unchanged failed)}], ['done', SOME / 20, 0, 0, SOME / 20], 'it says which would become invalid');
my ($five) = @{ $db->selectcol_arrayref(q(SELECT id FROM products WHERE category = 'some' AND name = 'p20')) };
$id = begin('name=p20', set => { num => 7 }, dryRun => true);
$job = has_ended($id);
is_deeply([@{$job}{qw(state matched changed unchanged failed)}], ['done', 1, 0, 0, 1], 'and what the database would refuse');
is_deeply([map { "$_->{id} $_->{field} $_->{code}" } @{ $job->{errors} }], ["$five num taken"], 'with the reason');
is(prices('some'), SOME . '*1.5', 'and changes nothing');

# case: deletions
$id = begin('category=some', delete => true);
wait_until(60, sub { my $now = eval { job($id) }; $now && $now->{changed} });
kill KILL => $server->children;
$job = has_ended($id);
is_deeply([@{$job}{qw(state matched changed)}], ['done', SOME, SOME], 'all are deleted');
is($db->selectrow_array('SELECT COUNT(*) FROM products'), MANY + 1, 'and no others');
is(problems(ctl_for($server, 'check')), '', 'all counts are right');

# ---- stopped ----

$id = raise(1)->{json}{data}{id};
wait_until(60, sub { job($id)->{changed} > 0 });
$r = ask(DELETE => "/products/batch/$id");
answers($r, 200, { success => true, data => ended(state => 'stopped', matched => qr/^\d+$/, changed => qr/^\d+$/) }, 'a job is stopped');
my $changed = $r->{json}{data}{changed};
cmp_ok($changed, '<', MANY, 'before it is done');
sleep 1.5;
is(prices('many'), MANY - $changed . "*2 $changed*3", 'it changes nothing more');
answers(ask(DELETE => "/products/batch/$id"), 200, $r->{body}, 'it stays as it is');
is($db->selectrow_array('SELECT COUNT(*) FROM products WHERE price = ? AND id >= (SELECT MIN(id) FROM products WHERE price = ?)', undef, 2, 3), 0,
    'the newest products were the first');

# ---- who ----

my $unknown = '01a1fd8d-47a8-77ac-9778-38d2c78c295b';
for my $method (qw(GET DELETE)) {
    answers($server->api($method => "/products/batch/$id"), 401, refusal(error => qr/./), "$method: a token is required");
    answers($server->api($method => "/products/batch/$id", token => $reader->{token}), 403, refusal(error => qr/./), 'and the role');
    answers(ask($method => "/products/batch/$_"), 404, { success => false, message => 'Job not found' }, 'an unknown id') for $unknown, 'x';
}

# ---- what a server does not understand ----

$db->do("UPDATE bulk_jobs SET state = 'running', ended_at = NULL, request = ? WHERE id = ?", undef, '{"where":"colour=red","delete":true}', $id);
$job = has_ended($id);
is($job->{state}, 'failed', 'a request that its settings do not allow any more fails');
is($job->{error}, 'where.colour is not a known parameter', 'and says why');
expect_log(qr/CAT093: .*the change $id ended before the last product: where\.colour /);

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
