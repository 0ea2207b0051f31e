# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# The shop of `make demo`: its products with fields of their own, a user of each role, and that a second start keeps both.
use CatalogTest;

use CatalogTest::DevelopmentServer ();
use CatalogTest::Tools qw(setting slurp);

my $shop = setting('top') . '/conf/examples/demo';
my $server = CatalogTest::DevelopmentServer->new(SHOP => $shop, INCLUDE => "$shop/shop.conf")->start;
my @own = qw(sku description brand tags weight quantity color updatedAt);

sub ask { CatalogTest::Http::request($server->{port}, $_[0], "/api$_[1]", @_[2 .. $#_]) }
# The console names them after the server serves.
sub passwords {
    my %of = ();
    wait_until(60, sub { %of = slurp($server->console) =~ /^  (user|editor|admin) +(\S+)$/mg; keys %of == 3 });
    return %of;
}

my $list = ask(GET => '/products?limit=100&fields=' . join ',', 'name', @own);
is($list->{json}{pagination}{total}, 200, 'there are 200 products');
my %having;
for my $product (@{ $list->{json}{data} }) {
    $having{$_}++ for keys %$product;
}
ok($having{$_}, "some have $_") for @own;
like($list->{headers}{'catalog-currency'}, qr/^EUR$/, 'prices are in a currency');

my %password = passwords();
is_deeply([sort keys %password], [qw(admin editor user)], 'the console names a user of each role');
is((stat "$server->{dir}/data/users.txt")[2] & 0077, 0, 'others cannot read the file with the passwords');
my %may = (admin => 201, editor => 201, user => 403);
for my $role (sort keys %may) {
    my $token = ask(POST => '/auth/login', { login => $role, password => $password{$role} })->{json}{token};
    is(ask(GET => '/auth/me', undef, token => $token)->{json}{data}{role}, $role, "$role signs in");
    is(ask(POST => '/products', { name => "Of the $role", price => 1, tags => ['new'] }, token => $token)->{status}, $may{$role},
        "the answer to a product of the role $role");
}

$server->stop;
unlink $server->console;
$server->start;
is(ask(GET => '/products?limit=1')->{json}{pagination}{total}, 202, 'a second start imports nothing');
is_deeply({ passwords() }, \%password, 'and says the passwords again');
$server->stop;

# case: the first start was interrupted: the next one makes what is missing
my $db = DBI->connect("dbi:SQLite:dbname=$server->{dir}/data/catalog.db", '', '', { RaiseError => 1 });
$db->do("DELETE FROM $_") for qw(products product_words product_keys product_unique);
$db->do(q(DELETE FROM users WHERE username = 'admin'));
$db->disconnect;
my $users = slurp("$server->{dir}/data/users.txt") =~ s/^  admin .*\n//mr;
open my $file, '>', "$server->{dir}/data/users.txt" or die $!;
print {$file} $users;
close $file;
unlink $server->console;
$server->start;
my %again = passwords();
is(ask(GET => '/products?limit=1&count=exact&price[gte]=0')->{json}{pagination}{total}, 200, 'the products are imported');
is_deeply([@again{qw(user editor)}], [@password{qw(user editor)}], 'the users who are there keep their passwords');
isnt($again{admin}, $password{admin}, 'the one who is not is created');
$server->stop;
is($server->noteworthy, '', 'the error log is empty');

done_testing;
