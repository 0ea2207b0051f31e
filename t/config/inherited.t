# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# A mount of the main server is one of each virtual host, too, and there it has that host's database.
use CatalogTest;

my $hosts = join '', map { <<"END" } qw(one two);
<VirtualHost 127.0.0.1:\@port\@>
    ServerName $_.test
    DBDParams  "\@dir\@/data/$_.db"
</VirtualHost>
END
my $server = server(conf => $hosts . "<VirtualHost 127.0.0.1:\@port\@>\n    ServerName three.test\n</VirtualHost>\n")->start;
my %file = (one => 'one', two => 'two', three => 'catalog');

for my $host (sort keys %file) {
    answers($server->talk(wire(POST => '/products', { name => "of $host", price => 1 }, token => forge(), headers => { Host => "$host.test" })),
        201, undef, "$host: created");
}
for my $host (sort keys %file) {
    answers($server->talk(wire(GET => '/products', headers => { Host => "$host.test" })), 200,
        sub { join(' ', map { $_->{name} } @{ $_[0]{data} }) eq "of $host" }, "$host has its own products");
    is($server->database($server->dir . "/data/$file{$host}.db")->selectrow_array('SELECT name FROM products'), "of $host", 'where its settings say');
}

done_testing;
