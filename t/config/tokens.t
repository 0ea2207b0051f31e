# SPDX-License-Identifier: Apache-2.0
# httpd -t refuses mounts that would accept each other's access tokens although their databases differ, and prints the line that
# separates them.
use CatalogTest;

use CatalogTest::Jose qw(pair);
use CatalogTest::Tools qw(setting);

my ($key, $other) = (key_path, scratch() . '/other.key');
spew($other, 'another-key,-of-thirty-two-bytes-or-more');
chmod 0600, $other;

sub host { my ($name, $text) = @_; return "<VirtualHost 127.0.0.1:\@port\@>\nServerName $name.test\n$text</VirtualHost>\n" }
sub database { my ($name) = @_; return qq(DBDriver \@driver\@\nDBDParams "\@params:$name\@"\n) }
sub location { my ($path, $more) = @_; return qq(<Location "$path">\nCatalogEnable On\nCatalogKeyFile "$key"\n) . ($more // '') . "</Location>\n" }
sub site { return server(mount => undef, conf => join '', @_) }
sub said { my ($status, $text) = site(@_)->configtest; return $status ? $text : 'OK' }

# Two virtual hosts with a database each, as in README.md, and one key.
my @hosts = (host(one => database('one') . location('/api')), host(two => database('two') . location('/api')));
my $text = said(@hosts);
like($text, qr{CAT030: <Location "/api"> of two\.test would accept the access tokens of <Location "/api"> of one\.test, which has another database}m,
    'two virtual hosts with a database each and one key are refused');
like($text, qr{Write in <Location "/api"> of two\.test: CatalogAudience two\.test/api;}, 'the message has the line to write');
like($text, qr{the same in sections with AuthType Catalog}, 'and says that it belongs in guarded sections, too');
my ($line) = $text =~ /: (CatalogAudience \S+?);/;
is(said($hosts[0], host(two => database('two') . location('/api', "$line\n"))), 'OK', 'with that line they are accepted');
is(said($hosts[0], host(two => database('two') . "CatalogIssuer https://two.test\n" . location('/api'))), 'OK', 'with another issuer, too');
is(said($hosts[0], host(two => database('two') . location('/api', qq(CatalogKeyFile "$other"\n)))), 'OK', 'with another key, too');

# One database may be shared on purpose, by any number of mounts.
is(said(host(one => database('one') . location('/api')), host(two => database('one') . location('/api'))), 'OK',
    'two virtual hosts with one database are accepted');
is(said(database('one') . location('/api'), host(one => ''), host(two => '')), 'OK', 'virtual hosts that inherit a mount are accepted');
is(said(location('/a'), location('/b', "CatalogWriteRole admin\n")), 'OK', 'two mounts with one database are accepted');

# Mounts of one virtual host, inherited ones, and copies of a key.
like(said(location('/a'), location('/b c', qq(CatalogDatabase \@driver\@ "\@params:b\@"\n))),
    qr{<Location "/b c"> of 127\.0\.0\.1 would accept .* of <Location "/a"> .*CatalogAudience 127\.0\.0\.1/b%20c;},
    'two mounts of a virtual host are refused');
like(said(location('/api'), host(one => database('one'))), qr{<Location "/api"> of one\.test would accept .* of <Location "/api"> of 127\.0\.0\.1},
    'a virtual host that gives an inherited mount another database is refused');
my $copy = scratch() . '/copy';
mkdir $copy;
spew("$copy/$_->[0]", slurp($_->[1])) for ['new.key', $other], ['old.key', $key];
chmod 0600, glob "$copy/*";
like(said(location('/a'), location('/b', qq(CatalogKeyDir "$copy"\nCatalogDatabase \@driver\@ "\@params:b\@"\n))), qr/would accept/,
    'a key that is one of several in a directory is found');

# A file of a key pair may have other text.
my ($pem, $remarked) = map { scratch() . '/pair.pem' } 1, 2;
my $private = pair('ES256')->{private};
spew($pem, $private);
spew($remarked, "A remark\n$private");
chmod 0600, $pem, $remarked;
like(said(location('/a', qq(CatalogKeyFile "$pem"\n)), location('/b', qq(CatalogKeyFile "$remarked"\nCatalogDatabase \@driver\@ "\@params:b\@"\n))),
    qr/would accept/, 'a key pair is the same whatever else its file has');

# A file has several names.
if (driver eq 'sqlite3') {
    my $server = site(qq(DBDParams "\@dir\@/data/catalog.db"\n), location('/a'),
        location('/b', qq(CatalogDatabase sqlite3 "\@dir\@/link/catalog.db"\n)));
    my $dir = $server->dir;
    symlink 'data', "$dir/link";
    spew("$dir/data/catalog.db", '');
    CatalogTest::Tools::hand_over("$dir/data/catalog.db");
    is_deeply([$server->configtest], [0, "Syntax OK\n"], 'one file under two names is one database');
}

# A guarded section takes the tokens of the mount whose key it has.
sub guarded { my ($more) = @_; return qq(<Location "/reports">\nCatalogKeyFile "$key"\nAuthType Catalog\nRequire valid-user\n) . ($more // '') . "</Location>\n" }
my $own = "CatalogAudience shop.test\n";
like(said(location('/api', $own), guarded()),
    qr{<Location "/reports"> of 127\.0\.0\.1 has AuthType Catalog and a key of <Location "/api">, .*; write in it: .*CatalogAudience "shop\.test"$}m,
    'a guarded section without the audience of its mount is refused');
is(said(location('/api', $own), guarded($own)), 'OK', 'with it, it is accepted');
is(said($own, location('/api'), guarded()), 'OK', 'so it is if both have it from around them');
is(said(location('/api', $own), location('/other'), guarded()), 'OK', 'or if another mount has the same');
is(said(location('/api', $own), guarded("CatalogAudience other.test\n")), 'OK', 'an audience of its own is meant');
is(said(location('/api', $own), guarded(qq(CatalogKeyFile "$other"\n))), 'OK', 'and so is a key of its own');
like(said(host(one => location('/api', $own) . guarded())), qr{<Location "/reports"> of one\.test has AuthType Catalog}, 'in a virtual host, too');

# What the refusal prevents: in each other's mounts, tokens are refused.
my $server = site($hosts[0], host(two => database('two') . location('/api', "$line\n")))->start;
sub create {
    my ($host, $audience) = @_;
    return $server->talk(wire(POST => '/products', { name => 'x', price => 1 }, headers => { Host => "$host.test" },
        token => forge(claims => claims(iss => 'mod_catalog', aud => $audience))));
}
my %own = (one => 'catalog', two => $line =~ s/CatalogAudience //r);
answers(create($_, $own{$_}), 201, undef, "$_: its own token is accepted") for sort keys %own;
answers(create($_->[0], $own{$_->[1]}), 401, undef, "$_->[0]: a token of $_->[1] is refused") for [qw(one two)], [qw(two one)];

done_testing;
