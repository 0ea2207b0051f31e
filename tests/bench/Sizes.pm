# SPDX-License-Identifier: Apache-2.0
package Sizes;

# The same requests to a small catalogue and to a large one. Under worker: there one round is like another, and the database is most
# of what a request costs. A thousand products are asked for, which in the large one are spread over all of it; without the cache
# likewise, and also the first thousand, side by side as the small one's are: what differs then is the size of the catalogue alone.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting);
use Answers ();
use Catalogue ();
use Httpd ();
use Rounds ();

my $SMALL = 1_000;
my $WARM = 3; # runs, in which each connection reads the database's pages for the first time

sub run {
    my ($c) = @_;
    my (@cells, @servers);
    for my $size ($SMALL, $c->{large}) {
        my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $size);
        my @at = $size == $SMALL ? (database => $file) : (params => $file); # the large one is not copied: nothing in it is changed
        my ($cached, $direct) = map { Httpd->new("$size$_->[0]", mpm => 'worker', more => $_->[1], @at)->start } ['', ''],
            [', no cache', 'CatalogCacheSize 0'];
        push @servers, $cached, $direct;
        push @cells, cells($cached, $direct, $size);
    }
    my %figures = $c->{rounds}->measure(@cells);
    CatalogTest::Process::stop_all(@servers);
    $c->{results}->add(sizes => %figures);
}

# The places of pages are found anew each time only where nothing is remembered.
sub cells {
    my ($cached, $direct, $size) = @_;
    my %one = (count => $SMALL, size => $size, requests => ['1 GET /api/products/{id}'], warm => $WARM);
    my $page = sub { { server => $_[0], requests => ["1 GET /api/products?$_[1]"], warm => $WARM } };
    my $cursor = $direct->get('/api/products?cursor=')->{json}{pagination}{nextCursor};
    my ($middle, $last) = map { $size / $_ } 20, 10;
    my $label = $size == $SMALL ? 'small' : 'large';

    Answers::check_page($direct, $size, $_) for 1, $middle, $last;
    return (
        "$label: one" => { server => $cached, %one },
        "$label: page 1" => $page->($cached, 'page=1'),
        "$label: one, no cache" => { server => $direct, %one, size => $SMALL },
        "$label: one, no cache, spread" => { server => $direct, %one },
        "$label: page 1, no cache" => { %{ $page->($direct, 'page=1') }, every => Rounds::ALWAYS },
        "$label: next page by cursor" => $page->($direct, "cursor=$cursor"),
        map { ("$label: $_->[0]" => { %{ $page->($direct, "page=$_->[1]") }, every => Rounds::SELDOM }) } ['page in the middle', $middle],
            ['last page', $last]);
}

1;
