#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Compares the pages of www/. Each page has the same head and header, except for its title, description and script, the
# style sheet desk.css, and the search field of the catalogue, in which visitors can type before the script is loaded.
# Each page preloads, or runs as a script of its own, exactly the modules that its script imports, directly or
# indirectly, so that no module is requested late. No page names another server.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Lint;

my $FIRST = 'www/index.html';
my $shell = shell($FIRST);

for my $page (files(qr/\.html/, 'www')) {
    my $text = text($page);
    my ($script) = $text =~ /<script type="module" src="(assets\/pages\/\w+\.js)">/ or fault($page, 'has no script'), next;
    my @preloaded = $text =~ /<(?:link rel="modulepreload" href|script type="module" async src)="([^"]+)">/g;
    my %imported = map { $_ => 1 } imports("www/$script");

    fault($page, "has another head or header than $FIRST") if shell($page) ne $shell;
    fault($page, "preloads $_, which its script does not import") for grep { !$imported{"www/$_"} } @preloaded;
    delete @imported{ map { "www/$_" } @preloaded, $script };
    fault($page, "does not preload $_") for map { s{^www/}{}r } sort keys %imported;
    fault($page, "loads from elsewhere: $1") if $text =~ m{((?:src|href)="(?:https?:)?//[^"]*")};
    fault($page, 'has no description for search engines') if $text !~ /<meta name="description" content="[^"]{20,}">/;
    fault($page, 'has no content with id="main"') if $text !~ /<main [^>]*id="main"/;
}

# Returns the text from the beginning to the content, without the parts that may differ.
sub shell {
    my ($page) = @_;
    return text($page) =~ s/<main .*//sr =~ s/<title .*?<\/title>//r =~ s/<meta name="description"[^>]*>//r
        =~ s/<script type="module" src[^>]*>//r =~ s/\s*<link rel="stylesheet" href="assets\/desk\.css">//r =~ s/\s*<link rel="modulepreload"[^>]*>//gr =~ s/\s*<form id="search".*?<\/form>//sr =~ s/\s+</</gr;
}
