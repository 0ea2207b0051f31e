# SPDX-License-Identifier: Apache-2.0
package Policy;

# An AppArmor profile as apparmor_parser compiles it, asked as the kernel asks it: by a walk through the tables of its state machines.
# No rule is interpreted here. The binary policy and its tables are described in the kernel's security/apparmor/policy_unpack.c,
# match.c and policy_compat.c.

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use File::Temp ();

our @EXPORT_OK = qw(R W A X L K M);

use constant { X => 0x01, W => 0x02, R => 0x04, A => 0x08, L => 0x10, K => 0x20, M => 0x40 };
use constant { CLASS_SIGNAL => 10, CLASS_NET => 14 };
use constant { START => 1, ENCODED_AS_DIFFERENCE => 0x80000000, BASE_INDEX => 0xffffff };

my $ABI = '/etc/apparmor.d/abi/3.0';

# For a kernel that knows what this ABI has. Kernels before 6.17, other than Ubuntu's, mediate Unix sockets by family only; the parser
# turns unix rules into network rules for them.
sub compile {
    my ($class, $file) = @_;
    my $features = File::Temp->new;
    print {$features} slurp($ABI) =~ s/af_unix \{yes\n\}\n//r;
    close $features or die "$features: $!\n";
    local $ENV{PATH} = "$ENV{PATH}:/sbin:/usr/sbin";
    open my $parser, '-|', qw(apparmor_parser --skip-kernel-load --skip-cache --quiet --stdout --features-file), "$features", $file
        or die "apparmor_parser: $!\n";
    binmode $parser;
    my $binary = do { local $/; <$parser> };
    close $parser or die "apparmor_parser: $file\n";
    return $class->unpack($binary);
}

sub slurp {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    return <$in>;
}

# The policy is a sequence of items, each with a type and some with a name before them. What is needed has a fixed place among them.
sub unpack {
    my ($class, $binary) = @_;
    my @items = items($binary);
    my %at = map { $items[$_]{name} => $_ } grep { defined $items[$_]{name} && $items[$_]{name} ne 'aadfa' } 0 .. $#items;
    defined $at{$_} or die "the policy has no $_\n" for qw(profile flags caps64 policydb);
    my ($low) = grep { $items[$_]{type} eq 'structend' } $at{flags} .. $#items;
    my @machines = grep { ($items[$_]{name} // '') eq 'aadfa' && $_ > $at{policydb} } 0 .. $#items;
    @machines == 2 or die "the policy has not two state machines\n";
    $low += 1 + ($items[ $low + 1 ]{name} // '' eq 'path_flags' ? 1 : 0);
    my ($rules, $files) = map { machine($binary, $items[$_]) } @machines;
    return bless {
        name => $items[ $at{profile} + 1 ]{value},
        capabilities => $items[$low]{value} | $items[ $at{caps64} + 1 ]{value} << 32,
        rules => $rules,
        files => $files,
    }, $class;
}

sub items {
    my ($binary) = @_;
    my %struct = (7 => 'struct', 8 => 'structend', 9 => 'list', 10 => 'listend', 12 => 'arrayend');
    my ($at, $name, @items) = (0);
    my $take = sub { my ($form, $size) = @_; $at += $size; return CORE::unpack($form, substr $binary, $at - $size, $size) };
    while ($at < length $binary) {
        my $type = $take->('C', 1);
        if ($type == 4) {
            $name = $take->('Z*', $take->('v', 2));
            next;
        }
        my %item = (name => $name);
        if    ($type <= 3) { @item{qw(type value)} = ('number', $take->(qw(C v V Q<)[$type], 1 << $type)) }
        elsif ($type == 5) { @item{qw(type value)} = ('string', $take->('Z*', $take->('v', 2))) }
        elsif ($type == 6) { @item{qw(type size at)} = ('blob', $take->('V', 4), $at); $at += $item{size} }
        elsif ($type == 11) { @item{qw(type value)} = ('array', $take->('v', 2)) }
        else { $item{type} = $struct{$type} or die "the policy has an item of type $type\n" }
        push @items, \%item;
        undef $name;
    }
    return @items;
}

# The tables of a state machine, by their numbers. They are big-endian and aligned to 8 octets within the policy.
sub machine {
    my ($binary, $item) = @_;
    my $align = sub { ($_[0] + 7) & ~7 };
    my $begin = $align->($item->{at});
    my ($magic, $header, $size) = CORE::unpack 'N3', substr $binary, $begin, 12;
    $magic == 0x1B5E783D or die "no state machine at $begin\n";
    my ($at, $end, %table) = ($begin + $header, $begin + $size);
    while ($at < $end) {
        my ($id, $width, $high, $count) = CORE::unpack 'n2N2', substr $binary, $at, 12;
        my $length = $width * $count;
        $table{$id} = [CORE::unpack((undef, 'C*', 'n*', undef, 'N*')[$width], substr $binary, $at + 12, $length)];
        $at = $begin + $align->($at - $begin + 12 + $length);
    }
    my %machine;
    @machine{qw(accept base check default classes next)} = @table{ 1, 2, 3, 4, 5, 8 };
    return \%machine;
}

# The state after these octets, as match_char of the kernel's match.c.
sub walk {
    my ($machine, $state, $octets) = @_;
    my ($base, $check, $default, $next, $classes) = @$machine{qw(base check default next classes)};
    for my $octet (CORE::unpack 'C*', $octets) {
        my $column = $classes ? $classes->[$octet] : $octet;
        while (1) {
            my $row = $base->[$state];
            my $place = ($row & BASE_INDEX) + $column;
            if (($check->[$place] // -1) == $state) { $state = $next->[$place]; last }
            $state = $default->[$state];
            last if !($row & ENCODED_AS_DIFFERENCE);
        }
    }
    return $state;
}

# What the profile permits of a file: bits of R, W and so on. Whoever owns the file has rights of their own.
sub file {
    my ($self, $path, $is_owner) = @_;
    my $accept = $self->{files}{accept}[walk($self->{files}, START, $path)];
    return ($is_owner ? $accept : $accept >> 14) & 0x7f;
}

sub capability { return $_[0]{capabilities} >> $_[1] & 1 }

sub rule {
    my ($self, $class, $octets) = @_;
    return $self->{rules}{accept}[walk($self->{rules}, START, chr($class) . $octets)] & 0x7f;
}

# Sockets of a family and a type, by their numbers.
sub socket { return $_[0]->rule(CLASS_NET, pack 'n2', @_[1, 2]) }

# A signal to a process with the same profile.
sub signal { return $_[0]->rule(CLASS_SIGNAL, chr($_[1] || 35) . $_[0]{name}) }

1;
