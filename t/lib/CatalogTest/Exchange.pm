# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Exchange;

# If COMPARE is set, records the requests to servers and their answers, and the description of each server (GET
# /openapi.json). After all test files have run, tests/exchanges/validate.js compares the answers, and the well-formed
# requests, with the descriptions.

use strict;
use warnings FATAL => 'all';

use Cpanel::JSON::XS ();
use Digest::SHA qw(sha1_hex);
use Encode ();
use File::Basename qw(basename dirname);
use HTTP::Tiny ();

use CatalogTest::Tools qw(setting spew);

my $LARGEST = 100_000; # bytes of a body that is recorded; larger bodies are only counted
my $PATIENCE = 10; # seconds to wait for a description

my $json = Cpanel::JSON::XS->new->ascii->canonical;
my $client = HTTP::Tiny->new(timeout => $PATIENCE, keep_alive => 0, max_redirect => 0, agent => 'catalog-exchange/1');
my (%seen, %described, $out, $writer);

sub directory { setting('home') . '/exchanges' }
my $is_on = $ENV{COMPARE};

# Writes a line to the file of this process. Each process has a file of its own, because tests fork.
sub record {
    my ($line) = @_;
    if (!$out || $writer != $$) {
        my $name = join '-', basename(dirname($0)), basename($0, '.t'), $$;
        open $out, '>>', directory() . "/$name.ndjson" or die "$name: $!\n";
        $writer = $$;
    }
    syswrite $out, $json->encode($line) . "\n";
}

sub text { Encode::decode('latin1', $_[0] // '') }

# Records a request and its answer. $server names one configuration of a server. $mount is the mount's path. $request is
# { method, path, headers, body }, with the path below the mount.
sub add {
    my ($server, $mount, $request, $answer) = @_;
    my ($method, $path, $sent) = @$request{qw(method path body)};
    return if !$is_on;
    return if !$answer->{status} || $answer->{status} == 599; # no answer
    return record({ large => 1 }) if length($sent // '') > $LARGEST || length $answer->{body} > $LARGEST;
    my %headers = map { lc $_ => ref $request->{headers}{$_} ? join(', ', @{ $request->{headers}{$_} }) : $request->{headers}{$_} }
        keys %{ $request->{headers} };
    my $sender = $headers{authorization} // '';
    $headers{$_} &&= 'sent' for qw(authorization cookie);

    return if $seen{ sha1_hex(Encode::encode_utf8(join "\0", $server, $mount, $method, $path, $headers{authorization} // q(), $headers{cookie} // q(), $sent // '', $answer->{status}, $answer->{body})) }++;
    $described{$server}{$mount}{$sender} //= 0;
    record({
        test => basename(dirname($0)) . '/' . basename($0), server => $server, mount => $mount, method => $method, path => $path, sender => name_of($sender),
        headers => { map { $_ => text($headers{$_}) } grep { /^(?:content-type|content-encoding|prefer|transfer-encoding|authorization|cookie)$/ } keys %headers },
        (defined $sent ? (body => text($sent)) : ()),
        status => $answer->{status}, answered => { map { $_ => text(ref $answer->{headers}{$_} ? join ', ', @{ $answer->{headers}{$_} } : $answer->{headers}{$_}) } keys %{ $answer->{headers} } },
        answer => text($answer->{body}),
    });
}

sub name_of { my ($sender) = @_; return $sender eq '' ? '' : sha1_hex(Encode::encode_utf8($sender)) }

# Reads a description for one sender. Returns true if other senders may get another description.
sub describe_for {
    my ($server, $port, $mount, $sender) = @_;
    my $r = $client->get("http://127.0.0.1:$port$mount/openapi.json", { headers => { $sender eq '' ? () : (Authorization => $sender) } });
    return unless $r->{status} == 200 && $r->{content} =~ /^\{"openapi":/;
    my $name = sha1_hex($r->{content});
    spew(directory() . "/$name.json", $r->{content});
    record({ server => $server, mount => $mount, sender => name_of($sender), description => $name });
    $described{$server}{$mount}{$sender} = 1;
    return ($r->{headers}{vary} // '') =~ /\bAuthorization\b/;
}

# Reads the descriptions of the mounts whose answers were recorded, while the server still has the configuration. Users
# who may write products may have a different description.
sub describe {
    my ($server, $port) = @_;
    for my $mount (keys %{ $described{$server} // {} }) {
        my $of = $described{$server}{$mount};
        next if $of->{''} && !$of->{differs};
        $of->{differs} = describe_for($server, $port, $mount, '');
        next unless $of->{differs};
        describe_for($server, $port, $mount, $_) for grep { $_ ne '' && $_ ne 'differs' && !$of->{$_} } keys %$of;
    }
}

1;
