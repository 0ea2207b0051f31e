# SPDX-License-Identifier: Apache-2.0
package CatalogTest;

# `use CatalogTest` gives a test file strict, fatal warnings, Test::More and the functions below. done_testing also
# stops the servers that the file started, and fails on any line in their error logs that the file did not declare.

use strict;
use warnings FATAL => 'all';

use Cpanel::JSON::XS ();
use Test::More ();

use CatalogTest::Http qw(request_bytes);
use CatalogTest::Log qw(expect_log allow_log allow_kills);
use CatalogTest::Server ();
use CatalogTest::Token qw(ABSENT);
use CatalogTest::Tools qw(slurp spew wait_until slowness is_under_tsan is_under_asan);

use constant { true => Cpanel::JSON::XS::true, false => Cpanel::JSON::XS::false, ISSUER => 'https://catalog.test',
    AUDIENCE => 'catalog-test' };

my @EXPORT = qw(
    true false main server mpm driver api talk burst wire fresh register token claims forge key key_path ABSENT answers
    refusal invalid match wait_until takes_less slowness is_under_tsan is_under_asan slurp spew scratch expect_log allow_log allow_kills done_testing
);

our $ID = qr/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
my $INTERNALS = qr/sqlite|select |insert |constraint|\.db\b|\/tmp|0x[0-9a-f]{5}/i;
our $TIME = qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

my $json = Cpanel::JSON::XS->new->ascii->canonical->allow_nonref;
my ($main, $token);
my ($count, $checked) = (0, 0);

sub import {
    my $caller = caller;
    strict->import;
    warnings->import(FATAL => 'all');
    Test::More->export_to_level(1, undef, grep { $_ ne 'done_testing' } @Test::More::EXPORT);
    binmode Test::More->builder->$_, ':utf8' for qw(output failure_output todo_output);
    no strict 'refs';
    *{"${caller}::$_"} = \&{$_} for @EXPORT;
    *{"${caller}::ID"} = \$ID;
    *{"${caller}::TIME"} = \$TIME;
}

# Returns the server for tests that need no special configuration. The first call starts it.
sub main {
    $main //= server(mount => <<'END')->start;
CatalogBaseURL  https://shop.test
CatalogPagesURL https://shop.test/base
CatalogMail     "file:@dir@/data/mail"
CatalogMailFrom "The Catalogue <catalogue@catalog.test>"
END
}

sub server { CatalogTest::Server->new(@_) }
sub mpm { CatalogTest::Server::mpm() } # event, worker or prefork
sub driver { CatalogTest::Database::driver() } # sqlite3, mysql or pgsql
sub api { main()->api(@_) }
sub talk { main()->talk(@_) }
sub burst { main()->burst(@_) }
sub scratch { CatalogTest::Tools::new_dir() } # makes a new directory

