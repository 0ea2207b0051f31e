#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# The direction of dependency: mod_catalog.c -> httpd -> api -> db -> shm -> lib, with catalog.h beside shm; ctl -> db.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my %height = (lib => 0, shm => 1, db => 2, api => 3, ctl => 3, httpd => 4, top => 5);
my %fans_out = map { $_ => 1 } qw(src/httpd/routes.c src/httpd/jobs.c);
my $apache = qr/^(?:httpd|http_\w+|mod_\w+|ap_\w+|util_\w+|scoreboard|unixd|mpm_common)\.h$/;

for my $file (files(qr/\.(?:c|h|def)/, 'mod_catalog.c', 'src')) {
    my ($layer, $name) = $file =~ m{^src/(\w+)/(\w+)\.} ? ($1, $2) : $file eq 'src/catalog.h' ? ('shm', 'catalog') : ('top', '');
    defined $height{$layer} or fault($file, 'is in no layer'), next;

    for (code($file) =~ /^#\s*include\s+(\S+)/mg) {
        /^<(.*)>$/ ? check_foreign($file, $layer, $1) : /^"(.*)"$/ ? check_own($file, $layer, $name, $1) : fault($file, "includes $_");
    }
}

sub check_foreign {
    my ($file, $layer, $header) = @_;
    fault($file, "includes Apache's $header") if $header =~ $apache && $height{$layer} < $height{httpd};
}

sub check_own {
    my ($file, $layer, $name, $header) = @_;
    return if $header =~ /^(?:schema|templates|places)\.inc$/;
    -f "src/$header" or return fault($file, "includes $header, which is not there below src/");
    my ($other, $base) = $header =~ m{^(\w+)/(\w+)\.} or return;

    fault($file, "includes $header from a higher layer") if $height{$other} > $height{$layer};
    fault($file, "includes $header: what two resources share belongs in db/ or lib/") if "$layer$other" eq 'apiapi' && $name ne $base;
    fault($file, "includes $header: only " . join(' and ', sort keys %fans_out) . ' reach into api/')
        if $other eq 'api' && $layer ne 'api' && !$fans_out{$file};
}
