# SPDX-License-Identifier: Apache-2.0
package Sizes;

# Sends the same requests to a small catalogue and to a large one, under the worker MPM, whose rounds vary least. Reads a thousand
# products that are spread over the whole large catalogue, with and without the cache. Without the cache, also reads the first
# thousand, which are adjacent as in the small catalogue: then only the size differs. And pages at random, from everywhere in the list.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting);
use Answers ();
use Catalogue ();
use Httpd ();
use Questions ();
use Rounds ();

my $SMALL = 1_000;
my $WARM = 3; # runs in which each connection reads the database's pages for the first time

sub run {
    my ($c) = @_;
    my (@cells, @servers);
    for my $size ($SMALL, $c->{large}) {
        my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), $size);
        my @at = $size == $SMALL ? (database => $file) : (params => $file); # no copy of the large one: nothing changes it
        my ($cached, $direct) = map { Httpd->new("$size$_->[0]", mpm => 'worker', more => $_->[1], @at)->start } ['', ''],
            [', no cache', 'CatalogCacheSize 0'];
        push @servers, $cached, $direct;
        push @cells, cells($cached, $direct, $size);
    }
    my %figures = $c->{rounds}->measure(@cells);
    CatalogTest::Process::stop_all(@servers);
    $c->{results}->add(sizes => %figures);
}

# Without the cache, the server looks up the start of a page on every request.
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
        Questions::pages($label, $direct, $last));
}

1;
