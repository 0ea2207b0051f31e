/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of all selected products: the dialogs for the user, and from them the new values of each product or the
 * request for the server. */
import { field, input, select } from '../lib/controls.js';
import { bdi, el, state } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { parseNumber, t } from '../lib/text.js';
import { control } from '../product/control.js';
import { ask } from '../product/editor.js';
import { differences, FIELDS, readTyped, valueIn, writableNames } from '../product/fields.js';
import { changeNumber, changePrice } from './price.js';

const SHOWN = 3; /* products in the preview */

/* ---- numbers ---- */

function byFault(value) {
    return value === '' ? t('fault.given') : Number.isNaN(parseNumber(value)) ? t('fault.number') : '';
}

function priceCheck(products) {
    return (value, { unit }) => {
        const fault = byFault(value);
        if (fault) {
            return fault;
        }
        const prices = products.map(({ price }) => changePrice(price, parseNumber(value), unit === 'percent'));
        const below = prices.filter(price => price < 0).length;
        const above = prices.filter(price => price === Infinity).length;
        return below > 0 ? t('bulk.below', { n: below }) : above > 0 ? t('bulk.above', { n: above }) : '';
    };
}

/* Returns a preview of the field in the first products. `changesOf` is that of the table of changes. */
function preview(name, products, form, changesOf) {
    const typed = state(null);
    const show = value => FIELDS[name].show(value) || t('compare.nothing');
    form.addEventListener('input', () => (typed.value = { by: form.elements.by.value.trim(), unit: form.elements.unit.value }));
    const line = (product, changes) => el('li', {}, bdi(product.name), `: ${show(valueIn(product, name))} → ${show({ ...product, ...changes }[name])}`);
    const makeLines = () => {
        const isReady = typed.value && !Number.isNaN(parseNumber(typed.value.by));
        return isReady ? products.slice(0, SHOWN).map(product => line(product, changesOf(typed.value)(product))) : [];
    };
    return el('ul', { class: 'preview form-text' }, makeLines);
}

/* ---- the dialogs ---- */

/* `texts` is a hash from each value to the key of its text. */
const choice = (name, texts) => select(Object.entries(texts).map(([value, key]) => [value, t(key)]), { name });

const priceChanges = ({ by, unit }) => product => differences({ price: changePrice(product.price, parseNumber(by), unit === 'percent') }, product);

/*
 * The changes that have buttons. fields(products, form) returns controls, checks(products) their rules.
 * changesOf(typed) returns a function from a product to its new values. requestOf(typed) returns the same change for
 * POST /products/batch.
 */
export const CHANGES = {
    category: {
        label: t('list.category'),
        fields: () => [field('bulk-category', t('list.category'), input({ name: 'category', list: 'categories-known' }))],
        checks: () => ({ category: rules.atMost(100) }),
        changesOf: ({ category }) => product => differences({ category }, product),
        requestOf: ({ category }) => ({ set: { category } }),
    },
    stock: {
        label: t('list.stock'),
        fields: () => [
            field('bulk-stock', t('list.stock'), choice('stock', { true: 'product.inStock', false: 'product.soldOut' })),
        ],
        checks: () => ({}),
        changesOf: ({ stock }) => product => differences({ inStock: stock === 'true' }, product),
        requestOf: ({ stock }) => ({ set: { inStock: stock === 'true' } }),
    },
    price: {
        label: t('list.price'),
        fields: (products, form) => [
            field('bulk-by', t('bulk.by'), input({ name: 'by' }), t('bulk.byHint')),
            field('bulk-unit', t('bulk.unit'), choice('unit', { percent: 'bulk.percent', amount: 'bulk.amount' })),
            preview('price', products, form, priceChanges),
        ],
        checks: products => ({ by: priceCheck(products) }),
        changesOf: priceChanges,
        requestOf: ({ by, unit }) => ({ adjust: { price: unit === 'percent' ? { percent: parseNumber(by), round: 2 } : { add: parseNumber(by) } } }),
    },
};

/* ---- any other field ---- */

const HAVE_BUTTONS = ['category', 'inStock', 'price'];
const PLACES = { integer: 0, number: 4 }; /* decimal places after a change by percent */
const VALUE = 'bulk-value'; /* name of a control */

/* Returns the fields that many products can share. Unique fields and the name are not among them. */
const otherNames = () => writableNames().filter(name => name !== 'name' && !HAVE_BUTTONS.includes(name) && !FIELDS[name].isUnique);

