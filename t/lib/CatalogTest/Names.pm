# SPDX-License-Identifier: Apache-2.0
package CatalogTest::Names;

# Products with invented brands and names like those in published lists, the same products on each call.

use strict;
use warnings FATAL => 'all';
use utf8;

use Exporter 'import';

our @EXPORT_OK = qw(products);

my $state;

# A pseudorandom generator that is the same on every machine.
sub draw { my ($most) = @_; $state = ($state * 1_103_515_245 + 12_345) % 2**31; return int($state / 65_536) % $most }
sub pick { return $_[draw(scalar @_)] }

my @BRANDS = qw(Norvik Tessaro Hellmar Kyorin Aldente Bexley Orbis Ferroluz Quandt Sandvor Mirelle Toklo Wexa Ypsal Zenner Löwenberg Østlund Bråten Żubr Çınar Ñandu);
my @COLORS = qw(black white red blue green grey silver natural anthracite olive);
my @FARBEN = qw(schwarz weiß rot blau grün grau silber natur anthrazit oliv);

sub model { return join '', map { pick(@$_) } [qw(A B C D E F G H K L N P Q R S T V X Z)], [qw(1 2 3 4 5 6 7 8 9)], [0 .. 9], [0 .. 9], [0 .. 9], ['', '', qw(B D N W DN DW X Pro)] }

# Each function returns a name and a category.
my @KINDS = (
    sub { (join(' ', pick(@BRANDS), pick('Laser Printer', 'Inkjet Printer', 'Label Printer', 'Scanner'), model()), 'Printers') },
    sub { (join(' ', pick(@BRANDS), pick('Wi-Fi', 'WiFi', 'Wi-Fi 6', 'Wireless'), pick(qw(Router Repeater Adapter Camera)), model()), 'Network') },
    sub { (join(' ', pick(@BRANDS), pick('USB-C', 'USB 3.0', 'HDMI', 'DisplayPort', 'Ethernet'), pick(qw(Cable Hub Dock Adapter)) . ',', pick(0.5, 1, 2, 3, 5), 'm,', pick(@COLORS)), 'Cables') },
    sub { (join(' ', pick(@BRANDS), pick('Monitor', 'Gaming Monitor', 'Television'), pick(22, 24, 27, 32, 43, 55) . '"', pick('Full HD', '4K', 'WQHD'), model()), 'Screens') },
    sub { (join(' ', pick(qw(Kleider Schuh Bücher Geschirr Wäsche Wohn Küchen)) . pick(qw(schrank regal kommode vitrine)) . ',', pick(60, 80, 100, 120), 'x', pick(120, 180, 200), 'cm,', pick(qw(Buche Eiche Kiefer Nussbaum)) . ',', pick(@FARBEN)), 'Möbel') },
    sub { (join(' ', pick(qw(Schreib Ess Couch Garten Kinder)) . pick(qw(tisch stuhl)), pick(qw(Oslo Bergen Malmö Turku Riga)) . ',', pick(@FARBEN)), 'Möbel') },
    sub { (join(' ', pick(@BRANDS), pick('Cotton Shirt', 'Polo Shirt', 'Hoodie', 'Sweatshirt', 'Rain Jacket', 'Fleece Jacket', 'Trousers'), pick(@COLORS) . ',', pick(qw(S M L XL XXL))), 'Clothing') },
    sub { (join(' ', pick(qw(Organic Fine Classic Strong Mild)), pick(qw(Coffee Espresso Cocoa Honey Jam Pasta Rice Oats)) . ',', pick(100, 250, 500, 750, 1000), 'g'), 'Food') },
    sub { (join(' ', pick(@BRANDS), pick('Cordless Drill', 'Angle Grinder', 'Jigsaw', 'Impact Driver', 'Heat Gun', 'Belt Sander'), pick(12, 18, 36), 'V', model()), 'Tools') },
    sub { (join(' ', pick(qw(Stainless Enamel Copper Glass Ceramic)), pick(qw(Pan Pot Bowl Jar Jug Dish Tray Kettle)) . ',', pick(14 .. 36), 'cm,', pick(@COLORS)), 'Kitchen') },
    sub { (join('', pick(qw(ステンレス 木製 陶器 折りたたみ 北欧風)), pick(qw(テーブル 椅子 本棚 弁当箱 水筒 茶碗 湯呑み 急須)), ' ', pick(qw(大 中 小)), ' ', pick(@BRANDS)), '家庭用品') },
    sub { (join(' ', pick(qw(Lampa Półka Krzesło Łóżko Świeca Stół)), pick(qw(drewniana dębowa biała czarna składana)), pick(40, 60, 90, 120, 160), 'cm'), 'Dom') },
    sub { (join(' ', pick(qw(Skål Fløyte Bærbar Tønne Lærred Håndklæde Smørkniv)), pick(qw(rød grøn blå hvid sort)), pick(1 .. 9), 'dl'), 'Hjem') },
    sub { (join(' ', pick(qw(Crème Sérum Huile Savon Brosse Élixir)), pick('visage', 'corps', 'cheveux', 'à la rose', "à l'huile d'olive"), pick(30, 50, 100, 200, 400), 'ml'), 'Beauté') },
    sub { (join(' ', pick('Ball Pen', 'Marker', 'Stapler', 'Ring Binder', 'Desk Tray', 'Paper A4', 'Envelope C5'), 'pack of', pick(5, 10, 12, 25, 50) . ',', pick(@COLORS)), 'Office') },
);

# Returns `count` products: those of the file, which has a name and a category per line, mixed with random ones.
sub products {
    my ($file, $count) = @_;
    $state = 4711;
    open my $lines, '<:encoding(UTF-8)', $file or die "$file: $!\n";
    my @given = map { [/^([^\t]+)\t([^\t]+)$/] } grep { !/^#/ } map { chomp; $_ } <$lines>;
    my %seen;
    while (@given < $count) {
        my @product = pick(@KINDS)->();
        splice @given, draw(@given + 1), 0, \@product if !$seen{ $product[0] }++;
    }
    return map { { name => $_->[0], category => $_->[1] } } @given;
}

1;
