# SPDX-License-Identifier: Apache-2.0
package CatalogLoad;

# Runs many clients at the same time. Each client is a process with one connection, which it keeps open until the server
# closes it.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Temp ();
use IO::Select ();
use POSIX ();
use Storable ();
use Time::HiRes ();

use CatalogTest::Http ();

our @EXPORT = qw(clients client);

my $LIFE = 300;    # seconds after which a client ends even if its test has died
my $PATIENCE = 60; # seconds to wait for an answer

# Starts `count` clients. Each runs work->(client, number) and returns its result, which must be plain data.
sub clients {
    my ($server, $count, $work) = @_;
    my $self = bless { dir => File::Temp->newdir, results => [] }, __PACKAGE__;
    $self->{pids} = [map { $self->fork_client($server, $work, $_) } 0 .. $count - 1];
    return $self;
}

sub fork_client {
    my ($self, $server, $work, $number) = @_;
    my $pid = fork // die "fork: $!\n";
    return $pid if $pid;

    @SIG{qw(INT TERM PIPE)} = qw(DEFAULT DEFAULT IGNORE); # only the parent stops the servers
    alarm $LIFE;
    srand $$;
    my $result = eval { $work->(client($server), $number) };
    Storable::store($result // { died => $@ }, "$self->{dir}/$number");
    POSIX::_exit(0);
}

sub are_running {
    my ($self) = @_;
    $self->{pids} = [grep { waitpid($_, POSIX::WNOHANG()) == 0 } @{ $self->{pids} }];
    return scalar @{ $self->{pids} };
}

# Waits for the clients and returns their results. Dies if one of them died.
sub results {
    my ($self) = @_;
    waitpid $_, 0 for @{ $self->{pids} };
    my @results = map { Storable::retrieve($_) } glob "$self->{dir}/*";
    die "a client failed: $_->{died}" for grep { ref $_ eq 'HASH' && $_->{died} } @results;
    return @results;
}

# Returns a client in this process.
sub client {
    my ($server) = @_;
    return bless { port => $server->port }, 'CatalogLoad::Client';
}

package CatalogLoad::Client;

# Repeats a request if the server closed the idle connection just as the request was sent, as every HTTP client does.
# Counts the repetitions.
sub ask {
    my ($self, @request) = @_;
    while (1) {
        my $r = $self->ask_once(@request);
        return $r unless $r->{status} == 0 && $r->{kept} && $r->{text} eq '';
        $self->{again}++;
    }
}

sub again { $_[0]{again} // 0 }

# Returns an answer as CatalogTest::Http does, with `took` (seconds) and `kept` (true if the connection had served a
# request before). Without a whole answer, `status` is 0 and `text` is the part that arrived.
sub ask_once {
    my ($self, $method, $path, @more) = @_;
    my $body = @more % 2 ? shift @more : undef;
    my %o = @more;
    my $start = Time::HiRes::time();
    my $kept = defined $self->{socket};

    $self->{socket} //= CatalogTest::Http::connection($self->{port});
    $o{headers}{Connection} //= 'keep-alive';
    my $request = CatalogTest::Http::request_bytes($method, "/api$path", $body, %o);
    my $written = syswrite $self->{socket}, $request;
    my $text = ($written // 0) == length $request ? read_answer($self->{socket}) : '';
    my $r = is_whole($text) ? CatalogTest::Http::parse($text) : { status => 0, headers => {}, text => $text };
    delete $self->{socket} if !$r->{status} || ($r->{headers}{connection} // '') =~ /close/i;
    return { %$r, kept => $kept, took => Time::HiRes::time() - $start };
}

# The whole answer, or what arrived before the server closed the connection.
sub read_answer {
    my ($socket) = @_;
    my $select = IO::Select->new($socket);
    my $text = '';
    until (is_whole($text)) {
        $select->can_read($PATIENCE) or die "no answer within $PATIENCE seconds\n";
        sysread $socket, $text, 65536, length $text or last;
    }
    return $text;
}

sub is_whole {
    my ($text) = @_;
    my ($head, $body) = split /\r\n\r\n/, $text, 2;
    return 0 unless defined $body;
    my ($length) = $head =~ /^Content-Length: (\d+)/im or die "an answer without its length:\n$head\n";
    return length $body >= $length;
}

1;
