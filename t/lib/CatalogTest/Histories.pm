# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Histories;

# Clients that write the same products at once through several servers of a database, with restore and undo, while
# programs follow the changes and transactions of other programs stay open. Each round checks that
#   - the answers about each product could have been given one after the other, in an order that keeps the order of
#     operations that did not overlap (linearizability, CatalogTest::Linear);
#   - the history has the same order and names the users who wrote;
#   - each follower gets each change once, and its copy equals the table at the end, whether it began with the first
#     change or with a full copy made while the clients wrote;
#   - the changes are in the order in which they were first read.
# A server that is killed leaves requests without an answer, which may have been executed or not.

use strict;
use warnings FATAL => 'all';

use List::Util qw(min shuffle);
use POSIX ();
use Storable ();
use Time::HiRes qw(sleep time);

use CatalogTest::Http ();
use CatalogTest::Ids qw(n_of);
use CatalogTest::Linear ();
use CatalogTest::Tools qw(wait_until);

my $SHARED = 12;  # number of products that all clients write
my $FOLLOWERS = 2;
my $HELD = '00000000-0000-7000-8000-'; # beginning of ids of products that do not exist, whose changes other programs record
my $JSON = Cpanel::JSON::XS->new->utf8->canonical;

# Creates a test. ports: the servers' ports. connect: a function that connects to their database. dir: a directory for
# the results of processes. writers, writes: the number of writers, and the number of requests of each in a round.
sub new {
    my ($class, %o) = @_;
    my $self = bless { writers => 16, writes => 25, round => 0, seed => int rand 2**31, next => 0, %o }, $class;
    $self->{keys} = [map { $self->make_key($_) } 0 .. $self->{writers}];
    $self->{followers} = [map { { copy => {}, op => {}, next => 0 } } 1 .. $FOLLOWERS];
    return $self;
}

