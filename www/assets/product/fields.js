/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a product: how their values are typed, checked, shown and compared. The built-in ones are in the table below; learnFields()
 * adds those of the shop's own, which the server lists.
 */
import * as config from '../../own/config.js';
import { read } from '../lib/api.js';
import { rules } from '../lib/form.js';
import { formatDate, formatDuration, formatNumber, formatPrice, formatRating, formatTime, isDuration, parseNumber, t } from '../lib/text.js';

const MOST_LINES = 32; /* texts of a list */
const MOST_IN_LINE = 100; /* characters of such a text */

/* ---- rules ---- */

/* What the browser has of a date that is typed in part is an empty text. */
const missing = input => (input.validity.badInput ? t('fault.unfinished') : input.required ? t('fault.given') : '');

/* fault(value) says what is wrong with a value that is there. */
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

/* A text that parseNumber() reads as the number; in some languages it takes three decimals for thousands, but not four. */
function typeNumber(value) {
    const text = String(value ?? '');
    return text !== '' && Number.isNaN(parseNumber(text)) ? `${text}0` : text;
}

/* The time as a browser's control has it: of the user's zone, without seconds if there are none. */
function typeTime(value) {
    const time = new Date(value);
    return new Date(time - time.getTimezoneOffset() * 60_000).toISOString().replace(/(:00)?\.000Z$|Z$/, '');
}

/* For a value that is there; one that is not there is an empty text, and null. */
const typed = type => value => (value === undefined || value === null ? '' : type(value));
const present = get => text => (text === '' ? null : get(text));

const plainText = { type: typed(text => text.replace(/\r\n?/g, '\n')), read: present(asText), show: asText };
const number = row => ({ check: numberRule(row), type: typeNumber, read: present(parseNumber), show: typed(formatNumber), look: 'number' });

/* A product to which nobody has given the field lacks it. Where a field cannot be cleared, that looks like false. */
function boolean({ required, default: usual }) {
    const texts = { true: t('field.yes'), false: t('field.no') };
    const show = typed(value => texts[value]);
    return required || typeof usual === 'boolean'
        ? { control: 'switch', type: Boolean, read: Boolean, show }
        : { check: anything, control: 'select', options: Object.entries(texts), type: typed(String), read: present(text => text === 'true'), show };
}

/*
 * THE TYPES, of a field's row. control: 'input', if there is none, 'area' for a text of several lines, 'select', which has options [value,
 * text], 'switch', or 'chips' for a text with one value in each line; input: attributes of the control; about: how the value is typed. check: the rule for what is typed. type(value) makes
 * the text that users edit, of a switch true or false; read(text) the value of what they typed, null if there is none; show(value) a text to
 * look at. look: the class of a cell of a table.
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

/* row: of GET /fields. own: what the field has otherwise than its type. */
function makeField(row, own = {}) {
    return {
        kind: row.type,
        label: row.label || row.name,
        hint: row.help || undefined,
        isRequired: row.required || false,
        isReadOnly: row.readOnly || false,
        isPrivate: row.private || false, /* only writers see it */
        isDetail: row.detail || false, /* lists lack it */
        isIndexed: row.index || false,
        isUnique: row.unique || false,
        isFacet: row.facet || false, /* its values are counted */
        isSorted: (row.index && row.type !== 'strings') || false, /* lists can have its order */
        usual: row.default ?? undefined, /* what a new product has */
        ...TYPES[row.type](row),
        ...own,
    };
}

/*
 * THE FIELDS, by name: those that users write and, of the shop's own, those that the server sets. Its others, id and createdAt, are each
 * shown in a way of their own.
 */
