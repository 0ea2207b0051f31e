# SPDX-License-Identifier: Apache-2.0
package Fields;

# What eight fields of the shop's own (Own.pm) cost: one product, a page and a new product beside those of a catalogue without such fields;
# conditions, orders and facets of them, as Questions.pm measures; and on SQLite a field that is added to a catalogue in use, and an
# import with all eight.

use strict;
use warnings FATAL => 'all';

use Time::HiRes ();

use CatalogTest::Tools qw(setting);
use Copies ();
use Engine ();
use Httpd ();
use Load ();
use Own ();
use Peers ();
use Questions ();
use Rounds ();
use Transfers ();
use Varied ();

my $SMALL = 10_000;   # products of the catalogues in which others are created
my $WITH = join "\n", Httpd::ALL_INDEXES, Own::LINES;
my $COUNT = 1_000;    # products that are requested one by one
my $FEW = 4;          # connections that a field which is filled in should not disturb
my $AFTER = 10;       # runs of these when it is filled in
my $PATIENCE = 7_200; # seconds that it may take
my @POST = (header => 'Authorization: Bearer ' . Contestant::token(), requests => [Own::new_request()], every => Rounds::USUALLY);

my @QUESTIONS = (
    'a category of 20 %' => 'category={big}',
    'a brand of 5 %' => 'brand={brand}',
    'a brand of 0.01 %' => 'brand={rare_brand}',
    'a tag' => 'tags={tag}',
    'by weight' => 'sort=weight',
    'by brand' => 'sort=brand',
    'a category of 20 % by price' => 'category={big}&sort=-price',
    'a category of 1 % by price' => 'category={middling}&sort=-price',
    'a category of 0.05 % by price' => 'category={small}&sort=-price',
    'a brand of 5 % by price' => 'brand={brand}&sort=-price',
    'a brand of 5 % in a category of 20 % by price' => 'brand={brand}&category={big}&sort=-price',
    'a brand of 0.01 % in a category of 0.05 % by price' => 'brand={rare_brand}&category={small}&sort=-price',
    'a tag and a common word' => 'tags={tag}&q={common}',
    'a tag and a rare word' => 'tags={tag}&q={rare}?',
    '2 % of the weights' => 'weight[gte]={heavy}',
    '2 % of the weights by weight' => 'weight[gte]={heavy}&sort=weight',
    'changed in the last hour' => 'updatedAt[gte]={since}',
);

sub run {
    my ($c) = @_;
    my $label = 'own fields, SQLite';
    my ($plain) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{owning});
    my ($own, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{owning}, 1);
    my %server = (
        plain => Questions::httpd("$label, none", params => $plain),
        own => Questions::httpd($label, params => $own, more => Own::LINES),
        'plain, cache' => Httpd->new("$label, none, cache", mpm => 'worker', params => $plain, more => Httpd::ALL_INDEXES)->start,
        'own, cache' => Httpd->new("$label, cache", mpm => 'worker', params => $own, more => $WITH)->start);
    my %figures = $c->{rounds}->measure(
        products("$label, none", $server{plain}), products($label, $server{own}), by_number($label, $server{own}),
        products("$label, none, cache", $server{'plain, cache'}), products("$label, cache", $server{'own, cache'}),
        by_number("$label, cache", $server{'own, cache'}), questions($label, $server{own}, $facts));
    CatalogTest::Process::stop_all(values %server);
    $c->{results}->add(fields => %figures, posts($c, $label), added_field($c, $own), import_file($c));
}

sub postgresql { run_on_engine('pgsql', @_) }
sub mariadb { run_on_engine('mysql', @_) }

# Each catalogue has an engine of its own. Without the response cache too.
sub run_on_engine {
    my ($driver, $c) = @_;
    my $label = 'own fields, ' . Engine::name($driver);
    my (%server, @engines, $facts);
    for my $own (0, 1) {
        (my $file, $facts) = Varied::file("$c->{dir}/data", setting('ctl'), $c->{beside_peers}, $own);
        my $engine = Engine::start($driver);
        Copies::fill($engine, setting('ctl'), $file);
        $engine->settle;
        push @engines, $engine;
        $server{$own} = Questions::httpd($own ? $label : "$label, none", driver => $driver, params => $engine->params(Engine::DATABASE),
            engine => $engine, more => $own ? Own::LINES : '');
    }
    my %figures = $c->{rounds}->measure(
        products("$label, none", $server{0}), products($label, $server{1}), by_number($label, $server{1}),
        questions($label, $server{1}, $facts));
    my %posts = $c->{rounds}->measure(map { post($_->name, $_) } @server{ 0, 1 });
    CatalogTest::Process::stop_all(values %server, @engines);
    $c->{results}->add('fields_' . lc Engine::name($driver) => %figures, %posts);
}

