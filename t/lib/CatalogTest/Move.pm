# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Move;

# Makes files in the format of catalogctl export.

use strict;
use warnings FATAL => 'all';

use Digest::SHA ();
use Exporter 'import';

use CatalogTest::Ids qw(id_at);

our @EXPORT_OK = qw(write_file product product_id time_of rows_of);

my @TABLES = qw(products users sessions refresh_tokens user_keys mail_tokens outbox revoked_sessions audit released_names images image_parts);

# Writes the lines that $next returns until it returns undef. Each line is the JSON of a row without a newline.
sub write_file {
    my ($file, $next) = @_;
    my $digest = Digest::SHA->new(256);
    my %count = map { $_ => 0 } @TABLES;

    open my $out, '>', $file or die "$file: $!\n";
    print {$out} qq({"mod_catalog":{"format":1,"time":"2026-11-21T09:30:00.123Z","changes":0}}\n);
    while (defined(my $line = $next->())) {
        $line =~ /^\{"(\w+)"/ and $count{$1}++;
        $digest->add("$line\n");
        print {$out} "$line\n";
    }
    print {$out} '{"end":{', map({ qq("$_":$count{$_},) } @TABLES), '"sha256":"', $digest->hexdigest, qq("}}\n);
    close $out or die "$file: $!\n";
    return $file;
}

# Return the time and the id of a product, which sort by $number.
sub time_of { return 1_763_717_400_000 + $_[0] }
sub product_id { return id_at(time_of($_[0])) }

sub product {
    my ($number) = @_;
    return sprintf '{"products":{"id":"%s","name":"Product number %d","price":%s,"category":"some %d","in_stock":%s%s,"created_at":%d}}',
        product_id($number), $number, $number % 10_000 / 100, $number % 20, $number % 5 ? 'true' : 'false',
        $number % 3 ? ',"rating":' . $number % 50 / 10 : '', time_of($number);
}

# Returns the file's text without its first line, which has the time of the export.
sub rows_of { $_[0] =~ s/^.*\n//r }

1;