export const FIELDS = {
    __proto__: null, /* an own field may be named as something that all objects have */
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
 * The parts of a form, { key of its title, names }, without those that have none of the names: what every product has and what config.js names, the
 * shop's own, and what customers do not see.
 */
export function sectionsOf(names) {
    const first = [...builtIn, ...(config.FIELDS ?? [])];
    const keyOf = name => (first.includes(name) ? 'section.basics' : FIELDS[name].isPrivate ? 'section.internal' : 'section.details');
    const parts = ['section.basics', 'section.details', 'section.internal'].map(key => ({ key, names: names.filter(name => keyOf(name) === key) }));
    return parts.filter(part => part.names.length > 0);
}

/* The fields that config.js names come first, in its order. */
function orderFields() {
    const first = (config.FIELDS ?? []).filter(name => name in FIELDS);
    const rest = Object.keys(FIELDS).filter(name => !first.includes(name));
    for (const name of [...first, ...rest]) {
        const field = FIELDS[name];
        delete FIELDS[name];
        FIELDS[name] = field;
    }
}

/* Adds the shop's own fields, once a page. The server tells writers of those that only they see. */
export async function learnFields() {
    const { data } = await read('/fields');
    const isOwn = ({ name }) => !builtIn.includes(name) && !OTHERS.includes(name);
    data.filter(isOwn).forEach(row => (FIELDS[row.name] = makeField(row)));
    orderFields();
}

export const ownNames = () => Object.keys(FIELDS).filter(name => !builtIn.includes(name));
export const writableNames = () => Object.keys(FIELDS).filter(name => !FIELDS[name].isReadOnly);

/* The value of the product's field; an own field may be named as something that all objects have. */
export const valueIn = (product, name) => (Object.hasOwn(product, name) ? product[name] : undefined);

/* What the product has of these, null for what it lacks. */
export const valuesOf = (product, names) => Object.fromEntries(names.map(name => [name, valueIn(product, name) ?? null]));

/* ---- what is typed ---- */

/* The texts of a product, or of what a new one begins with, for a form with these fields. */
export function typedOf(product, names) {
    return Object.fromEntries(names.map(name => [name, FIELDS[name].type(product ? valueIn(product, name) : FIELDS[name].usual)]));
}

const trim = text => (typeof text === 'string' ? text.trim() : text);

/*
 * What a form has, { name: text }, as values of a product; null: the product is to lack that. What is typed as base has it stays as it is
 * there, although not every value can be typed, such as one with a blank at its end.
 */
export function readTyped(typed, base) {
    const readOne = (name, text) => {
        const { type, read: readText } = FIELDS[name];
        const value = base ? valueIn(base, name) : undefined;
        return base && trim(type(value)) === trim(text) ? value : readText(text);
    };
    return Object.fromEntries(writableNames().filter(name => Object.hasOwn(typed, name)).map(name => [name, readOne(name, typed[name])]));
}

/* ---- two products ---- */

/* Products of lists lack some fields; one that was read alone has null where it has no value (store.js). */
const isKnown = (name, product) => !FIELDS[name].isDetail || valueIn(product, name) !== undefined;

const textOf = (name, product) => JSON.stringify(valueIn(product, name) ?? null);

/* Do both have the same value, as far as both are known? */
const isAlike = (name, one, other) => !isKnown(name, one) || !isKnown(name, other) || textOf(name, one) === textOf(name, other);

/* The members of wanted, a product or some of its values, that product has otherwise. */
export function differences(wanted, product) {
    const isOther = name => Object.hasOwn(wanted, name) && !isAlike(name, wanted, product);
    return Object.fromEntries(writableNames().filter(isOther).map(name => [name, wanted[name] ?? null]));
}

/* Do both have the same values in all fields? */
export function isSame(one, other) {
    return writableNames().every(name => isAlike(name, one, other));
}

/* The product as it was read alone. */
export function complete(product) {
    const details = ownNames().filter(name => FIELDS[name].isDetail);
    return { ...Object.fromEntries(details.map(name => [name, null])), ...product };
}

export const hasDetails = () => ownNames().some(name => FIELDS[name].isDetail);
