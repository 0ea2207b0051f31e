# SPDX-License-Identifier: Apache-2.0
package Inserts;

# Creates products at the highest rate, from few connections and from many. A prefork child has one request at a time, so the module
# commits each by itself. That is the base, at the number of connections with the best rate.

use strict;
use warnings FATAL => 'all';

use CatalogTest::Tools qw(setting);
use Catalogue ();
use Httpd ();
use Rounds ();

my @CONNECTIONS = (1, 8, 32);
my $NEW = '1 POST /api/products {"name":"A new product","price":{n}.25}';

sub run {
    my ($c) = @_;
    my $file = Catalogue::file("$c->{dir}/data", setting('ctl'), 1_000);
    my @servers = map { Httpd->new("inserts, $_", mpm => $_, database => $file)->start } qw(event worker prefork);
    my %figures = $c->{rounds}->measure(map { cells($_) } @servers);
    CatalogTest::Process::stop_all(@servers);
    my ($best) = sort { $b->{rate} <=> $a->{rate} } map { $figures{"prefork: inserts at $_"} } @CONNECTIONS;
    $c->{results}->add(inserts => %figures, 'one transaction a request' => { rate => $best->{rate} });
}

# A figure that is only a point in the picture needs few runs.
sub how_often {
    my ($server, $connections) = @_;
    return $connections == $CONNECTIONS[-1] || $server->{mpm} eq 'prefork' ? Rounds::USUALLY : Rounds::SELDOM;
}

sub cells {
    my ($server) = @_;
    my %new = (server => $server, header => 'Authorization: Bearer ' . Contestant::token(), requests => [$NEW]);
    return map { ("$server->{mpm}: inserts at $_" => { %new, connections => $_, every => how_often($server, $_) }) } @CONNECTIONS;
}

1;
