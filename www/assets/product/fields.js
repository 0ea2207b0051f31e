/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a product: how their values are typed, checked, shown and compared. The table below has the built-in
 * fields. learnFields() adds the fields from CatalogField, which the server lists.
 */
import * as config from '../../own/config.js';
import { read } from '../lib/api.js';
import { rules } from '../lib/form.js';
import { formatDate, formatDuration, formatNumber, formatPrice, formatRating, formatTime, isDuration, parseNumber, t } from '../lib/text.js';

const MOST_LINES = 32; /* texts in a list */
const MOST_IN_LINE = 100; /* characters of such a text */

/* ---- rules ---- */

/* A date that is typed in part is an empty text in the browser. */
const missing = input => (input.validity.badInput ? t('fault.unfinished') : input.required ? t('fault.given') : '');

/* fault(value) returns what is wrong with a value that is not empty. */
const rule = fault => (value, values, input) => (value === '' ? missing(input) : fault(value));
const anything = rule(() => '');

function numberRule({ min, max, type }) {
    return rule(value => {
        const number = parseNumber(value);
        if (Number.isNaN(number)) {
            return t('fault.number');
        }
        if (type === 'integer' && !Number.isInteger(number)) {
            return t('fault.whole');
        }
        const isWithin = number >= (min ?? -Infinity) && number <= (max ?? Infinity);
        const key = (max ?? null) === null ? 'fault.least' : (min ?? null) === null ? 'fault.most' : 'fault.between';
        return isWithin ? '' : t(key, { least: min, most: max });
    });
}

function textRule({ min, max }) {
    return rule(value => (min && rules.atLeast(min)(value)) || (max ? rules.atMost(max)(value) : ''));
}

const isAddress = text => URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol);

function urlRule(row) {
    const ofText = textRule(row);
    return (value, ...more) => ofText(value, ...more) || (value === '' || isAddress(value) ? '' : t('fault.url'));
}

const linesOf = text => [...new Set(text.split('\n').map(line => line.trim()).filter(line => line !== ''))];

const linesRule = rule(value => {
    const lines = linesOf(value);
    return lines.length > MOST_LINES ? t('fault.lines', { n: MOST_LINES }) : (lines.map(rules.atMost(MOST_IN_LINE)).find(Boolean) ?? '');
});

const jsonRule = rule(value => {
    try {
        JSON.parse(value);
        return '';
    } catch {
        return t('fault.json');
    }
});

/* ---- types ---- */

const PROSE = { class: 'form-control prose' };
const asText = value => value ?? '';

/* Returns a text that parseNumber() reads as the number. In some languages parseNumber() takes three decimals for
 * thousands, but not four. */
function typeNumber(value) {
    const text = String(value ?? '');
    return text !== '' && Number.isNaN(parseNumber(text)) ? `${text}0` : text;
}

/* Returns the time as the browser's control has it: in the user's time zone, without seconds if they are 0. */
function typeTime(value) {
    const time = new Date(value);
    return new Date(time - time.getTimezoneOffset() * 60_000).toISOString().replace(/(:00)?\.000Z$|Z$/, '');
}

/* typed() converts missing values to an empty text, present() an empty text to null. */
const typed = type => value => (value === undefined || value === null ? '' : type(value));
const present = get => text => (text === '' ? null : get(text));

const plainText = { type: typed(text => text.replace(/\r\n?/g, '\n')), read: present(asText), show: asText };
const number = row => ({ check: numberRule(row), type: typeNumber, read: present(parseNumber), show: typed(formatNumber), look: 'number' });

/* A product lacks the field until a user has set it. If the field cannot be cleared, a missing value is shown as
 * false. */
function boolean({ required, default: usual }) {
    const texts = { true: t('field.yes'), false: t('field.no') };
    const show = typed(value => texts[value]);
    return required || typeof usual === 'boolean'
        ? { control: 'switch', type: Boolean, read: Boolean, show }
        : { check: anything, control: 'select', options: Object.entries(texts), type: typed(String), read: present(text => text === 'true'), show };
}

