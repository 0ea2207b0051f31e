/* SPDX-License-Identifier: Apache-2.0 */

const price = new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 20 });
const hugePrice = new Intl.NumberFormat(undefined, { notation: 'scientific', maximumFractionDigits: 15 });
const rating = new Intl.NumberFormat(undefined, { minimumFractionDigits: 1, maximumFractionDigits: 20 });
const whole = new Intl.NumberFormat();
const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const formatPrice = value => (value < 1e15 ? price : hugePrice).format(value);
export const formatRating = value => rating.format(value);
export const formatCount = value => whole.format(value);
export const formatTime = text => time.format(new Date(text));

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
