# SPDX-License-Identifier: Apache-2.0
package Contestant;

# A server to measure: its directory, its answers and its processes. A subclass has the method command.

use strict;
use warnings FATAL => 'all';

use parent 'CatalogTest::Process';

use CatalogTest::Http ();
use CatalogTest::Tools qw(setting free_port hand_over slurp spew);
use CatalogTest::Token ();
use Catalogue ();

# name: of its directory and its figures. database: a SQLite file; the server works on a copy.
sub new {
    my ($class, $name, %o) = @_;
    my $dir = setting('home') . "/servers/$name";
    my $self = bless { name => $name, dir => $dir, port => free_port(), %o }, $class;

    mkdir $_ or die "$_: $!\n" for $dir, "$dir/data";
    if ($self->{database}) {
        system('cp', $self->{database}, $self->file) == 0 or die "$self->{database} cannot be copied\n";
        hand_over("$dir/data", $self->file);
    }
    spew("$dir/token.key", Catalogue::TOKEN_KEY . "\n");
    chmod 0600, "$dir/token.key";
    $self->prepare;
    return $self;
}

sub prepare { }

# Until the first write to SQLite's write-ahead log, each read needs another system call, for the file's size. A catalogue in use
# has been written to.
sub start {
    my ($self) = @_;
    $self->SUPER::start;
    Catalogue::write_once($self->{params} // $self->file) unless $self->{engine};
    return $self;
}

# Runs before the server's cost is stable.
sub warm_up { 1 }

sub name { $_[0]{name} }
sub port { $_[0]{port} }
sub file { "$_[0]{dir}/data/catalog.db" }
sub console { "$_[0]{dir}/console" }

# The last lines of its output and its log.
sub complaints {
    my ($self) = @_;
    my @lines = map { split /^/m, slurp($_) } $self->console, "$self->{dir}/error_log";
    return join '', @lines > 20 ? @lines[-20 .. -1] : @lines;
}

sub is_up { my ($self) = @_; return eval { $self->get('/api/products?limit=1')->{status} == 200 } }

# The server and its own database engine, if it has one.
sub processes { my ($self) = @_; return ($self->pid, $self->{engine} ? $self->{engine}->pid : ()) }

sub get { my ($self, $path, %o) = @_; return CatalogTest::Http::request($self->{port}, 'GET', $path, undef, %o) }

sub post {
    my ($self, $body, %o) = @_;
    return CatalogTest::Http::request($self->{port}, 'POST', '/api/products', $body, %o);
}

# An access token that all contestants accept: HS256, for a user that need not exist.
my $token;
sub token {
    $token //= CatalogTest::Token::forge(
        claims => CatalogTest::Token::claims('mod_catalog', 'catalog', exp => time + 7200), key => Catalogue::TOKEN_KEY);
    return $token;
}

# Fills a template of this folder: @name@ stands for a value.
sub fill {
    my ($self, $from, $to, %value) = @_;
    my $text = slurp($from) || die "$from: it is not there\n";
    $text =~ s/@(\w+)@/$value{$1} \/\/ die "$from: $1 has no value\n"/ge;
    spew($to, $text);
}

1;
