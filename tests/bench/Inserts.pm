# SPDX-License-Identifier: Apache-2.0
package Inserts;

# New products, as many as can be, from few connections and from many. Under the prefork MPM a child has one request at a time, so
# that the same module commits each by itself: that is the base, at the number of connections that it does best with.

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

# What is no more than a point of the picture is measured by few runs.
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
