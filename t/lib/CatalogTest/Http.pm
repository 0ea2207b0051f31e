# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Http;

# Sends requests in two ways: request() like any client, talk() and burst() for bytes that no client would send. An
# answer is { status, headers (names in lower case), body (bytes), json (decoded; undef if the body is not JSON) }.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use HTTP::Tiny ();
use IO::Select ();
use IO::Socket::INET ();
use Cpanel::JSON::XS ();
use Time::HiRes ();

our @EXPORT_OK = qw(request request_bytes talk connection burst);

my $PATIENCE = 60; # seconds; no answer takes longer, even on a busy machine

my $client = HTTP::Tiny->new(timeout => $PATIENCE, keep_alive => 0, max_redirect => 0, agent => 'catalog-test/1');
my $json = Cpanel::JSON::XS->new->utf8->canonical->allow_nonref;

# Encodes a reference as JSON, and returns anything else unchanged.
sub encode { ref $_[0] ? $json->encode($_[0]) : $_[0] }

sub answer {
    my ($status, $headers, $body) = @_;
    # Decodes a copy, because the decoder marks a text with a byte order mark as UTF-8.
    return { status => $status, headers => $headers, body => $body, json => scalar eval { $json->decode("$body") } };
}

# Returns the headers. undef removes a default header, and an array sends a header several times.
sub headers {
    my ($body, %o) = @_;
    my %h = defined $body ? ('Content-Type' => 'application/json') : ();
    $h{Authorization} = "Bearer $o{token}" if defined $o{token};
    %h = (%h, %{ $o{headers} || {} });
    return { map { $_ => $h{$_} } grep { defined $h{$_} } keys %h };
}

# Returns the headers and the body that request and request_bytes send.
sub sent {
    my ($body, %o) = @_;
    return { headers => headers($body, %o), body => defined $body ? encode($body) : undef };
}

# Sends a request and returns the answer. `patience` is the number of seconds to wait if an answer may take longer than
# others.
sub request {
    my ($port, $method, $path, $body, %o) = @_;
    my $sent = sent($body, %o);
    my %content = defined $body ? (content => $sent->{body}) : ();
    local $client->{timeout} = $o{patience} // $PATIENCE;
    my $r = $client->request($method, "http://127.0.0.1:$port$path", { headers => $sent->{headers}, %content });
    return answer($r->{status}, $r->{headers}, $r->{content} // '');
}

# Returns the request that request() would send, as text.
sub request_bytes {
    my ($method, $path, $body, %o) = @_;
    my $content = defined $body ? encode($body) : '';
    my %h = (Host => '127.0.0.1', Connection => 'close', %{ headers($body, %o) });
    $h{'Content-Length'} //= length $content if defined $body;
    return join '', "$method $path HTTP/1.1\r\n", (map { "$_: $h{$_}\r\n" } sort keys %h), "\r\n", $content;
}

sub connection {
    my ($port, %o) = @_;
    my $socket = IO::Socket::INET->new(Proto => 'tcp', Timeout => $PATIENCE, PeerAddr => '127.0.0.1',
        PeerPort => $port, %o)
        or die "127.0.0.1:$port: $!\n";
    $socket->autoflush;
    return $socket;
}

# Sends bytes, or pieces of bytes, and reads until the server closes the connection. `cut` shuts down this side after
# sending. `pause` is the number of seconds between pieces. The answer also has `text`, all bytes received.
sub talk {
    my ($port, $bytes, %o) = @_;
    my $socket = connection($port);
    local $SIG{PIPE} = 'IGNORE'; # the server may close before it has read all
    for my $piece (ref $bytes ? @$bytes : $bytes) {
        print {$socket} $piece;
        Time::HiRes::sleep($o{pause}) if $o{pause};
    }
    $socket->shutdown(1) if $o{cut};
    return parse(read_all($socket));
}

# Sends all requests before it reads the first answer. Each answer has `took`, in seconds. Closes each socket when its
# answer has arrived, because until then a prefork child serves no other connection.
sub burst {
    my ($port, @requests) = @_;
    my @sockets = map { connection($port) } @requests;
    my $start = Time::HiRes::time();
    print { $sockets[$_] } $requests[$_] for 0 .. $#requests;

    my %number = map { $sockets[$_] => $_ } 0 .. $#sockets;
    my @answers = map { { text => '', took => $PATIENCE } } @sockets;
    my $select = IO::Select->new(@sockets);
    while ($select->count) {
        my @ready = $select->can_read($PATIENCE) or last;
        for my $socket (@ready) {
            my $answer = $answers[$number{$socket}];
            next if sysread $socket, $answer->{text}, 65536, length $answer->{text};
            $answer->{took} = Time::HiRes::time() - $start;
            $select->remove($socket);
            close $socket;
        }
    }
    return map { { %{ parse($_->{text}) }, took => $_->{took} } } @answers;
}

sub read_all {
    my ($socket) = @_;
    my $text = '';
    my $end = Time::HiRes::time() + $PATIENCE;
    my $select = IO::Select->new($socket);
    while ((my $left = $end - Time::HiRes::time()) > 0) {
        next unless $select->can_read($left);
        last unless sysread $socket, $text, 65536, length $text;
    }
    return $text;
}

# Returns the first response in the text; `rest` is the text after it.
sub parse {
    my ($text) = @_;
    my ($head, $behind) = split /\r\n\r\n/, $text, 2;
    return { status => 0, headers => {}, body => '', text => $text } unless defined $behind;
    my ($line, @lines) = split /\r\n/, $head;
    my ($status) = $line =~ m{^HTTP/1\.[01] (\d{3})};
    my %headers;
    for (@lines) {
        my ($name, $value) = /^([^:]+):\s*(.*)/;
        $headers{ lc $name } = exists $headers{ lc $name } ? "$headers{lc $name}, $value" : $value;
    }
    my ($body, $rest) = body($behind, \%headers);
    return { %{ answer($status || 0, \%headers, $body) }, text => $text, rest => $rest };
}

sub body {
    my ($behind, $headers) = @_;
    if (($headers->{'transfer-encoding'} || '') eq 'chunked') {
        my $body = '';
        while ($behind =~ s/^([0-9a-fA-F]+)\r\n//) {
            my $size = hex $1;
            $body .= substr $behind, 0, $size, '';
            $behind =~ s/^\r\n//;
            last unless $size;
        }
        return ($body, $behind);
    }
    my $length = $headers->{'content-length'} // length $behind;
    return (substr($behind, 0, $length), $length < length $behind ? substr($behind, $length) : '');
}

1;
