# SPDX-License-Identifier: Apache-2.0
# route: GET /products/:id
# runs: first
# catalogctl fields: what fields the database has, and how one whose line was removed is dropped, or renamed.
use CatalogTest;
use CatalogTest::Ctl qw(command_for ctl_for problems);
use Time::HiRes qw(sleep);

my @lines = ('sku string unique', 'color string facet', 'about text search', 'tags strings index');
my $server = server(mount => join '', map { "CatalogField $_\n" } @lines)->start;
my $token = register($server)->{token};
my $db = $server->database;

sub fails {
    my ($r, $code, $pattern, $name) = @_;
    is($r->{status}, $code, $name);
    like($r->{err}, $pattern, 'with the reason');
    return;
}
sub call { my ($method, $path, $body) = @_; return $server->api($method => $path, $body, token => $token) }
sub made { my ($product) = @_; return call(POST => '/products', { name => 'cup', price => 1, %$product })->{json}{data}{id} }
sub listed { return [map { [split /\t/] } split /\n/, ctl_for($server, 'fields')->{out}] }
sub count { my ($sql, @values) = @_; return $db->selectrow_array("SELECT COUNT(*) FROM $sql", undef, @values) }

# The server's lines from now on.
sub restart_with {
    my (@new) = @_;
    my $file = $server->dir . '/httpd.conf';
    my $text = slurp($file);
    my $first = 1;
    $text =~ s/^\s*CatalogField .*\n/$first-- > 0 ? join '', map { "CatalogField $_\n" } @new : ''/gme;
    $server->stop;
    spew($file, $text);
    $server->start;
}

my @ids = map { made({ sku => "S$_", color => $_ % 2 ? 'red' : 'blue', about => "word$_", ($_ < 4 ? (tags => ['a', 'b']) : ()) }) } 1 .. 5;
made({});
is_deeply(listed(), [[qw(name type line complete products)], ['sku', 'string unique', 'true', 'true', 5], ['color', 'string facet', 'true', 'true', 5],
    ['about', 'text search', 'true', 'true', 5], ['tags', 'strings index', 'true', 'true', 3]], 'the fields are listed, with how many products have each');
fails(ctl_for($server, 'fields', 'drop', 'color'), 1, qr/has a line of CatalogField; remove the line/, 'a field with a line is not dropped');
fails(ctl_for($server, 'fields', 'drop', 'none'), 1, qr/has no such field/, 'nor one that is not there');
fails(ctl_for($server, 'fields', 'rename', 'color', 'colour'), 1, qr/remove the line/, 'nor is one with a line renamed');

