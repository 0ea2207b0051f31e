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
 * The number that the user typed, with a point or a comma before the decimals, or NaN. A comma before exactly three
 * digits is NaN, because it may separate thousands.
 */
export function parseNumber(text) {
    const isNumber = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text);
    const number = isNumber && !/,\d{3}$/.test(text) ? Number(text.replace(',', '.')) : NaN;
    return Number.isFinite(number) ? number : NaN;
}

/* In this order, because a User-Agent may also name browsers, or systems, further down. */
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

/* The common name of a User-Agent's browser and system; an unknown User-Agent unchanged. */
export function formatAgent(agent) {
    const find = names => names.find(([mark]) => agent.includes(mark))?.[1];
    const browser = find(BROWSERS);
    const system = find(SYSTEMS);
    return browser ? browser + (system ? ` on ${system}` : '') : agent || 'An unnamed program';
}
