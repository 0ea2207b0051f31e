/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact decimal changes of prices and other numbers. A number means the shortest text that reads as it, so 19.9 is
 * exactly 19.9, although the computer stores 19.89999999999999857891. 5 % more of 19.9 is then 20.895, rounded 20.90.
 * Creates no elements.
 */

/* Returns { digits, scale }: the number is digits / 10 ** scale. */
function readDecimal(number) {
    const [, sign, whole, part = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number));
    const digits = BigInt(sign + whole + part);
    const scale = part.length - Number(power);
    return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale };
}

/* Returns the digits for the scale `next`, which must not be smaller. */
const rescale = ({ digits, scale }, next) => digits * 10n ** BigInt(next - scale);

/* Rounds half away from zero, as in commerce. A division of BigInts drops the remainder. */
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

/* Adds an amount, or a percentage rounded to `places` decimal places. Returns Infinity if the result is too large for a
 * number. */
export function changeNumber(number, by, isPercent, places) {
    const before = readDecimal(number);
    return toNumber(isPercent ? round(addPercent(before, readDecimal(by)), places) : add(before, readDecimal(by)));
}

/* Changes a price. Rounds to whole cents, or to the decimal places that the price already has. */
export function changePrice(price, by, isPercent) {
    return changeNumber(price, by, isPercent, Math.max(2, readDecimal(price).scale));
}