/*
 * The types, as functions of the field's row:
 *
 *     control   'input' by default, 'area' for several lines, 'select' with options [value, text], 'switch', or
 *               'chips' for one value per line
 *     input     attributes of the control
 *     about     how to type the value
 *     check     rule for the typed text
 *     type      value to editable text (true or false for a switch)
 *     read      typed text to value, or null if there is none
 *     show      value to displayed text
 *     look      class of a table cell
 */
const TYPES = {
    string: row => ({ check: textRule(row), ...plainText }),
    text: row => ({ check: textRule(row), ...plainText, control: 'area', input: PROSE }),
    url: row => ({ check: urlRule(row), ...plainText, input: { inputmode: 'url', spellcheck: 'false' } }),
    number: row => ({ ...number(row), input: { inputmode: 'decimal' } }),
    integer: row => ({ ...number(row), input: { inputmode: 'numeric' } }),
    boolean,
    choice: ({ values }) => ({ check: anything, ...plainText, control: 'select', options: values.map(value => [value, value]) }),
    date: () => ({ check: anything, ...plainText, show: typed(formatDate), input: { type: 'date' } }),
    duration: () => ({
        check: rule(value => (isDuration(value.trim()) ? '' : t('fault.duration'))),
        ...plainText,
        show: typed(formatDuration),
        input: { spellcheck: 'false', placeholder: 'PT1H30M' },
    }),
    time: () => ({
        check: anything,
        type: typed(typeTime),
        read: present(text => new Date(text).toISOString()),
        show: typed(formatTime),
        input: { type: 'datetime-local', step: 'any' },
    }),
    strings: () => ({
        check: linesRule,
        type: typed(texts => texts.join('\n')),
        read: text => (linesOf(text).length > 0 ? linesOf(text) : null),
        show: typed(texts => texts.join(', ')),
        control: 'chips',
        about: t('field.lines'),
    }),
    json: () => ({
        check: jsonRule,
        type: typed(value => JSON.stringify(value, null, 2)),
        read: present(JSON.parse),
        show: typed(value => JSON.stringify(value)),
        control: 'area',
        input: { spellcheck: 'false' },
    }),
    modified: () => ({ ...plainText, show: typed(formatTime) }),
};

/* ---- the fields ---- */

/* Returns a field. `row` is from GET /fields, `own` has differences from the type. */
function makeField(row, own = {}) {
    return {
        kind: row.type,
        label: row.label || row.name,
        hint: row.help || undefined,
        isRequired: row.required || false,
        isReadOnly: row.readOnly || false,
        isPrivate: row.private || false, /* only users who may write products see the field */
        isDetail: row.detail || false, /* lists omit the field */
        isIndexed: row.index || false,
        isUnique: row.unique || false,
        isFacet: row.facet || false, /* the server counts the field's values */
        isSorted: (row.index && row.type !== 'strings') || false, /* lists can be sorted by the field */
        usual: row.default ?? undefined, /* value of a new product */
        ...TYPES[row.type](row),
        ...own,
    };
}

/*
 * The fields by name: all that users write and, from CatalogField, those that the server sets. Pages show the other
 * built-in fields, id and createdAt, in their own ways.
 */
export const FIELDS = {
    __proto__: null, /* a field from CatalogField may have the name of a property of all objects */
    name: makeField({ type: 'string', label: t('edit.name'), required: true, max: 200 }),
    price: makeField({ type: 'number', label: t('list.price'), required: true, min: 0 }, { show: typed(value => formatPrice(value)) }),
    category: makeField({ type: 'string', label: t('product.category'), help: t('edit.optional'), max: 100 }, { read: asText }),
    rating: makeField({ type: 'number', label: t('list.rating'), help: t('edit.ratingHint'), min: 0, max: 5 }, { show: typed(formatRating) }),
    inStock: makeField(
        { type: 'boolean', label: t('product.inStock'), default: true },
        { show: value => t(value ? 'product.inStock' : 'product.soldOut') },
    ),
};
const OTHERS = ['id', 'createdAt'];
const builtIn = Object.keys(FIELDS);

/*
 * Returns the sections of a form, { key of the title, names }, without empty ones: built-in fields together with those
 * that config.js names, other fields from CatalogField, and fields that customers do not see.
 */
