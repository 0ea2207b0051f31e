# SPDX-License-Identifier: Apache-2.0
# route: POST /products/batch
# db: mysql pgsql
# again: db
# A change of all that match meets a product that is deleted after it was found, and restored before it is asked what still matches.
use CatalogTest;
use CatalogTest::Engine;
use CatalogTest::Ids qw(n_of);

my $server = server(mount => 'CatalogMaxLimit 1000')->start;
my $token = register($server)->{token};
my ($low, $high, $probe) = map { $server->database } 1 .. 3;

sub ask { return $server->api(@_, token => $token) }
sub begin { my ($db, $id) = @_; $db->do('BEGIN'); $db->selectall_arrayref('SELECT id FROM products WHERE n = ? FOR UPDATE', undef, n_of($id)) }
sub is_free { return scalar @{ $probe->selectall_arrayref('SELECT id FROM products WHERE n = ? FOR UPDATE SKIP LOCKED', undef, n_of($_[0])) } }

sub waits { CatalogTest::Engine->shared->lock_waits($probe) }

# The change locks what it has found in the order of the ids: it waits for the first product while the second one is deleted, and for the third one
# while that is restored. On a busy machine a wait may take longer than the server waits for locks, which is a 503.
sub change {
    my ($body) = @_;
    my @ids = map { ask(POST => '/products', { name => "kettle $_", price => 10, category => 'tea' })->{json}{data}{id} } 1 .. 3;
    begin($low, $ids[0]);
    begin($high, $ids[2]);
    my $socket = $server->connection;
    print {$socket} wire(POST => '/products/batch', { where => 'category=tea', %$body }, token => $token);
    my $is_in_time = wait_until(60, \&waits) && ask(DELETE => "/products/$ids[1]")->{status} == 200;
    my $seq = ask(GET => "/products/$ids[1]/history")->{json}{data}[0]{seq};
    $low->do('COMMIT');
    $is_in_time &&= wait_until(3, sub { !is_free($ids[0]) && waits() });
    ask(POST => "/products/$ids[1]/restore", { seq => $seq });
    $high->do('COMMIT');
    my ($status, $text) = join('', readline $socket) =~ m{^HTTP/1\.1 (\d+).*?\r\n\r\n(.*)}s;
    my $left = join ' ', map { "$_->{name}=$_->{price}" } @{ ask(GET => '/products?category=tea&sort=name')->{json}{data} };
    ask(DELETE => "/products/$_") for @ids;
    return { is_in_time => $is_in_time && ($status // 0) != 503, status => $status, text => $text, left => $left };
}

for my $case ([{ adjust => { price => { add => 1 } } }, 'kettle 1=11 kettle 2=10 kettle 3=11'], [{ delete => true }, 'kettle 2=10']) {
    my ($body, $left) = @$case;
    my $answer;
    wait_until(300, sub { $answer = change($body); $answer->{is_in_time} });
    is($answer->{status}, 200, join(' ', keys %$body) . ': the change is answered');
    like($answer->{text}, qr/"matched":2,"changed":2/, 'the product that was deleted meanwhile does not match');
    is($answer->{left}, $left, 'and stays as it was restored');
}
done_testing;
