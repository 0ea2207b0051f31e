# SPDX-License-Identifier: Apache-2.0
# route: POST /products/import
# route: POST /products/batch
# db: sqlite3
# runs: alone
# Beside any number of imports and batches, of one user or several, another write waits for one of their transactions, not for all. A
# sign-in writes twice.
use CatalogTest;
use CatalogLoad;
use Cpanel::JSON::XS ();
use Time::HiRes qw(sleep time);

my $server = server()->start;
my @users = map { register($server) } 1 .. 3;

sub products {
    return join '', "name,price,category,rating\n", map { my $n = $_ * 7919; "a product of number $n,$n,category " . $n % 97 . ',' . $n % 5 . "\n" } 1 .. $_[0];
}

# As many as this server stores in a second: a write can wait for one of these files even where the server runs under a sanitizer.
my $rows = 4000;
my $first = client($server)->ask(POST => '/products/import', products($rows), token => $users[0]{token}, headers => { 'Content-Type' => 'text/csv' });
$rows = int($rows / $first->{took}) if $first->{took} > 1;
my $file = products($rows);
my $batch = Cpanel::JSON::XS::encode_json({ operations => [map { { op => 'create', body => { name => "a product $_", price => $_ } } } 1 .. $rows / 4] });
my $done = $server->dir . '/done';
my $flood = clients($server, 8, sub {
    my ($client, $number) = @_;
    my @request = $number < 6 ? ('/products/import', $file) : ('/products/batch', $batch);
    my %headers = ('Content-Type' => $number < 6 ? 'text/csv' : 'application/json');
    my (@took, @ends, %count);
    until (-e $done) {
        my $r = $client->ask(POST => @request, token => $users[$number % 3]{token}, headers => {%headers});
        push @took, $r->{took} if $number < 6;
        push @ends, time;
        $count{ $r->{status} }++;
    }
    return { took => \@took, ends => \@ends, count => \%count };
});

sub median { (sort { $a <=> $b } @_)[@_ / 2] }

my $db = $server->database;
ok(wait_until(30, sub { $db->selectrow_array('SELECT COUNT(*) > 4000 FROM products') }), 'the imports have begun');
my (@waited, @spans, %answers);
my $user = register($server);
my $end = time + 6;
while (time < $end) {
    my $sign_in = @waited % 4 == 3;
    my $begun = time;
    my $r = $sign_in ? $server->api(POST => '/auth/login', { login => $user->{user}{username}, password => $user->{password} })
        : $server->api(POST => '/products', { name => 'one', price => 1 }, token => $user->{token});
    push @waited, time - $begun;
    push @spans, [$begun, time, $sign_in];
    $answers{ $r->{status} == 200 ? 201 : $r->{status} }++;
    sleep 0.1;
}
$server->write($done);
my (@took, @ends, %statuses);
for my $client ($flood->results) {
    push @took, @{ $client->{took} };
    push @ends, @{ $client->{ends} };
    $statuses{$_} += $client->{count}{$_} for keys %{ $client->{count} };
}
note sprintf '%d writes waited %.2f s, at most %.2f s; %d imports took %.2f s, at most %.2f s', scalar @waited, median(@waited),
    (sort { $b <=> $a } @waited)[0], scalar @took, median(@took), (sort { $b <=> $a } @took)[0];
# A few may have been stored just before, and be answered now.
my @passed = map { my ($from, $to, $sign_in) = @$_; scalar(grep { $_ >= $from && $_ <= $to } @ends) - 1 - $sign_in } @spans;
note sprintf 'imports and batches that passed, at most: %d', 1 + (sort { $b <=> $a } @passed)[0];
is(join(' ', sort keys %answers), '201', 'each write is done');
cmp_ok((sort { $b <=> $a } @passed)[0], '<=', 2, 'and none has waited for all the others');
is(join(' ', sort keys %statuses), '200', 'so is each import and batch');
cmp_ok(median(@waited), '<', median(@took) / 2, 'a write waits for one of them, which wait for each other');
takes_less(median(@waited), 1, 'it waits for less than a second');
done_testing;
