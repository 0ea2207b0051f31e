# SPDX-License-Identifier: Apache-2.0
# route: GET /products
# route: POST /products
# route: GET /health/ready
# case: 5 23
# runs: first
# again: db
# Steps of the schema that a later version adds: the source with two more of them is built as such a version.
use CatalogTest;
use CatalogTest::Copy ();
use CatalogTest::Ctl qw(ctl_for problems);
use CatalogTest::Tools qw(setting);
use CatalogLoad;
use Time::HiRes qw(sleep);

my %later = (
    sqlite3 => [<<'END', <<'END'],
ALTER TABLE products ADD COLUMN note VARCHAR(100);
CREATE INDEX products_by_note ON products (name, note);
CREATE TRIGGER products_note AFTER INSERT ON products BEGIN
    UPDATE products SET note = 'made' WHERE id = NEW.id;
END;
END
ALTER TABLE users ADD COLUMN nickname VARCHAR(10);
CREATE TABLE later (id INTEGER NOT NULL PRIMARY KEY);
INSERT INTO later (id) VALUES (1);
END
    mysql => [slurp(setting('top') . '/CONTRIBUTING.md') =~ /^```sql\n(SET \@step .*?)^```$/ms, <<'END'],
ALTER TABLE users ADD COLUMN IF NOT EXISTS nickname VARCHAR(10);
CREATE TABLE IF NOT EXISTS later (id INTEGER NOT NULL PRIMARY KEY);
INSERT IGNORE INTO later (id) VALUES (1);
END
    pgsql => [<<'END', <<'END'],
ALTER TABLE products ADD COLUMN note VARCHAR(100);
CREATE INDEX products_by_note ON products (name, note);
END
ALTER TABLE users ADD COLUMN nickname VARCHAR(10);
CREATE TABLE later (id INTEGER NOT NULL PRIMARY KEY);
INSERT INTO later (id) VALUES (1);
END
);
my $copy = CatalogTest::Copy->new;
for my $driver (keys %later) {
    $copy->add_step($driver, 'notes', $later{$driver}[0]);
    $copy->add_step($driver, 'later', $later{$driver}[1]);
}
is(my $wrong = $copy->make, '', 'a later version is built');
done_testing, exit if $wrong;

sub on_database_of { my ($server, %o) = @_; return server(%o, conf => 'DBDParams "' . $server->params . "\"\n") }
sub versions { join ' ', @{ $_[0]->database->selectcol_arrayref('SELECT version FROM schema_version WHERE version > 0 ORDER BY version') } }
sub steps_in { [sort $_[0] =~ /CAT009: schema step (\w+) applied/g] }

# case: three servers of the later version start at once and apply its steps, while a server of this version answers requests: none fails
my $server = server(conf => 'CatalogHashConcurrency 5')->start;
my $newest = $server->database->selectrow_array('SELECT MAX(version) FROM schema_version');
my @numbers = map { sprintf '%03d', $newest + $_ } 1, 2;
my $token = register($server)->{token};
my @servers = map { on_database_of($server, build => $copy->build) } 1 .. 3;
my $updated = scratch() . '/updated';
my $clients = clients($server, 3, sub {
    my ($client) = @_;
    my %count;
    do {
        my @statuses = map { $_->{status} } $client->ask(GET => '/products'), $client->ask(POST => '/products', { name => 'x', price => 1 }, token => $token),
            $client->ask(POST => '/users', { username => fresh('step'), email => fresh('step') . '@example.com', password => 'correct horse' });
        $count{"@statuses"}++;
        sleep 0.05;
    } until -e $updated;
    return \%count;
});
sleep 0.2;
$_->launch for @servers;
my $versions = join ' ', 1 .. $newest + 2;
ok(wait_until(30, sub { versions($server) eq $versions }), 'the steps are applied, each recorded once');
sleep 0.5;
spew($updated, '');
my ($made, %statuses) = 0;
for my $count ($clients->results) {
    $statuses{$_} += $count->{$_} for keys %$count;
}
$made += $_ for values %statuses;
is_deeply([keys %statuses], ['200 201 201'], 'all requests that clients send meanwhile succeed');
$_->wait_up for @servers;
for (@servers) {
    answers($_->api(POST => '/products', { name => 'y', price => 1 }, token => forge()), 201, undef, 'a server of the later version serves');
    is($_->api(GET => '/health/ready')->{json}{data}{schema}, $newest + 2, 'with its schema');
}
is_deeply(steps_in(join '', map { $_->log_text } @servers), ["$numbers[0]_notes", "$numbers[1]_later"], 'each step is applied once');
is($server->database->selectrow_array('SELECT COUNT(*) FROM later'), 1, 'and so is each of its statements');
is($server->database->selectrow_array(q(SELECT COUNT(*) FROM products WHERE note = 'made')) > 0, true, 'a trigger is whole') if driver eq 'sqlite3';
is(problems(ctl_for($servers[0], 'check')), '', 'its catalogctl check finds no problem');
$_->stop for @servers;