# Creates a user and an API key that is valid as long as the test runs.
sub make_key {
    my ($self, $number) = @_;
    my $name = "writer-$$-$number";
    my $user = $self->ask(undef, POST => '/register', { username => $name, email => "$name\@example.com", password => 'correct horse' });
    my $key = $self->ask($user->{json}{token}, POST => '/auth/keys', { name => 'writes', password => 'correct horse' });
    return { name => $name, token => $key->{json}{data}{token} // $key->{json}{token} // die "no key: $user->{body} $key->{body}\n" };
}

# Sends a request once; HTTP::Tiny would repeat it. Returns an answer of CatalogTest::Http. Its status is 0 if the
# answer is incomplete; is_away is true if no server accepted the connection.
sub ask {
    my ($self, $token, $method, $path, $body) = @_;
    my $nothing = { status => 0, headers => {}, body => 'no answer' };
    my $socket = eval { CatalogTest::Http::connection($self->{ports}[rand @{ $self->{ports} }]) };
    if (!$socket) {
        sleep 0.05;
        return { %$nothing, is_away => 1 };
    }
    local $SIG{PIPE} = 'IGNORE';
    print {$socket} CatalogTest::Http::request_bytes($method, "/api$path", $body, token => $token);
    my $r = CatalogTest::Http::parse(CatalogTest::Http::read_all($socket));
    return $r->{status} && length $r->{body} >= ($r->{headers}{'content-length'} // 0) ? $r : $nothing;
}

# ---- a client ----

package CatalogTest::Histories::Writer {
    use List::Util qw(shuffle);
    use Time::HiRes qw(time);

    # Creates a writer. $number is part of all values that it writes. @ids are the ids of the products.
    sub new {
        my ($class, $histories, $number, @ids) = @_;
        return bless { histories => $histories, number => $number, key => $histories->{keys}[$number], ids => [@ids], own => [], ops => {}, lies => [] }, $class;
    }

    # Returns a value that is written only once.
    sub value { my ($self, $kind) = @_; return "$kind$self->{number}-" . ++$self->{histories}{count}[$self->{number}] }
    sub body { my ($name) = @_; my ($writer, $n) = $name =~ /(\d+)-(\d+)/; return { name => $name, price => $writer * 100_000 + $n } }
    sub id { my ($self) = @_; return $self->{ids}[rand @{ $self->{ids} }] }
    sub note { my ($self, $id, %op) = @_; push @{ $self->{ops}{$id} }, { key => "$self->{number}:" . ++$self->{notes}, %op, by => $self->{number} } }

    # Returns the answer, and the facts about the request: its times, and whether it was done or may have been. A
    # refused request has changed nothing.
    sub ask {
        my ($self, @request) = @_;
        my $start = time;
        my $r = $self->{histories}->ask($self->{key}{token}, @request);
        my $refused = $r->{status} =~ /^(?:4|503)/ || $r->{is_away};
        push @{ $self->{lies} }, "@request[0, 1]: $r->{status} $r->{body}" if $r->{status} =~ /^4/ && $r->{status} !~ /^(?:404|409)$/ && !$r->{json}{results};
        return ($r, start => $start, end => time, $r->{status} =~ /^2/ ? (done => 1) : $refused ? () : (maybe => 1));
    }

    # Writes a product and records whether the write was done, may have been done, or found no product.
    sub write {
        my ($self, $id, $op, @request) = @_;
        my ($r, %how) = $self->ask(@request);
        return $self->note($id, %$op, %how) if $how{done} || $how{maybe};
        return $self->note($id, kind => 'read', %how) if $r->{status} == 404;
        return $self->note($id, %$op, kind => "refused $op->{kind}", key => "$r->{status} $r->{body}", %how);
    }

    sub create {
        my ($self) = @_;
        my $value = $self->value('w');
        my ($r, %how) = $self->ask(POST => '/products', body($value));
        return unless $how{done};
        push @{ $self->{ids} }, $r->{json}{data}{id};
        $self->note($r->{json}{data}{id}, kind => 'create', key => $value, value => $value, %how);
    }

    sub update {
        my ($self, $id) = @_;
        my $value = $self->value('w');
        $self->write($id, { kind => 'update', key => $value, value => $value }, PUT => "/products/$id", body($value));
    }

    sub remove { my ($self, $id) = @_; $self->write($id, { kind => 'delete' }, DELETE => "/products/$id") }

    sub look {
        my ($self, $id) = @_;
        my ($r, %how) = $self->ask(GET => "/products/$id");
        my $product = $r->{json}{data};
        push @{ $self->{lies} }, "half a product: $r->{body}" if $product && body($product->{name})->{price} != $product->{price};
        $self->note($id, kind => 'read', value => $product && $product->{name}, %how) if $product || $r->{status} == 404;
    }

    # Returns a change of the product that wrote a value for the first time: (value, entry of the history).
    sub pick_change {
        my ($self, $id) = @_;
        my $entries = ($self->ask(GET => "/products/$id/history?limit=1000"))[0]{json}{data} or return;
        my %first = map { defined $_->{changes}{name}{to} ? ($_->{changes}{name}{to} => $_) : () } @$entries;
        my ($value) = shuffle(sort grep { $first{$_}{seq} } keys %first);
        return ($value, $value && $first{$value});
    }

    sub restore {
        my ($self, $id) = @_;
        my ($target, $change) = $self->pick_change($id);
        return unless $change;
        my ($r, %how) = $self->ask(POST => "/products/$id/restore", { seq => $change->{seq} });
        return $self->note($id, kind => 'restore', target => $target, value => $r->{json}{data}{name}, %how) if $how{done};
        return $self->note($id, kind => 'restore', target => $target, %how) if $how{maybe};
        my $problem = $r->{headers}{'catalog-problem'} // '';
        push @{ $self->{lies} }, "restore: $r->{body}" if $problem eq 'restore-conflict';
        return $self->note($id, kind => 'nothing', target => $target, %how) if $problem eq 'nothing-to-restore';
    }

    # Undoes a change of one product. Values that begin with "w" were written by single requests.
    sub undo {
        my ($self, $id) = @_;
        my ($target, $change) = $self->pick_change($id);
        $self->undo_batch($change->{batch}, { $id => $target }) if $target && $target =~ /^w/;
    }

    # Undoes a batch. $targets has the key of the change of each product of the batch.
    sub undo_batch {
        my ($self, $batch, $targets) = @_;
        my ($r, %how) = $self->ask(POST => "/changes/batches/$batch/undo");
        return unless $how{done} || $how{maybe};
        my $answer = $r->{json} // {};
        my %failed = map { $_->{id} => 1 } @{ $answer->{errors} // [] };
        push @{ $self->{lies} }, "undo of a batch of @{[ scalar keys %$targets ]}: $r->{body}"
            if $how{done} && ($answer->{failed} != keys %failed || $answer->{changed} + $answer->{failed} != keys %$targets);
        my %changed;
        for my $id (sort keys %$targets) {
            my $op = $self->note($id, kind => 'undo', target => $targets->{$id}, failed => $failed{$id}, %how);
            $changed{$id} = $self->{ops}{$id}[-1]{key} if !$failed{$id};
        }
        push @{ $self->{own} }, [$answer->{batch}, \%changed] if $answer->{batch};
    }

    sub undo_own { my ($self) = @_; $self->undo_batch(@{ $self->{own}[rand @{ $self->{own} }] }) if @{ $self->{own} } }

    # Changes several products in one request. The request changes none if one of its products has never existed.
    sub batch {
        my ($self) = @_;
        my @ids = (shuffle(@{ $self->{ids} }))[0 .. 1 + rand 4];
        my %ops = map { my $value = $self->value('m'); $_ => rand() < 0.1 ? { kind => 'delete', key => "d$value" } : { kind => 'update', key => $value, value => $value } } @ids;
        my @operations = map { my $op = $ops{$_}; { op => $op->{kind}, id => $_, $op->{value} ? (body => body($op->{value})) : () } } @ids;
        push @operations, { op => 'delete', id => "${HELD}999999999999" } if rand() < 0.25;
        my ($r, %how) = $self->ask(POST => '/products/batch', { operations => \@operations });
        my @results = @{ $r->{json}{results} // [] };
        $self->note($ids[$_], kind => 'read', %how) for grep { ($results[$_]{status} // 0) == 404 } 0 .. $#ids;
        return unless $how{done} || $how{maybe};
        $self->note($_, %{ $ops{$_} }, %how) for @ids;
        push @{ $self->{own} }, [$r->{headers}{'catalog-batch'}, { map { $_ => $ops{$_}{key} } @ids }] if $how{done};
    }

    my @KINDS = (('update') x 6, ('look') x 4, 'create', 'create', 'remove', ('restore') x 4, ('undo') x 3, ('undo_own') x 2, ('batch') x 3);

    sub run {
        my ($self, $count) = @_;
        for (1 .. $count) {
            my $kind = $KINDS[rand @KINDS];
            $self->$kind($self->id);
        }
        return { ops => $self->{ops}, lies => $self->{lies}, number => $self->{number}, count => $self->{histories}{count}[$self->{number}] };
    }
}

# ---- a program that holds transactions ----

# Records changes as the server does while it locks the row of a product. Then commits, rolls back, or loses its
# connection. Must be quick on SQLite, which has one writer.
sub hold_transactions {
    my ($self, $number, @ids) = @_;
    my $is_quick = $self->{driver} eq 'sqlite3';
    for my $n (1 .. 4) {
        my $db = $self->{connect}->();
        my $held = sprintf "$HELD%04d%04d%04d", $self->{round}, $number, $n;
        eval {
            $db->do($is_quick ? 'BEGIN IMMEDIATE' : 'BEGIN');
            $db->selectall_arrayref('SELECT id FROM products WHERE n = ?' . ($is_quick ? '' : ' FOR UPDATE'), undef, n_of($ids[rand @ids])) if $n % 2;
            for (1 .. 3) {
                $db->do(q(INSERT INTO changes (product_id, at, batch, op) VALUES (?, ?, 1, 'update')), undef, $held, int(1000 * time));
                sleep rand($is_quick ? 0.03 : 0.4);
            }
            $db->do('COMMIT') if $n < 3;
            $db->do('ROLLBACK') if $n == 3;
        };
        $db->disconnect;
        sleep rand 0.3;
    }
    return {};
}

# ---- a follower of the changes ----

# Follows the changes until it has all up to the number in the file `end`. Asks the servers in turn, and the next one if
# a server is away.
sub follow {
    my ($self, $f) = @_;
    my $give_up = time + 120;
    @$f{qw(faults seqs)} = ([], []);
    until (-s "$self->{dir}/end" && $f->{next} >= read_number("$self->{dir}/end")) {
        if (time > $give_up) {
            push @{ $f->{faults} }, "it ends at $f->{next}, not at " . read_number("$self->{dir}/end");
            return $f;
        }
        my $limit = (3, 70, 1000)[rand 3];
        my $r = $self->ask($self->{keys}[0]{token}, GET => "/changes?since=$f->{next}&limit=$limit&include=product");
        push @{ $f->{faults} }, "$r->{status} $r->{body}" if $r->{status} !~ /^(?:200|0|50\d)$/;
        apply($f, $_) for @{ $r->{json}{data} // [] };
        $f->{next} = $r->{json}{next} if $r->{status} == 200;
        sleep rand 0.1;
    }
    return $f;
}

# Makes a full copy while the clients write, and follows from there: reads the end of the history, and then an export.
sub copy_and_follow {
    my ($self) = @_;
    sleep rand 1.5;
    my $next = $self->get_whole('/changes?since=end')->{json}{next};
    my @rows = map { $JSON->decode($_) } split /\n/, $self->get_whole('/products/export?format=ndjson')->{body};
    return $self->follow({ begin => $next, next => $next, copy => { map { $_->{id} => $_ } @rows } });
}

# Repeats a request until the answer is complete, because a server that is killed leaves half an answer. The last chunk
# of a complete answer is empty.
sub get_whole {
    my ($self, $path) = @_;
    my $r;
    wait_until(60, sub {
        $r = $self->ask($self->{keys}[0]{token}, GET => $path);
        $r->{status} == 200 && (!$r->{headers}{'transfer-encoding'} || $r->{text} =~ /\r\n0\r\n\r\n\z/);
    }) or die "$path: $r->{status} $r->{body}\n";
    return $r;
}

sub read_number { return 0 + CatalogTest::Tools::slurp($_[0]) }

sub apply {
    my ($f, $change) = @_;
    my ($id, $op) = @$change{qw(id op)};
    push @{ $f->{faults} }, "$change->{seq} follows $f->{seqs}[-1]" if @{ $f->{seqs} } && $change->{seq} <= $f->{seqs}[-1];
    push @{ $f->{seqs} }, $change->{seq};
    return if $id =~ /^$HELD/;
    my $before = $f->{op}{$id} // 'nothing';
    push @{ $f->{faults} }, "$id: $op after $before" if !defined $f->{begin} && ($op eq 'create') != ($before =~ /^(?:nothing|delete)$/);
    $f->{op}{$id} = $op;
    $f->{copy}{$id} = $change->{product};
    delete $f->{copy}{$id} if !$change->{product};
}

# ---- a round ----

# Runs a round. Calls `disturb` once while the clients write. Returns what is wrong.
sub round {
    my ($self, %o) = @_;
    $self->{round}++;
    srand $self->{seed} + $self->{round};
    unlink glob "$self->{dir}/*";
    my $since = $self->{followers}[0]{next};
    my $first = CatalogTest::Histories::Writer->new($self, 0);
    $self->empty_catalogue;
    $first->create for 1 .. $SHARED;
    my @ids = @{ $first->{ids} };
    my @followers = map { my $f = $_; $self->start("follower$f", sub { $self->follow($self->{followers}[$f]) }) } 0 .. $FOLLOWERS - 1;
    push @followers, map { $self->start("follower_new$_", sub { $self->copy_and_follow }) } 1 .. $FOLLOWERS;
    my @writers = map { my $n = $_; $self->start("writer$n", sub { CatalogTest::Histories::Writer->new($self, $n, @ids)->run($self->{writes}) }) } 1 .. $self->{writers};
    my @holders = map { my $n = $_; $self->start("holder$n", sub { $self->hold_transactions($n, @ids) }) } 1 .. 3;
    $o{disturb}->() if $o{disturb};
    waitpid $_, 0 for @writers, @holders;
    CatalogTest::Tools::spew("$self->{dir}/end", $self->last_seq);
    waitpid $_, 0 for @followers;
    my @left = map { Storable::retrieve($_) } glob "$self->{dir}/{writer,holder,follower}*";
    my @results = grep { $_->{ops} } @left;
    my @copies = grep { $_->{copy} } @left;
    $self->{followers} = [grep { !defined $_->{begin} } @copies];
    $self->{count}[$_->{number}] = $_->{count} for @results;
    my $lost = @followers + @writers + @holders - @left;
    return (($lost ? "$lost processes have left nothing" : ()), (map { $_->{died} ? "died: $_->{died}" : () } @left), (map { @{ $_->{lies} // [] }, @{ $_->{faults} // [] } } @left),
        $self->check_products($first->{ops}, map { $_->{ops} } @results), $self->check_followers($since, @copies));
}

sub empty_catalogue {
    my ($self) = @_;
    my $r;
    wait_until(60, sub { ($r = $self->ask($self->{keys}[0]{token}, POST => '/products/batch', { where => '', delete => Cpanel::JSON::XS::true }))->{status} == 200 })
        or die "the catalogue cannot be emptied: $r->{status} $r->{body}\n";
}

sub start {
    my ($self, $name, $work) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;
    @SIG{qw(INT TERM PIPE)} = qw(DEFAULT DEFAULT IGNORE); # only the parent stops the servers
    srand unpack '%32C*', "$self->{seed} $self->{round} $name";
    Storable::store(eval { $work->() } // { died => $@ }, "$self->{dir}/$name");
    POSIX::_exit(0);
}

# Returns the number of the last change, once all changes have numbers.
sub last_seq {
    my ($self) = @_;
    my $db = $self->{connect}->();
    my $column = $self->{driver} eq 'sqlite3' ? 'number' : 'seq';
    wait_until(60, sub { $column eq 'number' || !$db->selectrow_array('SELECT COUNT(*) FROM changes WHERE seq = 0') });
    return $db->selectrow_array("SELECT MAX($column) FROM changes");
}

# ---- checks ----

sub check_products {
    my ($self, @ledgers) = @_;
    my (%ops, @faults);
    for my $ledger (@ledgers) {
        push @{ $ops{$_} }, @{ $ledger->{$_} } for keys %$ledger;
    }
    for my $id (sort keys %ops) {
        my @ops = sort { $a->{start} <=> $b->{start} } @{ $ops{$id} };
        $self->{checked}{ $_->{kind} . ($_->{failed} ? ' (changed since)' : $_->{maybe} ? ' (no answer)' : '') }++ for @ops;
        push @faults, CatalogTest::Linear::is_linearizable(grep { $_->{kind} !~ /^refused/ } @ops) ? () : "$id is not linearizable:\n" . CatalogTest::Linear::describe(@ops) . $self->describe_history($id);
        push @faults, map { "$id: $_" } $self->check_history($id, @ops);
    }
    return @faults;
}

sub describe_history {
    my ($self, $id) = @_;
    my $r = $self->ask($self->{keys}[0]{token}, GET => "/products/$id/history?limit=1000");
    return join '', map { "  $_->{seq} $_->{op} $_->{by}{username} $_->{batch} " . ($_->{changes}{name}{to} // '-') . "\n" } reverse @{ $r->{json}{data} // [] };
}

# Checks the history of a product. A writer that restores or undoes may write a value of another writer. A value written
# for the first time after another write was done must come later in the history.
sub check_history {
    my ($self, $id, @ops) = @_;
    my $r = $self->ask($self->{keys}[0]{token}, GET => "/products/$id/history?limit=1000");
    my @entries = reverse @{ $r->{json}{data} // return "no history: $r->{status} $r->{body}" };
    my %names = map { $self->{keys}[$_]{name} => $_ } 0 .. $self->{writers};
    my %reverts = map { $_->{kind} =~ /^(?:restore|undo)$/ ? ($_->{by} => 1) : () } @ops;
    my (%place, @faults);
    for my $place (0 .. $#entries) {
        my ($value, $by) = ($entries[$place]{changes}{name}{to} // next, $names{ $entries[$place]{by}{username} });
        $place{$value} //= $place;
        push @faults, "writer $by has not written $value" if !$reverts{$by} && $value !~ /^[mw]$by-/;
    }
    my @written = grep { $_->{done} && defined $_->{value} && $_->{kind} =~ /^(?:create|update)$/ } @ops;
    push @faults, map { "the history lacks $_->{value}" } grep { !defined $place{ $_->{value} } } @written;
    my ($last, $before) = (-1);
    my @ended = sort { $a->{end} <=> $b->{end} } grep { defined $place{ $_->{value} } } @written;
    for my $op (sort { $a->{start} <=> $b->{start} } @ended) {
        while (@ended && $ended[0]{end} < $op->{start}) {
            my $done = shift @ended;
            ($last, $before) = ($place{ $done->{value} }, $done) if $place{ $done->{value} } > $last;
        }
        push @faults, "$op->{value} is before $before->{value}" if $before && defined $place{ $op->{value} } && $place{ $op->{value} } < $last;
    }
    return @faults;
}

sub check_followers {
    my ($self, $since, @followers) = @_;
    my (%table, @seqs, @faults);
    for (my $page = 1; my @products = @{ $self->ask(undef, GET => "/products?limit=1000&page=$page")->{json}{data} }; $page++) {
        $table{ $_->{id} } = $_ for @products;
    }
    for (my ($next, $r) = $since; @{ ($r = $self->ask($self->{keys}[0]{token}, GET => "/changes?since=$next&limit=1000"))->{json}{data} }; $next = $r->{json}{next}) {
        push @seqs, map { $_->{seq} } @{ $r->{json}{data} };
    }
    for my $f (@followers) {
        my @expected = grep { $_ > ($f->{begin} // -1) } @seqs;
        my @other = grep { $JSON->encode($f->{copy}{$_} // {}) ne $JSON->encode($table{$_} // {}) } sort keys %{ { %table, %{ $f->{copy} } } };
        push @faults, "a copy differs in @other" if @other;
        push @faults, "it read @{[ scalar @{ $f->{seqs} } ]} changes, of @{[ scalar @expected ]}" if "@{ $f->{seqs} }" ne "@expected";
    }
    $self->{read} += @seqs;
    return @faults;
}

1;