export function sectionsOf(names) {
    const first = [...builtIn, ...(config.FIELDS ?? [])];
    const keyOf = name => (first.includes(name) ? 'section.basics' : FIELDS[name].isPrivate ? 'section.internal' : 'section.details');
    const parts = ['section.basics', 'section.details', 'section.internal'].map(key => ({ key, names: names.filter(name => keyOf(name) === key) }));
    return parts.filter(part => part.names.length > 0);
}

/* Puts the fields that config.js names first, in its order. */
function orderFields() {
    const first = (config.FIELDS ?? []).filter(name => name in FIELDS);
    const rest = Object.keys(FIELDS).filter(name => !first.includes(name));
    for (const name of [...first, ...rest]) {
        const field = FIELDS[name];
        delete FIELDS[name];
        FIELDS[name] = field;
    }
}

/* Adds the fields from CatalogField, once per page. The server lists private fields only to users who may write
 * products. */
export async function learnFields() {
    const { data } = await read('/fields');
    const isOwn = ({ name }) => !builtIn.includes(name) && !OTHERS.includes(name);
    data.filter(isOwn).forEach(row => (FIELDS[row.name] = makeField(row)));
    orderFields();
}

export const ownNames = () => Object.keys(FIELDS).filter(name => !builtIn.includes(name));
export const writableNames = () => Object.keys(FIELDS).filter(name => !FIELDS[name].isReadOnly);

/* Returns the product's value of a field. A field from CatalogField may have the name of a property of all objects. */
export const valueIn = (product, name) => (Object.hasOwn(product, name) ? product[name] : undefined);

/* Returns the product's values of these fields, null for missing ones. */
export const valuesOf = (product, names) => Object.fromEntries(names.map(name => [name, valueIn(product, name) ?? null]));

/* ---- input ---- */

/* Returns the texts of a product, or of the defaults of a new one, for a form with these fields. */
export function typedOf(product, names) {
    return Object.fromEntries(names.map(name => [name, FIELDS[name].type(product ? valueIn(product, name) : FIELDS[name].usual)]));
}

const trim = text => (typeof text === 'string' ? text.trim() : text);

/*
 * Converts the input of a form, { name: text }, to values of a product; null means that the product must not have the
 * field. Input equal to the text of base's value keeps that value, because not every value can be typed, such as one
 * with a blank at its end.
 */
export function readTyped(typed, base) {
    const readOne = (name, text) => {
        const { type, read: readText } = FIELDS[name];
        const value = base ? valueIn(base, name) : undefined;
        return base && trim(type(value)) === trim(text) ? value : readText(text);
    };
    return Object.fromEntries(writableNames().filter(name => Object.hasOwn(typed, name)).map(name => [name, readOne(name, typed[name])]));
}

/* ---- comparing products ---- */

/* Products of lists lack some fields. A product that was read alone has null for a missing value (store.js). */
const isKnown = (name, product) => !FIELDS[name].isDetail || valueIn(product, name) !== undefined;

const textOf = (name, product) => JSON.stringify(valueIn(product, name) ?? null);

/* Returns true if both products have the same value, or if one value is not known. */
const isAlike = (name, one, other) => !isKnown(name, one) || !isKnown(name, other) || textOf(name, one) === textOf(name, other);

/* Returns the values of `wanted`, a product or some values, that differ from the product's. */
export function differences(wanted, product) {
    const isOther = name => Object.hasOwn(wanted, name) && !isAlike(name, wanted, product);
    return Object.fromEntries(writableNames().filter(isOther).map(name => [name, wanted[name] ?? null]));
}

/* Returns true if both products have the same values in all fields. */
export function isSame(one, other) {
    return writableNames().every(name => isAlike(name, one, other));
}

/* Returns a product that was read alone with null for missing values. */
export function complete(product) {
    const details = ownNames().filter(name => FIELDS[name].isDetail);
    return { ...Object.fromEntries(details.map(name => [name, null])), ...product };
}

export const hasDetails = () => ownNames().some(name => FIELDS[name].isDetail);
