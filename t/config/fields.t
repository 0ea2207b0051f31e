# SPDX-License-Identifier: Apache-2.0
# CatalogField: what httpd -t says of a line, and how the lines of sections become the fields of a mount.
use CatalogTest;

sub said { my ($status, $text) = server(@_)->configtest; return $status == 0 ? 'OK' : $text }
sub in_server { said(conf => join "\n", @_, '') }
sub in_mount { said(mount => join "\n", @_, '') }

is(in_mount(<<'END'), 'OK', 'httpd -t accepts a field of each type');
CatalogField sku         string   unique max=64 pattern="[A-Z]{2}-\d+" label="Article number"
CatalogField slug        string   unique from=name
CatalogField description text     search detail
CatalogField picture     url
CatalogField tags        strings  index facet
CatalogField weight      number   index min=0 \
                                  help="In kilograms"
CatalogField quantity    integer  index min=0
CatalogField color       choice   values="red|green|blue" facet
CatalogField published   boolean  index default=false
CatalogField seen        time
CatalogField bestBefore  date
CatalogField meta        json
CatalogField cost        number   private min=0
CatalogField updatedAt   modified index
END
is(in_server('CatalogField sku string'), 'OK', 'CatalogField in the server is accepted');
is(in_server('<VirtualHost *>', 'CatalogField sku string', '</VirtualHost>'), 'OK', 'in a virtual host as well');
like(in_server('<Directory />', 'CatalogField sku string', '</Directory>'), qr/Syntax error/, 'but not in <Directory>');

# What is wrong with a line is said with its number.
my @wrong = (
    ['weight', qr/CatalogField takes a name, a type and options, such as: CatalogField weight number index min=0/],
    ['price number', qr/CatalogField price: every product already has a field of this name/],
    ['page integer', qr/CatalogField page: the API uses this name for a parameter or for a member of its answers/],
    ['we-ight number', qr/CatalogField we-ight: a name must be a letter, followed by at most 39/],
    ['weight nmber', qr/CatalogField weight: there is no type nmber; it must be string, text, .* or modified/],
    ['weight number inedx', qr/CatalogField weight: there is no option inedx; the type number can have required, default=, /],
    ['weight number search', qr/CatalogField weight: the type number cannot have the option search/],
    ['weight number min=3 max=2', qr/CatalogField weight: min=3 is greater than max=2/],
    ['color choice values="a|b" default=c', qr/CatalogField color: default=c must be a or b/],
    ['sku string pattern="(a"', qr/CatalogField sku: pattern=\(a: missing closing parenthesis at offset 2/],
    ['brand string by=price', qr/by= requires the option index, unique or facet/],
    ['slug string from=price', qr/CatalogField slug: from=price must name a field whose values are strings/],
);
for (@wrong) {
    my ($line, $why) = @$_;
    my $text = in_mount('CatalogField good string', "CatalogField $line");
    like($text, $why, "httpd -t refuses $line");
    my ($number, $file) = $text =~ /Syntax error on line (\d+) of (.*):$/m;
    is(line_of($file, $number), "CatalogField $line", 'with the number of the line');
}

# Lines are added to those of outer sections, and replace those of the same name.
sub lines { my ($first, $last, @more) = @_; return map { "CatalogField f$_ string @more" } $first .. $last }
sub inherits { my ($outer, @inner) = @_; return said(conf => join("\n", @$outer, ''), mount => join("\n", @inner, '')) }

is(inherits([lines(1, 32)], lines(33, 64)), 'OK', 'a mount may have 64 fields, with those of the server');
my $text = inherits([lines(1, 32)], lines(33, 65));
like($text, qr/has a CatalogField that does not fit in, on line \d+ of .*: there may be at most 64 fields/, 'but not one more');
is(line_of(reverse $text =~ /fit in, on line (\d+) of (\S+):/), 'CatalogField f65 string', 'with the number of the last line');
is(inherits([lines(1, 64)], 'CatalogField f7 number'), 'OK', 'a line of the mount replaces one of the server');
like(in_mount('CatalogField sku string', 'CatalogField SKU string'), qr/CatalogField SKU: this section already has a field sku/,
    'a section has a field once');

is(inherits(['CatalogField weight number index'], 'CatalogField brand string index by=weight'), 'OK', 'by= may name a field of the server');
for (['name', qr/by=name must name price, rating, or a field of numbers or times with index/], ['weight', qr/by=weight must name price/], ['none', qr/by=none: there is no such field/]) {
    my ($by, $why) = @$_;
    like(inherits(['CatalogField weight number'], "CatalogField brand string index by=$by"), qr/on line \d+ of .*: $why/, "by=$by is refused");
}
is(inherits(['CatalogField brand string'], 'CatalogField slug string from=brand'), 'OK', 'from= may name a field of the server');
for my $outer ('CatalogField brand boolean', 'CatalogField band string') {
    $text = inherits([$outer], 'CatalogField slug string from=brand');
    like($text, qr/fit in, on line \d+ of .*: from=brand must name a field /, "from=brand with $outer is refused");
    is(line_of(reverse $text =~ /fit in, on line (\d+) of (\S+):/), 'CatalogField slug string from=brand', 'with its line');
}
is(inherits(['CatalogField brand string', 'CatalogField slug string from=brand'], 'CatalogField brand text'), 'OK',
    'a replaced field keeps its place');

sub line_of {
    my ($file, $number) = @_;
    open my $in, '<', $file // '' or return 'no such file';
    my @all = <$in>;
    return ($all[$number - 1] // '') =~ s/^\s+|\s+$//gr;
}

# Mounts with one database have one type for each field.
sub two_mounts { my (@lines) = @_; return said(conf => join '', map { qq(<Location "/$_">\nCatalogEnable On\nCatalogKeyFile "\@key\@"\n) . shift(@lines) . "\n</Location>\n" } 'a', 'b') }
like(two_mounts('CatalogField size string', 'CatalogField size number'),
    qr{CAT030: <Location "/b"> of 127\.0\.0\.1 has CatalogField size number, but <Location "/a"> of 127\.0\.0\.1, which has the same database, has CatalogField size string; write the same in both},
    'another type in another mount of the database is refused');
like(two_mounts('CatalogField size string', 'CatalogField Size string'), qr/has CatalogField Size string, but .* has CatalogField size string;/, 'so is another spelling');
is(two_mounts('CatalogField size string index', 'CatalogField size string unique'), 'OK', 'other options are not');
is(two_mounts('CatalogField size string', qq(CatalogField size number\nCatalogAudience b\nCatalogDatabase \@driver\@ "\@params:b\@")), 'OK', 'nor is another type in another database');

done_testing;