# case: this version starts with the newer schema and accepts it; catalogctl does not move such a database
$server->stop;
$server->start;
answers($server->api(GET => '/products?limit=1'), 200, sub { $_[0]{pagination}{total} == $made + @servers },
    'the list is served with a newer schema');
answers($server->api(POST => '/products', { name => 'x', price => 1 }, token => $token), 201, undef,
    'a write succeeds with a newer schema');
is($server->api(GET => '/health/ready')->{json}{data}{schema}, $newest + 2, '/health/ready has the newer version');
like(ctl_for($server, 'export')->{err}, qr/the schema is at version @{[ $newest + 2 ]}, this program knows version $newest; use a newer one/,
    'catalogctl of this version does not export it');

# case: without CatalogMigrate the later version waits until somebody has updated the schema
my $old = server();
is(ctl_for($old, 'migrate')->{out}, "$newest\n", 'a database of this version');
my $off = on_database_of($old, build => $copy->build, mount => 'CatalogMigrate Off')->start;
answers($off->api(GET => '/health/ready'), 503, undef, 'the later version is not ready');
like($off->log_text, qr/CAT010: .*the schema is at version $newest, version @{[ $newest + 2 ]} is required/, 'the log has the versions');
expect_log(qr/CAT010: /);

# case: a step that fails stays unrecorded, and those before it are kept
my $later = on_database_of($old, build => $copy->build);
$old->database->do('CREATE TABLE later (mine INTEGER)');
my $failed = ctl_for($later, 'migrate');
is($failed->{status}, 1, 'migrate fails if a step does');
like($failed->{err}, qr/CAT009: schema step $numbers[0]_notes applied\n.*CAT003: .*later/s, 'the messages have the step before it, and the cause');
is(versions($old), join(' ', 1 .. $newest + 1), 'only the step before it is recorded');
ok(!eval { $old->database->do('SELECT nickname FROM users'); 1 }, 'nothing of the failed step stays') if driver ne 'mysql'; # which has no transaction for it
$old->database->do('DROP TABLE later');
is(ctl_for($later, 'migrate')->{out}, $newest + 2 . "\n", 'once the cause is gone, migrate goes on');
ok(wait_until(20, sub { $off->api(GET => '/products')->{status} == 200 }), 'the server that waited serves, without a restart');

# case: MySQL and MariaDB commit each statement: a step that was cut off between two of them begins anew
if (driver eq 'mysql') {
    my $cut = server();
    $cut->make_databases;
    my ($first) = glob setting('top') . '/conf/schema/mysql/*.sql';
    my @statements = grep { /\S/ } split /;\n/, slurp($first) =~ s/^--.*\n//gmr;
    my $db = $cut->database;
    $db->do($_) for @statements[0 .. @statements / 2], $later{mysql}[0] =~ /'(ALTER TABLE .*)' \*/;
    is(ctl_for(on_database_of($cut, build => $copy->build), 'migrate')->{out}, $newest + 2 . "\n", 'steps that were cut off are applied');
    is(problems(ctl_for($cut, 'check')) =~ s/^mail.*//r, '', 'the schema is whole');
}

done_testing;