# Returns a request below the mount as bytes, for talk and burst.
sub wire {
    my ($method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    return request_bytes($method, "/api$path", $body, @more);
}

# Returns a different name on each call.
sub fresh { join '-', $_[0] // 'user', $$, ++$count }

# Tests that something took less than `seconds`, the limit on an idle machine. A busy or slow machine is given more.
sub takes_less {
    my ($took, $seconds, $name) = @_;
    $seconds *= slowness() if $took >= $seconds;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::cmp_ok($took, '<', $seconds, $name);
}

# Registers a user. Returns the body of the answer of /register, together with the password.
sub register {
    my ($server, %changes) = @_;
    my $name = fresh();
    my %user = (username => $name, email => "$name\@example.com", password => 'correct horse', %changes);
    $server //= main();
    my $r;
    wait_until(20, sub { $r = $server->api(POST => '/register', \%user); $r->{status} != 503 }); # 503: the machine is busy
    die "a user could not be made: $r->{status} $r->{body}\n", $server->log_text =~ /^.*(?::error\]|AH00052).*\n/mg unless $r->{status} == 201;
    return { %{ $r->{json} }, password => $user{password} };
}

# Returns a valid token of a registered user of the main server, the same for the whole file.
sub token { $token //= register()->{token} }

sub claims { CatalogTest::Token::claims(ISSUER, AUDIENCE, @_) }

sub key_path { CatalogTest::Server::key_path() }

sub key {
    chomp(my $key = slurp(key_path()));
    return $key;
}

# Returns a token made by the test instead of the server; see CatalogTest::Token.
sub forge {
    my (%o) = @_;
    return CatalogTest::Token::forge(claims => claims(), key => key(), %o);
}

# The functions refusal and invalid return the bodies of failures.
sub refusal { return { success => false, message => qr/./, @_ } }

sub invalid {
    my (@pairs) = @_;
    my @errors;
    while (my ($field, $code) = splice @pairs, 0, 2) {
        push @errors, { field => $field, code => $code, message => qr/./ };
    }
    return { success => false, message => 'Validation failed', error => qr/./, errors => \@errors };
}

# Runs one test: the answer has this status, body and headers, and follows the rules for all answers below a mount.
# `body` is a value for match, '' for an empty body, or undef for any body. A header whose value is undef must be
# absent.
sub answers {
    my ($r, $status, $body, $name, %headers) = @_;
    my @wrong = rules($r);

    push @wrong, "status: $r->{status} instead of $status" if $r->{status} != $status;
    for (sort keys %headers) {
        my $want = defined $headers{$_} && !ref $headers{$_} ? "$headers{$_}" : $headers{$_};
        my $difference = match($r->{headers}{$_}, $want, "header $_");
        push @wrong, $difference if $difference;
    }
    if (defined $body) {
        my $difference = ref $body ? match(in_order($r->{json}), in_order($body)) : $r->{body} ne $body
            && 'body is not as said';
        push @wrong, $difference if $difference;
    }
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    Test::More::ok(!@wrong, $name) or Test::More::diag(join "\n", @wrong, 'body: ' . substr $r->{body}, 0, 600);
    return !@wrong;
}

# Sorts validation errors, which the server may list in any order.
sub in_order {
    my ($body) = @_;
    return $body unless ref $body eq 'HASH' && ref $body->{errors} eq 'ARRAY';
    my @sorted = sort { "$a->{field} $a->{code}" cmp "$b->{field} $b->{code}" } @{ $body->{errors} };
    return { %$body, errors => \@sorted };
}

sub rules {
    my ($r) = @_;
    my ($json, $body, @wrong) = @$r{qw(json body)};
    my $type = $r->{headers}{'content-type'} // 'none';

    push @wrong, 'no X-Request-Id' unless $r->{headers}{'x-request-id'};
    push @wrong, 'no Catalog-Problem, or one of a success' if defined $r->{headers}{'catalog-problem'} != ($r->{status} >= 400);
    return @wrong if $body eq '';
    push @wrong, "Content-Type: $type" if $type !~ m{^application/(?:problem\+)?json$};
    return (@wrong, 'the body is no JSON object') unless ref $json eq 'HASH';
    push @wrong, 'a token in an answer that may be stored' if $body =~ /[tT]oken":/
        && ($r->{headers}{'cache-control'} // '') ne 'no-store';
    push @wrong, 'a hash or a password in the answer' if $body =~ /\$argon2|"password":/;
    return @wrong if $r->{status} < 400;
    push @wrong, 'no Vary: Accept' unless ($r->{headers}{vary} // '') =~ /\bAccept\b(?!-)/;
    return (@wrong, problem_rules($r)) if $type =~ /problem/;
    push @wrong, "not for a failure: $_" for grep { !/^(?:success|message|error|errors|results|summary)$/ } keys %$json;
    push @wrong, 'success is not false' unless Cpanel::JSON::XS::is_bool($json->{success}) && !$json->{success};
    push @wrong, 'no message' unless length($json->{message} // '');
    push @wrong, 'the error tells internals' if ($json->{error} // '') =~ $INTERNALS;
    return @wrong;
}

# Returns what is wrong with problem details (RFC 9457).
sub problem_rules {
    my ($r) = @_;
    my ($p, @wrong) = ($r->{json});

    push @wrong, "not for problem details: $_"
        for grep { !/^(?:type|title|status|detail|errors|requestId|results|summary)$/ } keys %$p;
    push @wrong, 'no type' unless ($p->{type} // '') =~ m{^(?:about:blank|/\S*/problems/[a-z]+(?:-[a-z]+)*)$};
    push @wrong, 'not the problem of the header' unless ($p->{type} // '') =~ m{^(?:.*/problems/)?\Q$r->{headers}{'catalog-problem'}\E$};
    push @wrong, 'no title' unless length($p->{title} // '');
    push @wrong, 'not the status of the response' unless ($p->{status} // 0) == $r->{status};
    push @wrong, 'not the request\'s id' unless ($p->{requestId} // '') eq ($r->{headers}{'x-request-id'} // '');
    push @wrong, 'the detail tells internals' if ($p->{detail} // '') =~ $INTERNALS;
    return @wrong;
}

# Returns a description of the difference, or a false value if there is none. `want` is a JSON value in which regular
# expressions, and functions that return true for a valid value, may stand in the place of values. 1, "1" and true are
# different.
sub match {
    my ($got, $want, $where) = @_;
    $where //= 'body';
    my $shown = sub { defined $_[0] ? $json->encode($_[0]) : 'nothing' };

    return defined $got && "$where: " . $shown->($got) . ' instead of nothing' if !defined $want;
    return $want->($got) ? '' : "$where: not " . $shown->($got) if ref $want eq 'CODE';
    return defined $got && !ref $got && $got =~ $want ? ''
        : "$where: " . $shown->($got) . " is not $want" if ref $want eq 'Regexp';
    return match_hash($got, $want, $where) if ref $want eq 'HASH' && ref $got eq 'HASH';
    return match_array($got, $want, $where) if ref $want eq 'ARRAY' && ref $got eq 'ARRAY';
    return $shown->($got) eq $shown->($want) ? '' : "$where: " . $shown->($got) . ' instead of ' . $shown->($want)
        if !ref $want || Cpanel::JSON::XS::is_bool($want);
    return "$where: " . $shown->($got) . ' is of another kind';
}

sub match_hash {
    my ($got, $want, $where) = @_;
    my @wrong = map { "$where has $_" } grep { !exists $want->{$_} } sort keys %$got;
    for (sort keys %$want) {
        push @wrong, exists $got->{$_} ? match($got->{$_}, $want->{$_}, "$where.$_") || () : "$where lacks $_";
    }
    return join "\n", @wrong;
}

sub match_array {
    my ($got, $want, $where) = @_;
    return sprintf '%s: %d elements instead of %d', $where, scalar @$got, scalar @$want if @$got != @$want;
    return join "\n", map { match($got->[$_], $want->[$_], "${where}[$_]") || () } 0 .. $#$want;
}

sub done_testing {
    my @faults = CatalogTest::Server::faults();
    Test::More::fail($_) for @faults; # not as diagnostics, which come late where files run in parallel
    Test::More::ok(!@faults, 'the servers logged what was to be expected and stopped');
    if (my $unmoved = CatalogTest::Metrics->can('unmoved')) { # true if the file uses the module
        Test::More::is_deeply([$unmoved->($0)], [], 'the metrics that the file names have moved');
    }
    $checked = 1;
    Test::More::done_testing();
}

END { $? ||= 1 unless $checked } # without done_testing, the file has not checked its logs

1;
