# SPDX-License-Identifier: Apache-2.0
package Catalogue;

# The products in the databases of all contestants; a product's number determines its fields.

use strict;
use warnings FATAL => 'all';

use DBI ();
use Digest::SHA ();
use FindBin ();
use JSON::PP ();
use POSIX ();

use CatalogTest::Ids qw(id_of n_at);
use CatalogTest::Tools qw(hand_over slurp);

use constant { START => 1_704_067_200_000, TOKEN_KEY => 'kZ3v8Qm1Wc5Xn7Lp0Rt2Yh4Jd6Gf9Sb_Ae-Uo1Ii2Ee' };

# A request that creates a product, as load.lua takes it.
use constant NEW => '1 POST /api/products'
    . ' {"name":"Product number 00000000","price":{n}.25,"category":"category 1","inStock":true,"rating":4.5}';

my $SCHEMA = "$FindBin::RealBin/../../conf/schema/sqlite3";

sub id { my ($n) = @_; return id_of(number($n)) }

# What the database has of the id, as products.n.
sub number { my ($n) = @_; return n_at(START + $n, $n * 7919 % 1_048_576) }

sub row {
    my ($n) = @_;
    return {
        id => id($n), name => sprintf('Product number %08d', $n), price => 10 + $n % 90 + 0.25, category => 'category ' . $n % 10,
        in_stock => $n % 3 ? 1 : 0, rating => $n % 2 ? $n % 5 + 0.5 : undef, created_at => START + $n,
    };
}

# The product as an answer's JSON has it.
sub product {
    my ($n) = @_;
    my $row = row($n);
    return {
        (map { $_ => $row->{$_} } qw(id name price category)), inStock => $row->{in_stock} ? JSON::PP::true : JSON::PP::false,
        (map { defined $_ ? (rating => $_) : () } $row->{rating}), createdAt => time_text($row->{created_at}),
    };
}

sub time_text {
    my ($ms) = @_;
    return POSIX::strftime('%Y-%m-%dT%H:%M:%S', gmtime $ms / 1000) . sprintf '.%03dZ', $ms % 1000;
}

# ---- mod_catalog's database ----

# Fills an empty database with catalogctl import, as an administrator would.
sub import_into {
    my ($ctl, $driver, $params, $count) = @_;
    my @database = ('-d', $driver, '-p', $params);
    capture($ctl, @database, 'migrate');
    my ($head, $end) = split /\n/, capture($ctl, @database, 'export');

    local $SIG{PIPE} = 'IGNORE';
    open my $out, '|-', $ctl, @database, 'import' or die "$ctl: $!\n";
    my $sum = Digest::SHA->new(256);
    print {$out} "$head\n";
    for my $n (0 .. $count - 1) {
        my $line = line($n);
        $sum->add($line);
        print {$out} $line;
    }
    my $hash = $sum->hexdigest;
    print {$out} $end =~ s/"products":0/"products":$count/r =~ s/"sha256":"\w+"/"sha256":"$hash"/r, "\n";
    close $out or die "$ctl import failed\n";
}

sub line {
    my ($n) = @_;
    my $row = row($n);
    my $rating = defined $row->{rating} ? qq("rating":$row->{rating},) : '';
    return sprintf qq({"products":{"id":"%s","name":"%s","price":%s,"category":"%s","in_stock":%s,%s"created_at":%d}}\n),
        @$row{qw(id name price category)}, $row->{in_stock} ? 'true' : 'false', $rating, $row->{created_at};
}

sub schema_files { return glob "$SCHEMA/*.sql" }

# A complete SQLite file, reused until the schema changes.
sub file {
    my ($dir, $ctl, $count) = @_;
    my $file = "$dir/$count-" . substr(Digest::SHA::sha256_hex(map { slurp($_) } schema_files()), 0, 8) . '.db';
    return $file if -e $file;
    print "data: $count products, made once\n";
    unlink glob "$dir/$count-*";
    import_into($ctl, 'sqlite3', "$file.new", $count);
    settle_file("$file.new");
    hand_over("$file.new");
    rename "$file.new", $file or die "$file: $!\n";
    return $file;
}

