/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of prices and other numbers, in decimals. A number stands for the shortest text that reads as it: 19.9 for 19.90, though the computer keeps
 * 19.89999999999999857891. Calculated with that text, 5 % more is 20.895, and rounded 20.90; makes no elements.
 */

/* { digits, scale }: the number is digits / 10 ** scale. */
function readDecimal(number) {
    const [, sign, whole, part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number));
    const digits = BigInt(sign + whole + part);
    const scale = part.length - Number(power);
    return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/* The digits for that scale, which is not smaller. */
const rescale = ({ digits, scale }, next) => digits * 10n ** BigInt(next - scale);

/* As in commerce: a half is rounded away from zero. A division of BigInts drops the rest. */
function round({ digits, scale }, next) {
    if (scale <= next) {
        return { digits, scale };
    }
    const unit = 10n ** BigInt(scale - next);
    return { digits: (digits + (digits < 0n ? -unit : unit) / 2n) / unit, scale: next };
}

function add(price, by) {
    const scale = Math.max(price.scale, by.scale);
    return { digits: rescale(price, scale) + rescale(by, scale), scale };
}

function addPercent(number, by) {
    const factor = add({ digits: 100n, scale: 0 }, by);
    return { digits: number.digits * factor.digits, scale: number.scale + factor.scale + 2 };
}

const toNumber = ({ digits, scale }) => Number(`${digits}e-${scale}`);

/* The number, changed by an amount or, to so many decimal places, by per cent of itself; Infinity: it is more than a number can hold. */
export function changeNumber(number, by, isPercent, places) {
    const before = readDecimal(number);
    return toNumber(isPercent ? round(addPercent(before, readDecimal(by)), places) : add(before, readDecimal(by)));
}

/* The same of a price: in whole cents, unless it is finer. */
export function changePrice(price, by, isPercent) {
    return changeNumber(price, by, isPercent, Math.max(2, readDecimal(price).scale));
}