# case: a line of another mount with the database
my $conf = slurp($server->dir . '/httpd.conf');
$server->stop;
my ($key) = $conf =~ /^(\s*CatalogKeyFile .*\n)/m;
spew($server->dir . '/httpd.conf', $conf =~ s/^\s*CatalogField color .*\n//mr . qq(<Location "/other">\nCatalogEnable On\n${key}CatalogField color string facet\n</Location>\n));
fails(ctl_for($server, '--mount', '/api', 'fields', 'drop', 'color'), 1, qr/has a line of CatalogField; remove the line from all mounts/, 'a field with a line in another mount is not dropped');
fails(ctl_for($server, '--mount', '/api', 'fields', 'rename', 'color', 'about'), 1, qr/remove the line from all mounts/, 'nor renamed');
like(ctl_for($server, '--mount', '/api', 'fields')->{out}, qr/^color\tstring facet\ttrue\t/m, 'and the list says that it has one');
spew($server->dir . '/httpd.conf', $conf);
$server->start;

# case: rename
restart_with('sku string unique', 'about text search', 'tags strings index', 'colour string index unique');
fails(ctl_for($server, 'fields', 'rename', 'color', 'about'), 1, qr/about of the type text|about is of the type text/, 'a field of another type gets no values');
fails(ctl_for($server, 'fields', 'rename', 'color', 'none'), 1, qr/add a line/, 'nor one without a line');
fails(ctl_for($server, 'fields', 'rename', 'color', 'colour'), 1, qr/its value is already taken/, 'values that are taken are named');
restart_with('sku string unique', 'about text search', 'tags strings index', 'tint string index');
is(call(PUT => "/products/$ids[0]", { tint => 'own' })->{status}, 200, 'a product has a value of the new field');
my $renamed = ctl_for($server, 'fields', 'rename', 'color', 'tint');
is($renamed->{out}, "6 products, 5 changed\n1 already had a value in the new field, and keep it\n", 'the others get it');
is_deeply([map { call(GET => "/products/$_")->{json}{data}{tint} } @ids], [qw(own blue red blue red)], 'products have the values by the new name');
ok(wait_until(60, sub { count(q(product_keys k JOIN catalog_fields f ON f.number = k.field WHERE f.name = 'tint')) == 6 }), 'and their keys');
is(count(q(catalog_fields WHERE name = 'color')), 0, 'the old name is gone');
is(count(q(product_keys WHERE field NOT IN (SELECT number FROM catalog_fields))), 0, 'with all its keys');

# case: drop, and again after it was killed
restart_with('sku string unique', 'tags strings index', 'tint string index');
is(listed()->[2][2], 'false', 'a field without a line is listed');
my $pid = fork // die "fork: $!\n";
if (!$pid) {
    open STDOUT, '>', '/dev/null';
    exec command_for($server, 'fields', 'drop', 'about') or die;
}
sleep 1.5;
kill KILL => $pid;
waitpid $pid, 0;
like(ctl_for($server, 'fields', 'drop', 'about')->{out}, qr/^6 products, 5 changed\n/, 'a field is dropped after the command was killed');
is(count(q(products WHERE extra LIKE '%about%')), 0, 'no product has it');
is(call(GET => '/products?q=word1')->{json}{data}[0], undef, 'nor its words');
restart_with('tags strings index', 'tint string index');
is(ctl_for($server, 'fields', 'drop', 'sku')->{out}, "6 products, 5 changed\n", 'so is one that is unique');
is(count('product_unique'), 0, 'with its values');
is(join(' ', sort map { $_->[0] } @{ listed() }), 'colour name tags tint', 'what no line names any more is left');
is(problems(ctl_for($server, 'check')), '', 'and all is well');
restart_with('tags strings index', 'tint string index', 'sku string unique');
is(call(GET => "/products/$ids[0]")->{json}{data}{sku}, undef, 'a line of the same name begins anew');
ok(wait_until(60, sub { call(PUT => "/products/$ids[0]", { sku => 'S1' })->{status} == 200 }), 'with all values free, as soon as it is known that no product has one');

# case: a field is not to be unique any more, although the database has it so
my ($one, $other) = @ids[1, 2];
restart_with('tags strings index', 'tint string index', 'sku string index');
is(call(PUT => "/products/$one", { sku => 'S1' })->{json}{errors}[0]{code}, 'taken', 'a value is taken as long as the database has the option that the line had');
restart_with('tags strings index', 'tint string index', 'code string index');
like(ctl_for($server, 'fields', 'rename', 'sku', 'code')->{out}, qr/^6 products, 1 changed\n/, 'the field is renamed');
is(call(PUT => "/products/$_", { code => 'S1' })->{status}, 200, 'and any product can have the value') for $one, $other;

# case: products that are there have the same value
expect_log(qr/CAT089:.* have the same value in the unique field code;/);
restart_with('tags strings index', 'tint string index', 'code string unique');
ok(wait_until(60, sub { $server->log_text =~ /CAT089:/ }), 'a field that became unique waits for other values');
like($server->log_text, qr/CAT089: .*: the products (?:$one and $other|$other and $one) have .*; catalogctl check shows the value$/m, 'the log names both products');
unlike($server->log_text, qr/CAT089:.*S1/, 'and not the value');
my $equal = problems(ctl_for($server, 'check'));
like($equal, qr/^fields: code: \d+ % of the products have the keys; until a server has given them to all, .* CAT089 or CAT094 /m, 'catalogctl check says that requests return 503');
like($equal, qr/^fields: code is unique, but the products (?:$one and $other|$other and $one) both have the value "S1"; give (?:$one|$other) another value$/m, 'and names the value and both products');
restart_with('tags strings index', 'tint string index', 'ean string index');
like(ctl_for($server, 'fields', 'rename', 'code', 'ean')->{out}, qr/^6 products, 3 changed\n/, 'or is renamed');
ok(wait_until(60, sub { (call(GET => '/products?ean=S1')->{json}{pagination}{total} // 0) == 3 }), 'and products can share the value');
is(problems(ctl_for($server, 'check')), '', 'all is well, too');

is(count(q(value_counts WHERE value IN ('red', 'blue'))), $db->selectrow_array(q(SELECT COUNT(DISTINCT value) FROM product_keys WHERE counted = 1)), 'a field that is gone leaves no counts');
like(ctl_for($server, 'check')->{out}, qr/ok\tcounts/, 'and those of the others are right');

done_testing;
