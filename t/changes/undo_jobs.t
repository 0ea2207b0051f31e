# SPDX-License-Identifier: Apache-2.0
# route: POST /changes/batches/:batch/undo
# runs: first
# Undo of batches with more changes than one transaction takes back: the job that does it is killed, shared by two servers, stopped and
# begun again. It takes minutes on a server, so make nightly repeats it there, and with CATALOG_ROWS=100000; undo.t is repeated in make check.
# In make check most batches are smaller, and their jobs are put into the table, because the server would take back so few changes at once.
use CatalogTest;
use CatalogTest::Changes qw(state_of difference);
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Ids qw(n_of);
use Time::HiRes qw(sleep time);

use constant { MANY => $ENV{CATALOG_ROWS} // ($ENV{BRIEF} ? 3_600 : 10_200), AT_ONCE => 10_000 }; # more than one run of the job takes back

my $settings = "CatalogWriteRole editor\n    CatalogField sku string unique\n    CatalogField tags strings index facet\n    CatalogField updatedAt modified index";
my $server = server(mount => $settings)->start;
my $user = register($server);
ctl_for($server, 'user', 'role', $user->{user}{username}, 'editor');
my $session = $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })->{json}{token};
my $token = $server->api(POST => '/auth/keys', { name => 'undoes', password => $user->{password} }, token => $session)->{json}{token}; # which outlives a slow job

my $patience = 60 + MANY / 20; # seconds, on a machine that is busy

sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, token => $token) }
sub newest { return ask(GET => '/changes/batches?limit=1')->{json}{data}[0] }
sub undo { return ask(POST => "/changes/batches/$_[0]/undo") }
sub job { return ask(GET => "/products/batch/$_[0]")->{json}{data} }
sub has_ended { my ($id) = @_; return wait_until(900 + $patience, sub { my $job = eval { job($id) }; $job && $job->{state} ne 'running' && $job }) } # while children are killed, too
sub import { my ($mode, @rows) = @_; return ask(POST => "/products/import?atomic=false&$mode", join('', map { "$_\n" } @rows), headers => { 'Content-Type' => 'text/csv' }, patience => $patience) }
sub result { return join ' ', map { $_ // '-' } @{ $_[0] }{qw(state matched changed unchanged failed)} }
sub begun {
    return { success => true, message => 'Undo begun', data => { id => $ID, state => 'running', dryRun => false, matched => 0, changed => 0,
        unchanged => 0, failed => 0, errors => [], userId => $user->{user}{id}, createdAt => $TIME } };
}

# The state without some products.
sub without {
    my ($state, @ids) = @_;
    my $some = join '|', map { ($_, n_of($_)) } @ids;
    return join "\n", grep { !/$some/ } split /\n/, $state;
}

# What a request for the undo of more than AT_ONCE does. Returns the job.
my $jobs = 0;
sub begin {
    my ($batch) = @_;
    my $db = $server->database;
    my $id = sprintf '01a20000-0000-7000-8000-%012d', ++$jobs;
    my $range = $db->selectrow_hashref('SELECT batch AS undo, MIN(number) - 1 AS after, MAX(number) AS last FROM changes WHERE batch = ? GROUP BY batch', undef, $batch);
    is($db->do('UPDATE change_batches SET undone_by = 0 WHERE id = ? AND undone_by IS NULL', undef, $batch), 1, 'the batch is claimed');
    $db->do(q(INSERT INTO bulk_jobs (id, mount, user_id, request, dry_run, after_n, created_at) VALUES (?, '/api', ?, ?, 0, ?, ?)), undef,
        $id, $user->{user}{id}, Cpanel::JSON::XS::encode_json({ map { $_ => 0 + $range->{$_} } keys %$range }), '9223372036854775807', int(time) . '000');
    return $id;
}

# Undoes a batch. Returns the job.
sub goes_back {
    my ($batch, $name, $rows) = @_;
    return begin($batch) if ($rows // MANY) <= AT_ONCE;
    my $r = undo($batch);
    answers($r, 202, begun(), "$name: a job is begun", location => qr{^/api/products/batch/[0-9a-f-]{36}$});
    return $r->{json}{data}{id};
}

answers(import('mode=create', 'name,price,category,sku,tags', map { "old $_,1,old,O-$_,red" } 1 .. 300), 200, undef, 'some products are there before');
my $first = state_of($server);
answers(import('mode=upsert&key=sku', 'sku,name,price,category,tags', map { my $sku = $_ <= 300 ? "O-$_" : "N-$_"; "$sku,new $_,$_.5,new,blue|red" } 1 .. MANY), 200, undef,
    'an import changes and adds ' . MANY);
my $batch = newest();
is("$batch->{source} $batch->{rows}", 'import ' . MANY, 'it is one batch');
my $second = state_of($server);
my @last = map { ask(GET => "/products/sku=N-$_")->{json}{data}{id} } MANY - 1, MANY;

# case: children of two servers are killed while they work at it
my $began = time;
my $job = goes_back($batch->{batch}, 'the import');
answers(undo($batch->{batch}), 409, refusal(message => 'Already undone', error => qr/./), 'it is being undone');
my $other = server(mount => "$settings\n    CatalogDatabase \@driver\@ \"" . $server->params . '"')->start;
my $last = 0;
for my $round (1 .. 4) {
    $last = wait_until(300, sub { my $now = eval { job($job) } // return; $now->{state} ne 'running' || $now->{changed} > $last + 60 ? $now->{changed} : undef });
    kill KILL => ($round % 2 ? $server : $other)->children;
}
is(result(has_ended($job)), join(' ', 'done', MANY, MANY, 0, 0), 'children are killed, and the job is made to its end');
diag(sprintf '%d changes were undone in %.1f s', MANY, time - $began);
is(difference($first, state_of($server)), '', 'all is as it was');
is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');
$other->stop;
my $undo = newest();
is("$undo->{source} $undo->{undoes} $undo->{rows}", "undo $batch->{batch} " . MANY, 'the undo is one batch');

# case: the undo is undone, stopped, and begun again; meanwhile others take values that some of the last products had
my $again = goes_back($undo->{batch}, 'the undo');
wait_until(300, sub { job($again)->{changed} > 0 });
my $stopped = ask(DELETE => "/products/batch/$again")->{json}{data};
is($stopped->{state}, 'stopped', 'it is stopped');
cmp_ok($stopped->{changed}, '<', MANY, 'before it is done');
my @owners = map { ask(POST => '/products', { name => 'owner', price => 77, sku => "N-$_" })->{json}{data} } MANY - 1, MANY;
my $rest = has_ended(goes_back($undo->{batch}, 'the rest of it'));
is($rest->{changed} + $stopped->{changed}, MANY - 2, 'the rest is done');
is("$rest->{state} $rest->{failed}", 'done 2', 'but for those whose values are taken');
is_deeply([sort { $a->{id} cmp $b->{id} } @{ $rest->{errors} }],
    [map { { id => $_, field => 'sku', code => 'taken', message => 'is already taken by another product' } } sort @last], 'which are named');
ask(DELETE => "/products/$_->{id}") for @owners;
is(difference(without($second, @last), state_of($server)), '', 'all others are as the import left them');
is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');

# case: nothing of the import goes back, because all of it was changed since
my $db = $server->database;
$db->do('UPDATE change_batches SET undone_by = NULL WHERE id = ?', undef, $batch->{batch});
is(has_ended(goes_back($batch->{batch}, 'what was changed since'))->{changed}, 0, 'no product goes back');
is($db->selectrow_array('SELECT undone_by FROM change_batches WHERE id = ?', undef, $batch->{batch}), undef, 'so the batch is not undone');

# case: an import ends before its last portion, because the database refuses a row; what it has stored can be undone at once
if (driver eq 'sqlite3') {
    $db->do(q(CREATE TRIGGER refuse BEFORE INSERT ON products WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'bad'); END));
    my $r = import('mode=create', 'name,price', (map { "part $_,1" } 1 .. 10_300), 'bad,1');
    cmp_ok($r->{json}{summary}{stored}, '>', 0, 'some portions are stored') or diag $r->{content};
    my $part = newest();
    is($db->selectrow_array('SELECT complete FROM change_batches WHERE id = ?', undef, $part->{batch}), 1, 'the batch has ended');
    my $long = goes_back($part->{batch}, 'what an import has stored', $part->{rows});
    is(ask(DELETE => "/products/batch/$long")->{json}{data}{state}, 'stopped', 'and is being undone');
}

allow_kills();
allow_log(qr/\[dbd:error\]/, qr/CAT00\d: /);
done_testing;
