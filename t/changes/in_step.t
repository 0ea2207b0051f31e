# SPDX-License-Identifier: Apache-2.0
# The program of docs/how-to/in-step.md keeps a copy in step: when nothing has been changed yet, with what is changed, while it is killed, and
# when the history has lost what comes next or the database was restored.
use CatalogTest;
use CatalogTest::Tools qw(setting free_port);
use POSIX ();
use Time::HiRes qw(sleep);

my ($dir, $port) = (scratch(), free_port());
spew("$dir/secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n");
chmod 0600, "$dir/secret";
my $server = server(mount => qq(CatalogRateLimit Off\nCatalogWebhook http://localhost:$port/ "secret=$dir/secret"\n))->start;
my $db = $server->database;
my $user = register($server);
my %token = (token => $user->{token});
my $pid;

sub run {
    my ($seconds) = @_;
    $pid = fork // die "fork: $!\n";
    return if $pid;
    @ENV{qw(API KEY COPY PORT SECONDS)} = ('http://127.0.0.1:' . $server->port . '/api', $token{token}, "$dir/copy.json", $port, $seconds);
    open STDOUT, '>>', "$dir/out";
    open STDERR, '>&', \*STDOUT;
    exec qw(setpriv --pdeathsig KILL node), setting('top') . '/conf/examples/in-step.mjs' or POSIX::_exit(127);
}
sub end { kill KILL => $pid; waitpid $pid, 0 }
sub call { my ($method, $path, $body) = @_; return $server->api($method => $path, $body, %token)->{json} }
sub create { return map { call(POST => '/products', { name => "Cup $_", price => 19.99 })->{data}{id} } @_ }
sub copy { return -f "$dir/copy.json" ? Cpanel::JSON::XS::decode_json(slurp("$dir/copy.json")) : { next => -1, products => {} } }
sub copies { return -f "$dir/out" ? scalar(() = slurp("$dir/out") =~ /^made a new copy/mg) : 0 }
my $before = 0;
sub new_copies { my ($count) = @_; wait_until(5, sub { copies() == $before + $count }) }

# The copy has what the catalogue has, with all fields.
sub in_step {
    my ($what, $seconds) = @_;
    my %there = map { $_->{id} => $_ } @{ call(GET => '/products?limit=1000')->{data} };
    my $same = sub { Cpanel::JSON::XS->new->canonical->encode($_[0]) };
    ok(wait_until($seconds, sub { $same->(copy()->{products}) eq $same->(\%there) }), $what) or diag slurp("$dir/out");
}

# case: an empty history. Its end is 0, which is also the beginning of one that has lost changes.
my ($column) = driver eq 'sqlite3' ? 'number' : 'seq';
run(0.2);
ok(wait_until(20, sub { copies() >= 3 }), 'the copy is made anew as long as there is no number');
end();
is(copy()->{next}, 0, 'there was none');

# case: a copy, and what comes after it. The one that is there has a product whose deletion the history has lost. A minute is
# longer than the test waits: so the webhook has told it.
my @ids = create(1 .. 5);
ok(wait_until(20, sub { $db->selectrow_array('SELECT COUNT(*) FROM webhooks') }), 'the server has the webhook');
ok(wait_until(10, sub { $db->selectrow_array("SELECT COUNT(*) FROM changes WHERE $column > 0") == 5 }), 'the changes have numbers');
spew("$dir/copy.json", Cpanel::JSON::XS::encode_json({ next => 0, products => { lost => { id => 'lost' } } }));
$before = copies();
run(60);
in_step('the copy has the products', 20);
ok(new_copies(1), 'it was made once');
call(PUT => "/products/$ids[0]", { price => 5, rating => 4.5 });
call(DELETE => "/products/$ids[1]");
create(6);
in_step('a webhook makes it follow', 20);

# case: killed between two changes, and without webhooks
end();
for (1 .. 6) {
    run(0.2);
    my $end = Time::HiRes::time() + rand 0.3;
    create("$_-$$") while Time::HiRes::time() < $end;
    end();
}
call(DELETE => "/products/$ids[2]");
run(0.2);
in_step('a program that was killed goes on where it was', 20);
ok(new_copies(1), 'without a new copy');

# case: a new copy that is made, and killed, while products are created
end();
unlink "$dir/copy.json";
for (1 .. 4) {
    run(0.2);
    my $end = Time::HiRes::time() + rand 0.3;
    create("new $_") while Time::HiRes::time() < $end;
    end();
}
run(0.2);
in_step('a copy that was made meanwhile has all', 20);
$before = copies() - 1;

# case: the history has lost what comes next
end();
my $next = copy()->{next};
create('lost', 'kept');
ok(wait_until(10, sub { $db->selectrow_array("SELECT COUNT(*) FROM changes WHERE $column > ?", undef, $next) == 2 }), 'two changes come');
my $lost = $db->selectrow_array("SELECT MIN($column) FROM changes WHERE $column > ?", undef, $next);
$db->do("DELETE FROM changes WHERE $column <= ? AND $column > 0", undef, $lost);
$db->do(q(UPDATE change_marks SET n = ? WHERE name = 'purged'), undef, $lost);
run(0.2);
in_step('the copy is right again', 20);
ok(new_copies(2), 'because it was made anew');

# case: the database is an older one than that which was followed
end();
my $copy = copy();
$copy->{products}{$ids[3]}{name} = 'changed after the backup';
spew("$dir/copy.json", Cpanel::JSON::XS::encode_json({ %$copy, next => $copy->{next} + 10 }));
answers($server->api(GET => '/changes?since=' . ($copy->{next} + 1), undef, %token), 410, refusal(error => qr/restored/), 'a number that no change has', 'catalog-problem' => 'changes-gone');
run(0.2);
in_step('the copy is the restored catalogue', 20);
ok(new_copies(3), 'because it was made anew');

end();
unlike(slurp("$dir/out"), qr/^(?!made a new copy)(?!.*fetch failed)./m, 'it had nothing to complain about');
allow_log(qr/CAT14[045]: /); # nobody listens at times
done_testing;
