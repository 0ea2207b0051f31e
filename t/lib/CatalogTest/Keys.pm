# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Keys;

# Directories of signing keys: put_key writes a file into one, with_keys starts a server that uses one.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

use CatalogTest::Server ();
use CatalogTest::Tools qw(setting spew);

our @EXPORT_OK = qw(put_key with_keys);

# Writes a file that is complete at once and readable for children, which read it again later. `age` is how many seconds
# ago the file was written.
sub put_key {
    my ($dir, $name, $content, $age) = @_;
    my $new = "$dir/.$name";
    spew($new, $content);
    chmod 0640, $new;
    chown 0, scalar getgrnam(setting('group')), $new if $> == 0;
    utime time - $age, time - $age, $new if $age;
    rename $new, "$dir/$name" or die "$dir/$name: $!\n";
}

sub with_keys {
    my ($dir) = @_;
    return CatalogTest::Server->new(mount => undef, conf => <<"END")->start;
<Location "/api">
    CatalogEnable   On
    CatalogKeyDir   "$dir"
    CatalogIssuer   https://catalog.test
    CatalogAudience catalog-test
</Location>
END
}

1;
