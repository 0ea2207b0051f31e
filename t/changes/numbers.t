# SPDX-License-Identifier: Apache-2.0
# db: mysql pgsql
# again: db
# moves: catalog_changes_waiting_seconds
# Changes wait for their numbers while another program holds the mark; the metrics say for how long.
use CatalogTest;
use CatalogTest::Metrics qw(location scrape moves moved_since);

my $server = server(conf => location())->start;
my $token = register($server)->{token};
sub create { return $server->api(POST => '/products', { name => 'Cup', price => 1 }, token => $token)->{json}{data}{id} }
sub seen { my ($id) = @_; return grep { $_->{id} eq $id } @{ $server->api(GET => '/changes?limit=1000', token => $token)->{json}{data} } }

my $first = create();
ok(wait_until(10, sub { seen($first) }), 'a change gets its number soon');
my $db = $server->database;
$db->begin_work;
$db->selectrow_array(q(SELECT n FROM change_marks WHERE name = 'numbered' FOR UPDATE));
my $second = create();
moved_since($server, {}, { catalog_changes_waiting_seconds => ['>=', 1] }, 'the metrics say that one waits');
is(scalar(seen($second)), 0, 'nobody sees it yet');
$db->rollback;
ok(wait_until(20, sub { seen($second) }), 'then it gets its number, too');
ok(wait_until(20, sub { scrape($server)->{catalog_changes_waiting_seconds} == 0 }), 'and none waits');
allow_log(qr/CAT003: /);
done_testing;