# The output of a command.
sub capture {
    open my $in, '-|', @_ or die "$_[0]: $!\n";
    local $/;
    my $text = <$in>;
    close $in or die "@_ failed\n";
    return $text;
}

# ---- the peers' database ----

# As an author of such a server for Node.js, PHP or Lua would store products: numbers and times as in the answers.
my %PEER_TABLE = (
    sqlite3 => 'id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, price REAL NOT NULL, category TEXT NOT NULL,'
        . ' inStock INTEGER NOT NULL, rating REAL, createdAt TEXT NOT NULL',
    mysql => 'id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, name VARCHAR(200) NOT NULL,'
        . ' price DOUBLE NOT NULL, category VARCHAR(100) NOT NULL, inStock BOOLEAN NOT NULL, rating DOUBLE,'
        . ' createdAt CHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL',
    pgsql => 'id text COLLATE "C" NOT NULL PRIMARY KEY, name text NOT NULL, price double precision NOT NULL,'
        . ' category text NOT NULL, inStock boolean NOT NULL, rating double precision, createdAt text COLLATE "C" NOT NULL');

# A counter of the products, kept as tutorials recommend: in one row, by triggers.
my %PEER_COUNTER = (
    mysql => [
        'CREATE TRIGGER products_created AFTER INSERT ON products FOR EACH ROW UPDATE products_counter SET n = n + 1',
        'CREATE TRIGGER products_deleted AFTER DELETE ON products FOR EACH ROW UPDATE products_counter SET n = n - 1',
    ],
    pgsql => [
        'CREATE FUNCTION count_product() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN'
            . q( UPDATE products_counter SET n = n + CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END; RETURN NULL; END $$),
        'CREATE TRIGGER products_counted AFTER INSERT OR DELETE ON products FOR EACH ROW EXECUTE FUNCTION count_product()',
    ]);

sub peer_tables {
    my ($db, $driver, $count) = @_;
    $db->do("CREATE TABLE products ($PEER_TABLE{$driver})" . ($driver eq 'sqlite3' ? ' WITHOUT ROWID' : ''));
    $db->do('CREATE INDEX products_by_time ON products (createdAt, id)');
    $db->begin_work;
    my $insert = $db->prepare('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)');
    for my $row (map { row($_) } 0 .. $count - 1) {
        $insert->execute(@$row{qw(id name price category in_stock rating)}, time_text($row->{created_at}));
    }
    $db->commit;
}

sub peer_counter {
    my ($db, $driver) = @_;
    $db->do('CREATE TABLE products_counter (n BIGINT NOT NULL)');
    $db->do('INSERT INTO products_counter SELECT COUNT(*) FROM products');
    $db->do($_) for @{ $PEER_COUNTER{$driver} };
}

sub peer_file {
    my ($dir, $count) = @_;
    my $file = "$dir/peers-$count.db";
    return $file if -e $file;
    unlink glob "$file.new*";
    my $db = DBI->connect("dbi:SQLite:dbname=$file.new", '', '', { RaiseError => 1, PrintError => 0 });
    $db->do('PRAGMA journal_mode=WAL');
    peer_tables($db, 'sqlite3', $count);
    $db->disconnect;
    settle_file("$file.new");
    rename "$file.new", $file or die "$file: $!\n";
    return $file;
}

# Changes a name and restores it: SQLite does not write a row that stays the same.
sub write_once {
    my ($file) = @_;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0, AutoCommit => 0 });
    my ($name) = $db->selectrow_array('SELECT name FROM products WHERE id = ?', undef, id(0));
    $db->do('UPDATE products SET name = ? WHERE id = ?', undef, $_, id(0)) for "$name.", $name;
    $db->commit;
    die "$file: nothing was written\n" unless -s "$file-wal";
    $db->disconnect;
}

# Moves the write-ahead log into the file.
sub settle_file {
    my ($file) = @_;
    my $db = DBI->connect("dbi:SQLite:dbname=$file", '', '', { RaiseError => 1, PrintError => 0 });
    $db->selectall_arrayref('PRAGMA wal_checkpoint(TRUNCATE)');
    $db->disconnect;
}

1;