const readOne = (name, text) => readTyped({ [name]: text }, null)[name];
const emptyHint = name => !FIELDS[name].isRequired && el('p', { class: 'form-text' }, t('bulk.empty'));

/* Sets the same value in all products, typed as in a form. */
function valueChange(name) {
    const { label, check, isDetail } = FIELDS[name];
    return {
        label,
        isDetail,
        fields: () => [control(name, VALUE), FIELDS[name].control !== 'switch' && emptyHint(name)],
        checks: () => (check ? { [VALUE]: check } : {}),
        changesOf: typed => product => differences({ [name]: readOne(name, typed[VALUE]) }, product),
        requestOf: typed => ({ set: { [name]: readOne(name, typed[VALUE]) } }),
    };
}

/* Sets the same number in all products, or raises or lowers it. A product without a number then still has none. */
function numberChange(name) {
    const { label, kind, check, isDetail, isRequired } = FIELDS[name];
    const isPercent = ({ unit }) => unit === 'percent';
    const amountFault = (value, { unit }) => byFault(value) || (kind === 'integer' && unit === 'amount' && !Number.isInteger(parseNumber(value)) ? t('fault.whole') : '');
    const valueOf = ({ by, ...typed }, before) => {
        if (typed.unit === 'value') {
            return readOne(name, by);
        }
        return (before ?? null) === null ? null : changeNumber(before, parseNumber(by), isPercent(typed), PLACES[kind]);
    };
    const changesOf = typed => product => differences({ [name]: valueOf(typed, valueIn(product, name)) }, product);
    return {
        label,
        isDetail,
        fields: (products, form) => [
            field('bulk-unit', t('bulk.how'), choice('unit', { value: 'bulk.set', percent: 'bulk.byPercent', amount: 'bulk.byAmount' })),
            field('bulk-by', t('bulk.number'), input({ name: 'by', inputmode: 'decimal', required: isRequired }), t('bulk.numberHint')),
            emptyHint(name),
            preview(name, products, form, changesOf),
        ],
        checks: () => ({ by: (value, typed, control) => (typed.unit === 'value' ? check : amountFault)(value, typed, control) }),
        changesOf,
        requestOf: typed =>
            typed.unit === 'value'
                ? { set: { [name]: readOne(name, typed.by) } }
                : { adjust: { [name]: isPercent(typed) ? { percent: parseNumber(typed.by), round: PLACES[kind] } : { add: parseNumber(typed.by) } } },
    };
}

/* Asks which field to change. Resolves to the change, as in the table above, or to null. */
export async function askField() {
    const names = select(otherNames().map(name => [name, FIELDS[name].label]));
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'field-title' },
        el('h2', { id: 'field-title' }, t('bulk.otherTitle')),
        field('bulk-field', t('import.field'), names),
        el(
            'form',
            { method: 'dialog', class: 'actions' },
            el('button', { class: 'btn btn-primary', value: 'yes' }, t('bulk.count')),
            el('button', { class: 'btn', value: '' }, t('edit.cancel')),
        ),
    );
    if ((await ask(dialog)) !== 'yes') {
        return null;
    }
    return (FIELDS[names.value].kind in PLACES ? numberChange : valueChange)(names.value);
}

/*
 * Asks for a change of these products. If n is given, the change is for all n products that match, and these are the
 * first of them. Resolves to { changesOf, request }, or to null.
 */
export function askChange({ label, fields, checks, changesOf, requestOf }, products, n) {
    const form = el('form', { method: 'post', hidden: true });
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'bulk-title' },
        el('h2', { id: 'bulk-title' }, t('bulk.title', { field: label, n: n ?? products.length })),
        form,
    );
    form.append(
        ...fields(products, form).filter(Boolean),
        el(
            'div',
            { class: 'actions' },
            el('button', { type: 'submit', class: 'btn btn-primary' }, t(n === undefined ? 'bulk.apply' : 'bulk.count')),
            el('button', { type: 'button', class: 'btn', onclick: () => dialog.close() }, t('edit.cancel')),
        ),
    );
    let chosen = null;
    manage(form, checks(n === undefined ? products : []), typed => {
        chosen = { changesOf: changesOf(typed), request: requestOf(typed) };
        dialog.close();
    });
    document.body.append(dialog);
    dialog.showModal();
    return new Promise(resolve =>
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(chosen);
        }),
    );
}
