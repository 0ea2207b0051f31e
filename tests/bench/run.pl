#!/usr/bin/perl
# SPDX-License-Identifier: Apache-2.0
# Measures what a request costs here and elsewhere, and writes results.json, results.md and pictures into DIR:
#     tests/bench/run.pl build DIR
# In the environment: QUICK=1 for one short round, ROUNDS=9 for that many instead of 27, PARTS="reads posts" for some of the parts only,
# OWNING=10000000 for so many products with fields of the shop's own, SEARCHED=10000000 for so many in the parts search...,
# HISTORY_ROWS=1000000 for so many rows of the imports of history.
# PRODUCTS=1000000 for so many in the part plain.
# The parts plain... and instructions run when they are named; instructions puts nothing into DIR.
use strict;
use warnings FATAL => 'all';

use Cwd ();
use FindBin;

use lib $FindBin::RealBin, "$FindBin::RealBin/../../t/lib";
use CatalogTest::Tools qw(settle hand_over);
use Compare ();
use Databases ();
use Depth ();
use Fields ();
use History ();
use Https ();
use Inserts ();
use Instructions ();
use Memory ();
use Pictures ();
use Plain ();
use Results ();
use Rounds ();
use Search ();
use Sizes ();
use Tokens ();
use Transfers ();

my @PARTS = qw(reads posts postgresql mariadb https sizes depth depth_postgresql depth_mariadb
    fields fields_postgresql fields_mariadb search search_postgresql search_mariadb history history_postgresql history_mariadb inserts
    transfers memory tokens);
my @NAMED = qw(plain plain_sqlite plain_postgresql plain_mariadb instructions); # only if PARTS names them
my ($build, $dir) = map { Cwd::realpath($_) // die "$_: $!\n" } @ARGV;
my @parts = split ' ', $ENV{PARTS} || "@PARTS";
my %pace = $ENV{QUICK}
    ? (rounds => 1, large => 1_000_000, owning => 100_000, searched => 100_000, beside_peers => 100_000, transferred => 100_000,
        requests => 100_000, products => 10_000)
    : (rounds => $ENV{ROUNDS} || 27, large => 10_000_000, owning => 1_000_000, searched => 1_000_000, beside_peers => 1_000_000,
        transferred => 1_000_000, requests => 1_000_000, products => 100_000);
$pace{seconds} = 1;
$pace{owning} = $ENV{OWNING} if $ENV{OWNING};
$pace{searched} = $ENV{SEARCHED} if $ENV{SEARCHED};
$pace{products} = $ENV{PRODUCTS} if $ENV{PRODUCTS};

$| = 1;
for my $part (@parts) {
    grep { $_ eq $part } @PARTS, @NAMED or die "PARTS: there is no $part among: @PARTS @NAMED\n";
}
lay_out();

my $results = Results->new(%pace);
my %context = (%pace, dir => $dir, build => $build, rounds => Rounds->new(%pace), results => $results);
my %run = (
    reads => \&Compare::reads, posts => \&Compare::posts, postgresql => \&Databases::postgresql, mariadb => \&Databases::mariadb,
    https => \&Https::run, sizes => \&Sizes::run, depth => \&Depth::run,
    depth_postgresql => \&Depth::postgresql, depth_mariadb => \&Depth::mariadb, inserts => \&Inserts::run,
    fields => \&Fields::run, fields_postgresql => \&Fields::postgresql, fields_mariadb => \&Fields::mariadb,
    search => \&Search::run, search_postgresql => \&Search::postgresql, search_mariadb => \&Search::mariadb,
    history => \&History::run, history_postgresql => \&History::postgresql, history_mariadb => \&History::mariadb,
    plain => \&Plain::run, plain_sqlite => \&Plain::sqlite, plain_postgresql => \&Plain::postgresql, plain_mariadb => \&Plain::mariadb,
    transfers => \&Transfers::run, memory => \&Memory::run, tokens => \&Tokens::run, instructions => \&Instructions::run);
for my $part (@parts) {
    print "\n$part\n";
    $run{$part}->(\%context);
}
Compare::stop();
exit 0 if "@parts" eq 'instructions';
$results->write("$dir/results.json", "$dir/results.md");
Pictures::draw($results, $dir);
print "\n", $results->markdown;

sub lay_out {
    my $apxs = sub { chomp(my $value = qx(apxs -q $_[0])); $value || die "apxs -q $_[0] tells nothing\n" };
    my $user = $> == 0 ? 'www-data' : scalar getpwuid $>;
    my $home = "$dir/run";

    system('rm', '-rf', $home) == 0 or die "$home cannot be taken away\n";
    for my $new ($home, "$home/servers", "$dir/data") {
        -d $new || mkdir $new or die "$new: $!\n";
    }
    system('setpriv', '--reuid', $user, '--regid', $user, '--clear-groups', 'test', '-x', $home) == 0
        or die "$user, as whom root runs servers, may not enter $home: give another BENCH=directory\n"
        if $> == 0;
    $ENV{CATALOG_TEST} = $home;
    settle(
        home => $home, user => $user, group => $> == 0 ? $user : scalar getgrgid +(split ' ', $))[0],
        httpd => $apxs->('SBINDIR') . '/' . $apxs->('PROGNAME'), modules => $apxs->('LIBEXECDIR'),
        module => "$build/mod_catalog.so", constant => "$dir/constant.so", ctl => "$build/catalogctl");
    hand_over("$dir/data"); # SQLite makes files beside a database
}
