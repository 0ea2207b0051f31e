# SPDX-License-Identifier: Apache-2.0
# db: sqlite3
# mpm: event
# The alert rules and the dashboard of conf/examples: promtool takes them, what they name exists, and each alert is raised by what it is
# for. The configurations of docs/metrics.md work as they are, except for addresses and the key.
use CatalogTest;
use CatalogAccounts;
use CatalogTest::Document ();
use CatalogTest::Metrics qw(judge series);
use CatalogTest::Tools qw(setting);
use JSON::PP ();

my $top = setting('top');
my $alerts = "$top/conf/examples/catalog-alerts.yml";
my $scratch = scratch();
my $json = JSON::PP->new->canonical;

# ---- the configurations ----

my $location = join '', map { s{/etc/catalog/token\.key}{"${\key_path}"\n  CatalogIssuer https://catalog.test\n  CatalogAudience catalog-test}r }
    grep { /SetHandler\s+catalog-metrics/ } CatalogTest::Document::blocks("$top/docs/metrics.md");
my $server = server(mount => '', conf => $location)->start;
my $user = register($server);
set_role($server, $user->{user}{username}, 'admin');
my $admin = sign_in($server, $user->{user}{username}, $user->{password})->{json};
my $text;
ok(wait_until(20, sub { $text = $server->api(GET => '/metrics', mount => '')->{body}; $text =~ /^catalog_schema_version /m }), 'the first configuration');
is($server->api(GET => '/admin/metrics', mount => '')->{status}, 401, 'the second one refuses a request without a token');
is($server->api(GET => '/admin/metrics', mount => '', token => $admin->{token})->{status}, 200, 'and serves an administrator');
my %type = $text =~ /^# TYPE (\w+) (\w+)$/mg;
my %family = map { $_ => 1 } %type, map { ("${_}_bucket", "${_}_sum", "${_}_count") } grep { $type{$_} eq 'histogram' } keys %type;
my %labels;
for my $series (keys %{ series($text) }) {
    my ($name, $list) = $series =~ /^(\w+)(?:\{(.*)\})?$/;
    $labels{$name}{$_} = 1 for ($list // '') =~ /(\w+)="/g;
}

# ---- what is in the examples ----

# Metrics and labels of an expression of PromQL. Prometheus itself adds instance and job.
sub check_names {
    my ($expression, $where) = @_;
    my %names = map { $_ => 1 } $expression =~ /\b(catalog_\w+)/g;
    my @wrong = grep { !$family{$_} } sort keys %names;
    while ($expression =~ /\b(catalog_\w+)\{([^}]*)\}/g) {
        my ($name, $list) = ($1, $2);
        push @wrong, map { "$_ of $name" } grep { !/^(?:instance|job)$/ && !$labels{$name}{$_} } $list =~ /(\w+)\s*(?:=~|!~|!=|=)/g;
    }
    is_deeply(\@wrong, [], "$where names metrics and labels that exist");
    return keys %names;
}

my $dashboard = $json->decode(slurp("$top/conf/examples/grafana-catalog.json"));
my %shown;
my @rules;
for my $panel (@{ $dashboard->{panels} }) {
    for my $target (@{ $panel->{targets} }) {
        my $expression = $target->{expr} =~ s/\$__rate_interval/5m/gr =~ s/\$instance/.*/gr;
        $shown{ s/_(?:bucket|sum|count)$//r }++ for check_names($expression, "$panel->{title}, $target->{refId}");
        push @rules, { record => 'x:' . @rules, expr => $expression };
    }
}
spew("$scratch/dashboard.yml", $json->encode({ groups => [{ name => 'dashboard', rules => \@rules }] })); # JSON is YAML
like(judge('', qw(promtool check rules), "$scratch/dashboard.yml"), qr/SUCCESS: ${\scalar @rules} rules/, 'all expressions of the dashboard are valid');
is_deeply([grep { !$shown{$_} } sort keys %type], [], 'the dashboard shows every metric');
is(scalar(keys %{ { map { $_->{id} => 1 } @{ $dashboard->{panels} } } }), scalar @{ $dashboard->{panels} }, 'each panel has its own id');

my $rules = slurp($alerts);
my @named = $rules =~ /^\s*- alert: (\w+)$/mg;
like(judge('', qw(promtool check rules), $alerts), qr/SUCCESS: ${\scalar @named} rules/, 'promtool takes the alert rules');
my $count = 0;
check_names($_, 'alert ' . ++$count) for $rules =~ /^ +expr: ((?:\|\n(?: {10}.*\n)+)|.*)/mg;
is($count, scalar @named, 'each alert has an expression');

# ---- each alert is raised by what it is for, and by nothing else ----

# a+bxN: N more values, each b greater
my %raised = (
    CatalogDown => { 'up{job="catalog",instance="a"}' => '0x60' },
    CatalogErrors => { 'catalog_requests_total{instance="a",code="2xx"}' => '0+95x60', 'catalog_requests_total{instance="a",code="5xx"}' => '0+5x60' },
    CatalogSlow => { 'catalog_request_duration_seconds_bucket{instance="a",route="/products",le="0.5"}' => '0+90x60',
        'catalog_request_duration_seconds_bucket{instance="a",route="/products",le="1.0"}' => '0+100x60',
        'catalog_request_duration_seconds_bucket{instance="a",route="/products",le="+Inf"}' => '0+100x60' },
    CatalogNoDatabase => { 'catalog_database_connection_failures_total{instance="a",reason="down"}' => '0+1x60' },
    CatalogConnectionsUsedUp => { 'catalog_database_connection_failures_total{instance="a",reason="limit"}' => '0+1x60' },
    CatalogWritesRefused => { 'catalog_database_write_refusals_total{instance="a"}' => '0+1x60' },
    CatalogWritesWait => { 'catalog_database_write_wait_seconds_bucket{instance="a",le="0.5"}' => '0+90x60',
        'catalog_database_write_wait_seconds_bucket{instance="a",le="1.0"}' => '0+100x60',
        'catalog_database_write_wait_seconds_bucket{instance="a",le="+Inf"}' => '0+100x60' },
    CatalogPasswordQueueFull => { 'catalog_password_hash_refusals_total{instance="a"}' => '0+1x60' },
    CatalogMailWaits => { 'catalog_mails_oldest_age_seconds{instance="a"}' => '0+60x60' },
    CatalogMailGivenUp => { 'catalog_mails_failed_total{instance="a",reason="expired"}' => '0+1x60' },
    CatalogWebhookFails => { 'catalog_webhook_failing_seconds{instance="a"}' => '0+120x60', 'catalog_webhooks_dead{instance="a"}' => '0x60' },
    CatalogTokensRefused => { 'catalog_token_failures_total{instance="a",reason="invalid"}' => '0+600x60' },
    CatalogJobsStopped => { 'up{job="catalog",instance="a"}' => '1x60' },
);
is_deeply([sort keys %raised], [sort @named], 'each alert is tried');

# Of a server where all is well: some of what is wrong, but too little.
my %well = ('up{job="catalog",instance="a"}' => '1x60', 'catalog_schema_version{instance="a"}' => '8x60',
    'catalog_requests_total{instance="a",code="2xx"}' => '0+1000x60', 'catalog_requests_total{instance="a",code="5xx"}' => '0+1x60',
    'catalog_request_duration_seconds_bucket{instance="a",route="/products/export",le="0.5"}' => '0x60',
    'catalog_request_duration_seconds_bucket{instance="a",route="/products/export",le="+Inf"}' => '0+9x60',
    'catalog_database_connection_failures_total{instance="a",reason="down"}' => '3x60', 'catalog_database_write_refusals_total{instance="a"}' => '3x60',
    'catalog_password_hash_refusals_total{instance="a"}' => '7x60', 'catalog_mails_oldest_age_seconds{instance="a"}' => '30x60',
    'catalog_mails_failed_total{instance="a",reason="deferred"}' => '0+1x60', 'catalog_webhook_failing_seconds{instance="a"}' => '600x60', 'catalog_webhooks_dead{instance="a"}' => '0x60', 'catalog_token_failures_total{instance="a",reason="expired"}' => '0+900x60');

# A test of promtool expects the labels of alerts; ALERTS has their names only, where they fire.
sub firing {
    my ($input, @names) = @_;
    return { interval => '1m', input_series => [map { { series => $_, values => $input->{$_} } } sort keys %$input],
        promql_expr_test => [{ expr => 'count by (alertname) (ALERTS{alertstate="firing"})', eval_time => '50m',
            exp_samples => [map { { labels => qq({alertname="$_"}), value => 1 } } @names] }] };
}
my @tests = (firing(\%well), map { my $name = $_; firing({ $name eq 'CatalogJobsStopped' ? () : ('catalog_schema_version{instance="a"}' => '8x60'), %{ $raised{$name} } }, $name) } @named);
spew("$scratch/tests.yml", $json->encode({ rule_files => [$alerts], evaluation_interval => '1m', tests => \@tests }));
like(judge('', qw(promtool test rules), "$scratch/tests.yml"), qr/^  SUCCESS$/m, 'each alert is raised by what it is for, and by nothing else');

done_testing;
