# SPDX-License-Identifier: Apache-2.0
package Ledger;

# Compares the answers that all clients received with the database and the mailboxes. Each check returns its faults.

use strict;
use warnings FATAL => 'all';

use List::Util qw(max);

use Goods ();

sub new {
    my ($class, @ledgers) = @_;
    my %all = (asked => [], lies => [], puts => [], map { $_ => {} } qw(products maybe_products users maybe_users));
    for my $ledger (@ledgers) {
        push @{ $all{$_} }, @{ $ledger->{$_} } for qw(asked lies puts);
        %{ $all{$_} } = (%{ $all{$_} }, %{ $ledger->{$_} }) for qw(products maybe_products users maybe_users);
    }
    return bless \%all, $class;
}

sub lies { @{ $_[0]{lies} } }

# ---- what there must be ----

# Every acknowledged write is stored, each write without an answer is stored as a whole or not at all, and there is nothing else.
# known: what existed before.
sub check_products {
    my ($self, $db, $known) = @_;
    my %rows = %{ $db->selectall_hashref('SELECT * FROM products', 'id') };
    my @faults;
    for my $id (keys %{ $self->{products} }) {
        my $entry = $self->{products}{$id};
        my $row = delete $rows{$id};
        my ($stem, $version) = $row ? Goods::named($row->{name}) : ($entry->{stem}, 0);
        push @faults, "$id: version $version of $stem, but it can be only @{ $entry->{may} } of $entry->{stem}"
            unless $stem eq $entry->{stem} && grep { $_ == $version } @{ $entry->{may} };
        push @faults, half($row) if $row;
    }
    my %seen;
    for my $row (grep { !$known->{ $_->{id} } } values %rows) {
        my ($stem, $version) = Goods::named($row->{name});
        push @faults, "$row->{id}: nobody made $row->{name}" unless $self->{maybe_products}{$stem} && $version == 1;
        push @faults, "$row->{name} is there twice" if $seen{$stem}++;
        push @faults, half($row);
    }
    return @faults;
}

sub half {
    my ($row) = @_;
    my $fault = Goods::difference(Goods::from_row($row), Goods::product(Goods::named($row->{name})));
    return $fault ? "$row->{id}: half a product: $fault" : ();
}

# Each value of the unique field is one product's, and the counts of the other field's values are those of the products.
sub check_own {
    my ($self, $db) = @_;
    my %products = map { $_->{id} => Goods::from_row($_) } @{ $db->selectall_arrayref('SELECT * FROM products', { Slice => {} }) };
    my %taken = map { @$_ } @{ $db->selectall_arrayref('SELECT u.value, p.id FROM product_unique u LEFT JOIN products p ON p.n = u.n') };
    my %owner = map { $products{$_}{sku} => $_ } grep { defined $products{$_}{sku} } keys %products; # the others are of those who follow the changes
    my @faults = map { "$_ is that of " . ($taken{$_} // 'nobody') . ', not of ' . ($owner{$_} // 'nobody') }
        grep { ($taken{$_} // '') ne ($owner{$_} // '') } keys %{ { %taken, %owner } };
    my (%count, %counted);
    $count{ $_->{brand} }++ for grep { defined $_->{brand} } values %products;
    $counted{ $_->[0] } += $_->[1] for map { @{ $db->selectall_arrayref("SELECT value, $_") } } 'n FROM value_counts', 'delta FROM value_deltas';
    push @faults, map { "$_ is counted " . ($counted{$_} // 0) . ' times, not ' . ($count{$_} // 0) } grep { ($counted{$_} // 0) != ($count{$_} // 0) } keys %{ { %count, %counted } };
    return @faults;
}

sub check_users {
    my ($self, $db) = @_;
    my %rows = map { $_->{username} => $_->{id} } @{ $db->selectall_arrayref('SELECT * FROM users', { Slice => {} }) };
    my %users = %{ $self->{users} };
    my @faults = map { "$_ is not there, or is another one" } grep { ($rows{$_} // '') ne $users{$_} } keys %users;
    delete @rows{ keys %users };
    return @faults, map { "nobody made $_" } grep { /^u\d+-/ && !$self->{maybe_users}{$_} } keys %rows;
}

# One mail for each user, not counting repetitions.
sub check_mails {
    my ($self, $db, @mails) = @_;
    my (%to, %ids);
    for (@mails) {
        my ($to) = /^To: <?(.*?)>?\r?$/mi;
        $to{$to}++ unless $ids{ message_id($_) }++;
    }
    my %wanted = map { $_->[0] => 1 } @{ $db->selectall_arrayref('SELECT email FROM users') };
    return (
        (map { "no mail to $_" } grep { !$to{$_} } keys %wanted),
        (map { "a mail to nobody, $_" } grep { !$wanted{$_} } keys %to),
        (map { "two mails to $_" } grep { $to{$_} > 1 } keys %to));
}

sub message_id { $_[0] =~ /^Message-ID: <(.*?)>/mi ? $1 : die "a mail without an id:\n$_[0]" }

# The number of repetitions of a message.
sub repeated {
    my %seen;
    return scalar grep { $seen{ message_id($_) }++ } @_;
}

# The last of many updates of one product: no acknowledged update began after it had ended. An update without a clear answer may be
# stored, one refused with 503 must not.
sub check_puts {
    my ($self, $row) = @_;
    my ($stem, $version) = Goods::named($row->{name});
    my ($last) = grep { $_->{version} == $version } @{ $self->{puts} };
    my @done = grep { $_->{status} == 200 } @{ $self->{puts} };
    return 'no PUT was acknowledged' unless @done;
    return "nobody put $row->{name}" unless $last;
    return "$row->{name} was refused" if $last->{status} == 503;
    return half($row) if $last->{status} != 200;
    return half($row), map { "$_->{version} was acknowledged after $version, and is not there" }
        grep { $_->{start} > $last->{end} } @done;
}

# ---- figures ----

# Between two times: the numbers of answered, unanswered and wrongly answered requests, and the longest times without a successful
# read and without a successful write.
sub figures {
    my ($self, $from, $to) = @_;
    my @asked = grep { $_->[2] >= $from && $_->[2] < $to } @{ $self->{asked} };
    return {
        requests => scalar @asked,
        failed => scalar(grep { !has_worked($_) } @asked),
        map { $_ => $self->gap($_, $from, $to) } qw(read write),
    };
}

sub has_worked { $_[0][3] > 0 && $_[0][3] < 500 }

sub gap {
    my ($self, $kind, $from, $to) = @_;
    my @ends = sort { $a <=> $b } grep { $_ > $from && $_ < $to }
        map { $_->[2] } grep { $_->[0] eq $kind && has_worked($_) } @{ $self->{asked} };
    my @times = ($from, @ends, $to);
    return max(map { $times[$_] - $times[$_ - 1] } 1 .. $#times);
}

1;