# ---- requests ----

# Products that are next to each other, so that neither catalogue is read from more places than the other one.
sub products {
    my ($label, $server) = @_;
    my %one = (server => $server, count => $COUNT, size => $COUNT, requests => ['1 GET /api/products/{id}'], warm => 1);
    return ("$label: one" => \%one, Questions::cell("$label: page", $server, '/api/products', Rounds::USUALLY));
}

sub by_number {
    my ($label, $server) = @_;
    my $target = sprintf '/api/products/sku=KT-0000{%d-%d}', $COUNT, 2 * $COUNT - 1;
    Questions::answer($server, $target =~ s/\{.*\}/$COUNT/r);
    return ("$label: by number" => { server => $server, requests => ["1 GET $target"], warm => 1 });
}

sub questions {
    my ($label, $server, $facts) = @_;
    return (
        Questions::cells($label, $server, $facts, @QUESTIONS),
        Questions::cell("$label: facets", $server, '/api/products?facets=brand,tags'));
}

# ---- new products ----

sub post { my ($name, $server) = @_; return ("$name: post" => { server => $server, warm => $server->warm_up, @POST }) }

# With all indexes, and beside Bun with the same ones.
sub posts {
    my ($c, $label) = @_;
    my ($plain) = Varied::file("$c->{dir}/data", setting('ctl'), $SMALL);
    my ($own) = Varied::file("$c->{dir}/data", setting('ctl'), $SMALL, 1);
    my @servers = (
        Httpd->new("$label, none, new", mpm => 'worker', database => $plain, more => Httpd::ALL_INDEXES),
        Httpd->new("$label, new", mpm => 'worker', database => $own, more => $WITH),
        Peers::Bun->new('Bun, own fields, new', database => Varied::peer_file($own, 1), packages => "$c->{dir}/peers", statements => 'bun-own'));
    $_->start for @servers;
    check_created($_) for @servers[ 1, 2 ];
    my %figures = $c->{rounds}->measure(map { post($_->name =~ s/, new$//r, $_) } @servers);
    CatalogTest::Process::stop_all(@servers);
    return %figures;
}

# Dies unless the server stores what it is sent.
sub check_created {
    my ($server) = @_;
    my ($body) = Own::new_request() =~ /(\{"name.*)/;
    my $created = $server->post($body =~ s/\{n\}/123/gr =~ s/\{serial\}/one/r, token => Contestant::token());
    die $server->name . ": $created->{status} $created->{body}\n" if $created->{status} != 201 || $created->{json}{data}{sku} ne 'one';
}

# ---- a field that is added ----

# How long it takes until conditions may use it, and what pages take meanwhile and afterwards.
sub added_field {
    my ($c, $file) = @_;
    my $server = Httpd->new('a field added', mpm => 'worker', database => $file, more => "CatalogCacheSize 0\n$WITH");
    Own::forget_quantity($server->file);
    $server->start;
    my %page = (server => $server, seconds => $c->{seconds}, connections => $FEW, requests => ['1 GET /api/products']);
    my $begin = Time::HiRes::time();
    my @beside;
    push @beside, Load::run(%page) until is_filled($server) || @beside * $c->{seconds} > $PATIENCE;
    my $seconds = Time::HiRes::time() - $begin;
    my @after = map { Load::run(%page) } 1 .. $AFTER;
    $server->stop;

    my %figures = (
        'a field added' => { seconds => $seconds }, 'page of others, beside a field added' => Rounds::together(@beside),
        'page of others, after a field was added' => Rounds::together(@after));
    Rounds::show($_, $figures{$_}) for sort keys %figures;
    return %figures;
}

sub is_filled {
    my ($server) = @_;
    my $answer = $server->get('/api/products?quantity[gte]=0&cursor=');
    die "quantity: $answer->{status} $answer->{body}\n" if $answer->{status} != 200 && $answer->{status} != 503;
    return $answer->{status} == 200;
}

# ---- a file ----

sub import_file {
    my ($c) = @_;
    my $file = Transfers::file("$c->{dir}/data", $c->{transferred}, 1);
    my $server = Transfers::start($c, 'own fields', $WITH . 'CatalogMaxImport 2147483647');
    my %figures = Transfers::import_beside_writer($server, $file, $c->{transferred}, 'own fields');
    $server->stop;
    Transfers::print_figures(%figures);
    return %figures;
}

1;
