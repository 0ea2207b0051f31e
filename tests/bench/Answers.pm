# SPDX-License-Identifier: Apache-2.0
package Answers;

# All contestants must give the same answers, or their costs are not comparable.

use strict;
use warnings FATAL => 'all';

use JSON::PP ();

use Catalogue ();

my $json = JSON::PP->new->canonical;

# Dies unless the server, which has `count` products, gives the right answers.
sub check {
    my ($server, $count) = @_;
    my %good = (success => JSON::PP::true, data => Catalogue::product(7));
    same($server, $server->get('/api/products/' . Catalogue::id(7)), 200, \%good);
    same($server, $server->get('/api/products/' . Catalogue::id($count)), 404, undef);
    check_page($server, $count, 2);
    check_post($server) unless $server->name eq 'nginx';
}

# Pages of ten products, newest first.
sub check_page {
    my ($server, $count, $page) = @_;
    my $newest = $count - 1 - 10 * ($page - 1);
    same($server, $server->get("/api/products?page=$page"), 200, {
        success => JSON::PP::true, data => [map { Catalogue::product($newest - $_) } 0 .. 9],
        pagination => { page => $page, limit => 10, total => $count, pages => $count / 10 } });
}

# Sends only invalid requests, so the catalogue stays as it is.
sub check_post {
    my ($server) = @_;
    my $token = Contestant::token();
    same($server, $server->post({ name => 'x', price => 1 }), 401, undef);
    same($server, $server->post({ name => 'x', price => 1 }, token => $token =~ s/.{8}$/AAAAAAAA/r), 401, undef);
    same($server, $server->post({ name => '', price => 1 }, token => $token), 400, undef);
}

# Creates a product, which must then be the newest of the list, and be counted.
sub check_created {
    my ($server) = @_;
    my %product = (name => 'x', price => 1.5, category => 'y', inStock => JSON::PP::false, rating => 4.5);
    my $total = $server->get('/api/products?limit=1')->{json}{pagination}{total};
    my $created = $server->post(\%product, token => Contestant::token());
    my ($id, $time) = map { $_ // '' } @{ $created->{json}{data} }{qw(id createdAt)};
    die $server->name . ": $created->{status} $created->{body}\n"
        unless $id =~ /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/ && $time =~ /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

    my %good = (success => JSON::PP::true, data => { %product, id => $id, createdAt => $time });
    same($server, $created, 201, { %good, message => $created->{json}{message} });
    same($server, $server->get("/api/products/$id"), 200, \%good);
    same($server, $server->get('/api/products?limit=1'), 200, {
        success => JSON::PP::true, data => [$good{data}],
        pagination => { page => 1, limit => 1, total => $total + 1, pages => $total + 1 } });
}

sub same {
    my ($server, $answer, $status, $body) = @_;
    my ($is, $should) = map { $_ ? $json->encode(normal($_)) : '' } $body && $answer->{json}, $body;
    return if $answer->{status} == $status && $is eq $should;
    die $server->name . ": $answer->{status} $answer->{body}, not $status $should\n";
}

# Numbers compare as numbers, however the server writes them.
sub normal {
    my ($value) = @_;
    return { map { $_ => normal($value->{$_}) } keys %$value } if ref $value eq 'HASH';
    return [map { normal($_) } @$value] if ref $value eq 'ARRAY';
    return !ref $value && $value =~ /^-?\d+(?:\.\d+)?$/ ? $value + 0 : $value;
}

1;
