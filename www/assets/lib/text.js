/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the page: its texts, and its formats for numbers, prices and times. */
import * as config from '../../own/config.js';
import { recall, remember } from './dom.js';

export const LANGUAGES = { en: 'English', de: 'Deutsch' };

const KEPT = 'language';
const baseOf = tag => tag.split('-')[0].toLowerCase();

/* The language that the user has chosen, or else the first language of the browser for which there are texts. */
export const language =
    [recall('localStorage', KEPT) ?? '', ...navigator.languages].map(baseOf).find(base => base in LANGUAGES) ?? 'en';

/* The browser's variant of the language, because en-GB and en-US have different dates. */
const locale = navigator.languages.find(tag => baseOf(tag) === language) ?? language;

/* Pages with desk.css, for users who work with the catalogue, have further texts. */
const isDesk = document.querySelector('link[href$="/desk.css"]') !== null;
const parts = await Promise.all((isDesk ? ['', 'desk/'] : ['']).map(part => import(`../texts/${part}${language}.js`)));
const usual = Object.assign({}, ...parts.map(part => part.default));

/* Returns a text of config.js, which is one text or has one for each language: { en, de }. */
export const inLanguage = said => (typeof said === 'object' ? (said[language] ?? said.en ?? Object.values(said)[0]) : said);

/* The texts. config.js may replace any of them. */
const own = config.TEXTS?.[language] ?? {};
const texts = { ...usual, ...own, ...(config.BRAND && { brand: inLanguage(config.BRAND) }) };
const groups = new Set(Object.keys(usual).map(key => key.split('.')[0]));
const unknown = Object.keys(own).filter(key => !(key in usual) && (isDesk || groups.has(key.split('.')[0])));
if (unknown.length > 0) {
    console.warn(`config.js: TEXTS has ${unknown.join(', ')}, which no page uses`);
}

/* Returns a function that creates the format on its first call. On a slow processor the first format takes 70 ms, each
 * further one ten. */
function once(make) {
    let made;
    return () => (made ??= make());
}

const numbers = options => once(() => new Intl.NumberFormat(locale, options));
const times = options => once(() => new Intl.DateTimeFormat(locale, options));
const plurals = once(() => new Intl.PluralRules(locale));
const whole = numbers({});

document.documentElement.lang = language;

export function chooseLanguage(chosen) {
    remember('localStorage', KEPT, chosen);
}

/* Returns true if the text exists, for keys that contain values from the server. */
export function hasText(key) {
    return key in texts;
}

/* Returns a text, in the plural form for values.n if it has forms. */
function find(key, { n }) {
    const text = texts[key];
    return typeof text === 'object' ? (text[plurals().select(n)] ?? text.other) : text;
}

/* Returns the text in pieces: texts, and values instead of {name}. Numbers are formatted. */
export function pieces(key, values = {}) {
    return find(key, values)
        .split(/\{(\w+)\}/)
        .map((piece, i) => (i % 2 === 0 ? piece : values[piece]))
        .map(piece => (typeof piece === 'number' ? whole().format(piece) : piece))
        .filter(piece => piece !== '');
}

export function t(key, values) {
    return pieces(key, values).join('');
}

/* Sets the texts of elements with data-t="key", of aria-label with data-t-label, and so on. */
export function translate(root = document) {
    for (const element of root.querySelectorAll('[data-t]')) {
        const text = t(element.dataset.t);
        if (element.textContent !== text) {
            element.textContent = text; /* an equal text would cause a layout as well */
        }
    }
    for (const element of root.querySelectorAll('[data-t-label]')) {
        element.setAttribute('aria-label', t(element.dataset.tLabel));
    }
    for (const element of root.querySelectorAll('[data-t-placeholder]')) {
        element.placeholder = t(element.dataset.tPlaceholder);
    }
}

/* ---- numbers and times ---- */

const LONG = { maximumFractionDigits: 20 };
const HUGE = { notation: 'scientific', maximumFractionDigits: 15 };
const long = [LONG, HUGE].map(numbers);
const rating = numbers({ minimumFractionDigits: 1, ...LONG });
const time = times({ dateStyle: 'medium', timeStyle: 'short' });
const day = times({ dateStyle: 'medium', timeZone: 'UTC' });
const clock = times({ timeStyle: 'short' });
const percent = numbers({ style: 'percent', maximumFractionDigits: 1 });
let prices; /* formats for usual and for huge prices */
let known;

/* Sets the currency, three letters of ISO 4217. null means that prices are plain numbers with two decimals. */
export function setCurrency(currency) {
    if (currency !== known) {
        const style = currency ? { style: 'currency', currency } : { minimumFractionDigits: 2 };
        known = currency;
        prices = [LONG, HUGE].map(digits => numbers({ ...style, ...digits }));
    }
}
setCurrency(null);

export const currency = () => known;
const formatIn = (formats, value) => formats[Math.abs(value) < 1e15 ? 0 : 1]().format(value); /* scientific notation
                                                                                               * for huge numbers,
                                                                                               * whose digits mean
                                                                                               * little */
export const formatPrice = value => formatIn(prices, value);
export const formatNumber = value => formatIn(long, value);
export const formatRating = value => rating().format(value);
export const formatWhole = value => whole().format(value);
export const hasDecimalComma = () => rating().format(0.5).includes(',');
export const formatTime = text => time().format(new Date(text));
export const formatDate = text => day().format(new Date(text)); /* formats a day, such as 2026-11-21 */
const DURATION = /^P(?:(\d+)W|(?=.)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$/;
const units = ['week', 'day', 'hour', 'minute', 'second'].map(unit => numbers({ style: 'unit', unit, unitDisplay: 'short' }));
export const isDuration = text => DURATION.test(text);

/* Formats a duration, such as PT1H30M, without parts that are 0. */
export function formatDuration(text) {
    const parts = (DURATION.exec(text) ?? []).slice(1).map((number, place) => Number(number ?? 0) && units[place]().format(number));
    return parts.filter(Boolean).join(' ') || text;
}

export const formatClock = ms => clock().format(ms); /* formats the time of day */
export const formatPercent = value => percent().format(value); /* 1 is 100 % */

/*
 * Reads a number that the user typed, with a point or comma before the decimals. Returns NaN if it is not a number. A
 * comma before exactly three digits, or a point in a language that groups digits with points, also yields NaN, because
 * it may separate thousands.
 */
export function parseNumber(text) {
    const isNumber = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(text);
    const separator = whole().format(1111).includes('.') ? /[.,]\d{3}$/ : /,\d{3}$/;
    const number = isNumber && !separator.test(text) ? Number(text.replace(',', '.')) : NaN;
    return Number.isFinite(number) ? number : NaN;
}

/* The order matters, because a User-Agent may also name other browsers or systems. */
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

/* Returns the common names of the browser and system of a User-Agent. Returns an unknown User-Agent unchanged. */
export function formatAgent(agent) {
    const find = names => names.find(([mark]) => agent.includes(mark))?.[1];
    const browser = find(BROWSERS);
    const system = find(SYSTEMS);
    if (!browser) {
        return agent || t('agent.unnamed');
    }
    return system ? t('agent.on', { browser, system }) : browser;
}
