# SPDX-License-Identifier: Apache-2.0
# catalogctl changes: the batches of changes of products, and their undo, from the shell.
use CatalogTest;
use CatalogTest::Ctl qw(ctl ctl_for listed problems);
use CatalogTest::Image qw(png %TYPE);

my $server = server(mount => "CatalogRateLimit Off\nCatalogField sku string unique\n")->start;
$server->wait_for_fields;
my $user = register($server);
my %token = (token => $user->{token});
sub ask { my ($method, $path, @more) = @_; return $server->api($method => $path, @more, %token)->{json} }
sub changes { return ctl_for($server, 'changes', @_) }
sub newest { return (listed(changes('list')))[0] }

my @made = map { ask(POST => '/products', { name => $_, price => 1, sku => $_ })->{data} } qw(a b c);
ask(POST => '/products/batch', { operations => [
    { op => 'update', id => $made[0]{id}, body => { price => 2 } }, { op => 'delete', id => $made[1]{id} }, { op => 'update', id => $made[2]{id}, body => { price => 3 } } ] });
ask(PUT => "/products/$made[2]{id}", { price => 9 });
my (undef, $batch) = listed(changes('list'));
is_deeply([@$batch{qw(userId username source rows undone)}], [$user->{user}{id}, $user->{user}{username}, 'batch', 3, 'false'], 'the list says who made a batch, how, and how large it is');
my ($first) = @{ ask(GET => '/changes/batches?page=2&limit=1')->{data} };
is($batch->{batch}, $first->{batch}, 'as the API does');

my $r = changes('undo', $batch->{batch});
is_deeply($r, { status => 0, err => '', out => "2 products restored, 0 already as they were, 1 left as they are\n$made[2]{id}\twas changed since\n" }, 'undo says what became of it');
is_deeply(ask(GET => "/products/$_->{id}")->{data}, $_, "$_->{name} is what it was") for @made[0, 1];
is(ask(GET => "/products/$made[2]{id}")->{data}{price}, 9, 'c stays');
is_deeply([@{ newest() }{qw(userId source undoes)}], ['', 'undo', $batch->{batch}], 'the undo is a batch of nobody');
is(problems(ctl_for($server, 'check')), '', 'all counts and keys are right');
my ($entry) = listed(ctl_for($server, 'audit', '--action', 'changes.undo'));
is_deeply([@$entry{qw(source target)}], ['catalogctl', $batch->{batch}], 'the audit trail has it');
is(changes('undo', newest()->{batch})->{status}, 0, 'and can be undone');
is(ask(GET => "/products/$made[0]{id}")->{data}{price}, 2, 'to what the batch made');

for ([$batch->{batch}, 1, 'is undone already'], ['1', 1, 'there is no such batch'], ['x', 1, 'there is no such batch']) {
    my ($name, $status, $words) = @$_;
    my $said = changes('undo', $name);
    is($said->{status}, $status, "undo $name") or diag "$said->{out}$said->{err}";
    like($said->{err}, qr/\Q$words/, 'says why');
}

# case: a large one
my $rows = join '', map { qq({"name":"p$_","price":$_}\n) } 1 .. 10_001;
my $import = $server->api(POST => '/products/import?atomic=false', $rows, headers => { 'Content-Type' => 'application/x-ndjson' }, %token);
is($import->{status}, 200, 'an import');
my $nowhere = ctl('--driver', driver, '--params', $server->params, 'changes', 'undo', $import->{headers}{'catalog-batch'});
is("$nowhere->{status} $nowhere->{err}", "1 catalogctl: $import->{headers}{'catalog-batch'}: has more than 10,000 changes, which a server undoes: leave out --driver\n",
    'is not begun where no server is known that would go on');
like(changes('undo', $import->{headers}{'catalog-batch'})->{out}, qr{^a server of the mount undoes it in portions: GET /products/batch/[0-9a-f-]+ }, 'is undone by the server');
ok(wait_until(400, sub { ask(GET => '/products?limit=1')->{pagination}{total} == 2 }), 'which does it');
# case: several mounts of the catalogue, the first of which keeps no history, or pictures; and one that is the whole site
sub location { my ($path, $more) = @_; return qq(<Location "$path">\nCatalogEnable On\nCatalogKeyFile "\@key\@"\nCatalogRateLimit Off\n$more</Location>\n) }
my $images = qq(CatalogImages On\nCatalogImageCache "\@dir\@/data"\n);
my %site = (
    'two mounts' => [[off => "CatalogHistory Off\n"], [short => "CatalogHistory 1s\n"], [kept => "CatalogHistory 5d\n$images"]],
    'the whole site' => [['' => '']],
);
for my $name (sort keys %site) {
    my @mounts = @{ $site{$name} };
    my $path = $mounts[-1][0] && "/$mounts[-1][0]";
    my $site = server(mount => undef, conf => join '', map { location("/$_->[0]", $_->[1]) } @mounts)->start;
    my $send = sub { my ($method, $to, @more) = @_; return CatalogTest::Http::request($site->port, $method, "$path$to", @more) };
    my $who = $send->(POST => '/register', { username => 'ada', email => 'ada@example.com', password => 'correct horse' })->{json};
    my @as = (token => $who->{token});
    my $large = $send->(POST => '/products/import?atomic=false', $rows, headers => { 'Content-Type' => 'application/x-ndjson' }, @as)->{headers}{'catalog-batch'};
    sleep 2; # longer than the second mount keeps it
    my $said = ctl_for($site, 'changes', 'undo', $large);
    like($said->{out}, qr{^a server of the mount undoes it}, "$name: a large batch") or diag $said->{err};
    ok(wait_until(400, sub { $send->(GET => '/products?limit=1')->{json}{pagination}{total} == 0 }), 'is undone by one that keeps a history');
    my $last = sub { $send->(GET => '/changes/batches?limit=1', undef, @as)->{json}{data}[0] };
    ok(wait_until(20, sub { $last->()->{source} eq 'undo' && $last->()->{rows} == 10_001 }), 'and the undo is a batch');
    next if @mounts == 1;
    my $make = sub { $send->(POST => '/products', { name => 'shown', price => 1 }, @as)->{json}{data}{id} };
    $make->();
    my $small = $last->()->{batch};
    is(ctl_for($site, '--mount', '/off', 'changes', 'undo', $small)->{err}, "catalogctl: CatalogHistory is Off, so the undo could not be undone\n", 'a mount without a history undoes nothing');
    is(ctl_for($site, 'changes', 'undo', $small)->{out}, "1 products restored, 0 already as they were, 0 left as they are\n", 'all of them together undo it');
    my $picture = $send->(POST => '/products/' . $make->() . '/images', png(4, 2), headers => { 'Content-Type' => $TYPE{png} }, @as);
    is($picture->{status}, 201, 'a picture') or diag $picture->{body};
    my $file = ctl_for($site, '--products', 'ndjson', 'export')->{out};
    like($file, qr{"/kept/images/}, 'a file of products has the addresses of the mount that has pictures');
}
done_testing;
