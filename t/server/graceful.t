# SPDX-License-Identifier: Apache-2.0
# route: POST /products
# route: POST /register
# again: mpm
# A graceful restart: new settings apply, no request is lost, and every answer is valid.
use CatalogTest;
use Time::HiRes qw(sleep);

my $mail = <<'END';
CatalogMail     "file:@dir@/data/mail"
CatalogMailFrom shop@catalog.test
CatalogBaseURL  https://shop.test
END
my $server = server(mount => "${mail}CatalogDefaultLimit 3")->start;
my $user = register($server);
my @made;

sub create { return wire(POST => '/products', { name => 'x', price => 1 }, token => $user->{token}) }
sub limit { return $server->api(GET => '/products')->{json}{pagination}{limit} // 'none' }
sub settle { my ($want) = @_; return wait_until(10, sub { limit() eq $want }) }

is(limit(), 3, 'CatalogDefaultLimit applies');
my $file = $server->dir . '/httpd.conf';
my %before = map { $_ => 1 } $server->children;
for my $limit (5, 7, 9) {
    $server->write($file, slurp($file) =~ s/CatalogDefaultLimit \d+/CatalogDefaultLimit $limit/r);
    my @first = map { my $s = $server->connection; print {$s} create(); $s } 1 .. 4; # in flight when it restarts
    $server->graceful;
    push @made, grep { m{^HTTP/1\.1 201 } } map { my $s = $_; join '', <$s> } @first;
    ok(settle($limit), "CatalogDefaultLimit $limit is in force after a graceful restart");
    push @made, grep { $_->{status} == 201 } $server->burst(map { create() } 1 .. 4);
}
is(scalar @made, 24, 'all requests sent before a restart are answered');
is($server->api(GET => '/products')->{json}{pagination}{total}, 24, 'all their products are stored');
answers($server->talk(create()), 201, undef, 'a token issued before the restarts is accepted');
my $address = register($server)->{user}{email};
ok(wait_until(20, sub { grep { slurp($_) =~ /\Q$address\E/ } glob $server->dir . '/data/mail/*.eml' }),
    'mail is still sent');
my $mails = () = glob $server->dir . '/data/mail/*.eml';
is($mails, 2, 'each user receives one mail');
ok(wait_until(10, sub { !grep { $before{$_} } $server->children }), 'the old children end');

# httpd refuses an invalid configuration and continues with the old one.
my $good = slurp($file);
$server->write($file, $good =~ s/CatalogDefaultLimit \d+/CatalogDefaultLimit 0/r);
isnt(($server->configtest)[0], 0, 'httpd -t refuses an invalid configuration');
$server->write($file, $good);
takes_less($server->stop, 10, 'the server stops within ten seconds');

done_testing;
