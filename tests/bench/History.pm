# SPDX-License-Identifier: Apache-2.0
package History;

# What the history of products costs: new products, which are then updated and deleted, one after the other, and imports, with CatalogHistory and
# without, in turns, so that other load on the machine affects both alike. Each server has a database engine of its own, whose CPU counts, and
# so does what jobs do within a second after the requests.

use strict;
use warnings FATAL => 'all';

use List::Util qw(shuffle);
use Time::HiRes qw(sleep);

use CatalogLoad ();
use CatalogTest::Tools qw(setting);
use Catalogue ();
use Contestant ();
use Engine ();
use Httpd ();
use Machine ();
use Transfers ();

my $COUNT = 10_000;   # products that are there
my $REQUESTS = 1000;  # of each kind, in a round
my $ROWS = $ENV{HISTORY_ROWS} // 10_000; # of an import
my $SETTLE = 1;       # seconds
my @KINDS = qw(POST PUT DELETE import);

sub run { measure('sqlite3', @_) }
sub postgresql { measure('pgsql', @_) }
sub mariadb { measure('mysql', @_) }

sub name { return $_[0] eq 'sqlite3' ? 'SQLite' : Engine::name($_[0]) }

sub measure {
    my ($driver, $c) = @_;
    my $file = Transfers::file("$c->{dir}/data", $ROWS);
    my %servers = map { $_ => start($driver, $c, $_) } 'On', 'Off';
    my %cpu;
    for my $round (0 .. ($c->{rounds}{rounds} > 9 ? 9 : $c->{rounds}{rounds})) {
        for my $history (shuffle sort keys %servers) {
            my %round = of_round($servers{$history}, $file);
            $cpu{$history}{$_} += $round ? $round{$_} : 0 for @KINDS; # the first round warms up
            $cpu{$history}{rounds} += $round > 0;
        }
    }
    CatalogTest::Process::stop_all(values %servers, map { $_->{engine} // () } values %servers);
    my %figures = map { my $history = $_; map { figure($driver, $history, $_, $cpu{$history}) } @KINDS } sort keys %servers;
    printf "%-32s %8.1f us, %.1f without\n", $_, map { $_->{cpu} } @figures{ $_, "$_, without" } for sort grep { !/without/ } keys %figures;
    $c->{results}->add($driver eq 'sqlite3' ? 'history' : 'history_' . lc name($driver) => %figures);
}

# Microseconds of a request, or of a row.
sub figure {
    my ($driver, $history, $kind, $cpu) = @_;
    my $count = $cpu->{rounds} * ($kind eq 'import' ? $ROWS : $REQUESTS);
    return ('history, ' . name($driver) . ": $kind" . ($history eq 'On' ? '' : ', without') => { cpu => 1e6 * $cpu->{$kind} / $count, requests => $count });
}

sub start {
    my ($driver, $c, $history) = @_;
    my @more = (more => Httpd::ALL_INDEXES . ($history eq 'On' ? '' : "\nCatalogHistory Off"));
    my $name = 'history, ' . name($driver) . ", $history";
    return Httpd->new($name, database => Catalogue::file("$c->{dir}/data", setting('ctl'), $COUNT), @more)->start if $driver eq 'sqlite3';
    my $engine = Engine::start($driver);
    Catalogue::import_into(setting('ctl'), $driver, $engine->params(Engine::DATABASE), $COUNT);
    $engine->settle;
    return Httpd->new($name, driver => $driver, params => $engine->params(Engine::DATABASE), engine => $engine, @more)->start;
}

# The CPU seconds of each kind.
sub of_round {
    my ($server, $file) = @_;
    my $client = CatalogLoad::client($server);
    my @token = (token => Contestant::token());
    my @ids;
    my $ask = sub {
        my ($status, @request) = @_;
        my $r = $client->ask(@request, @token);
        die "@request[0, 1]: $r->{status} $r->{body}\n" if $r->{status} != $status;
        return $r->{json};
    };
    return (
        POST => cpu_of($server, sub { push @ids, $ask->(201, POST => '/products', new_product($_))->{data}{id} for 1 .. $REQUESTS }),
        PUT => cpu_of($server, sub { $ask->(200, PUT => "/products/$ids[$_]", { price => $_ + 1000.5 }) for 0 .. $#ids }),
        DELETE => cpu_of($server, sub { $ask->(200, DELETE => "/products/$_") for @ids }),
        import => cpu_of($server, sub { Transfers::send_file($server, $file, $ROWS) }));
}

sub new_product { return { name => "Product number $_[0]", price => $_[0] + 0.25, category => 'category 1', rating => 4.5 } }

sub cpu_of {
    my ($server, $act) = @_;
    my $before = Machine::cpu($server->processes);
    $act->();
    sleep $SETTLE;
    return Machine::cpu($server->processes) - $before;
}

1;
