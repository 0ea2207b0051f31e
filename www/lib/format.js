/* SPDX-License-Identifier: Apache-2.0 */

const price = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
const hugePrice = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumFractionDigits: 15 });
const rating = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 20 });
const whole = new Intl.NumberFormat();
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const formatPrice = value => (value < 1e15 ? price : hugePrice).format(value);
export const formatRating = value => rating.format(value);
export const formatCount = (value, one, many) => `${whole.format(value)} ${value === 1 ? one : many}`;
export const formatWhole = value => whole.format(value);
export const formatTime = text => time.format(new Date(text));

/*
 * The number that a person typed, with a point or a comma before the decimals, or NaN. A comma before three digits is
 * refused, because nobody can tell whether it separates thousands.
 */
export function parseNumber(text) {
    const isNumber = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text);
    const number = isNumber && !/,\d{3}$/.test(text) ? Number(text.replace(',', '.')) : NaN;
    return Number.isFinite(number) ? number : NaN;
}

/* The order matters: each names those above it too. */
const BROWSERS = [
    ['Edg', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
];
const SYSTEMS = [
    ['Android', 'Android'],
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Windows', 'Windows'],
    ['Mac OS X', 'macOS'],
    ['Linux', 'Linux'],
];

/* A User-Agent as people call it, or as it stands where it is none of the well-known. */
export function formatAgent(agent) {
    const find = names => names.find(([mark]) => agent.includes(mark))?.[1];
    const browser = find(BROWSERS);
    const system = find(SYSTEMS);
    return browser ? browser + (system ? ` on ${system}` : '') : agent || 'An unnamed program';
}
