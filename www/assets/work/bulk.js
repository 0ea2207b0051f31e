/* SPDX-License-Identifier: Apache-2.0 */
/* The changes that are made to all selected products: what the user is asked, and the values that follow for each product, or what the server is asked. */
import { field, input, select } from '../lib/controls.js';
import { bdi, el, state } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { formatPrice, parseNumber, t } from '../lib/text.js';
import { differences } from '../product/fields.js';
import { changePrice } from './price.js';

const SHOWN = 3; /* products in the preview */

/* ---- prices ---- */

function priceCheck(products) {
    return (value, { unit }) => {
        const by = parseNumber(value);
        if (value === '') {
            return t('fault.given');
        }
        if (Number.isNaN(by)) {
            return t('fault.number');
        }
        const prices = products.map(({ price }) => changePrice(price, by, unit === 'percent'));
        const below = prices.filter(price => price < 0).length;
        const above = prices.filter(price => price === Infinity).length;
        return below > 0 ? t('bulk.below', { n: below }) : above > 0 ? t('bulk.above', { n: above }) : '';
    };
}

/* What becomes of the first products. */
function preview(products, form) {
    const typed = state('');
    form.addEventListener('input', () => (typed.value = [form.elements.by.value, form.elements.unit.value].join(' ')));
    const line = ({ name, price }, by, isPercent) =>
        el('li', {}, bdi(name), `: ${formatPrice(price)} → ${formatPrice(changePrice(price, by, isPercent))}`);
    const makeLines = () => {
        const [text, unit] = typed.value.split(' ');
        const by = parseNumber(text);
        return Number.isNaN(by) ? [] : products.slice(0, SHOWN).map(product => line(product, by, unit === 'percent'));
    };
    return el('ul', { class: 'preview form-text' }, makeLines);
}

/* ---- the dialogs ---- */

/* texts: by value, the key of its text. */
const choice = (name, texts) => select(Object.entries(texts).map(([value, key]) => [value, t(key)]), { name });

/*
 * THE CHANGES. fields(products): controls; checks(products): rules of theirs; changesOf(typed): a function that makes the new values of a
 * product's fields; requestOf(typed): the same for POST /products/batch.
 */
export const CHANGES = {
    category: {
        text: 'list.category',
        fields: () => [field('bulk-category', t('list.category'), input({ name: 'category', list: 'categories-known' }))],
        checks: () => ({ category: rules.atMost(100) }),
        changesOf: ({ category }) => product => differences({ category }, product),
        requestOf: ({ category }) => ({ set: { category } }),
    },
    stock: {
        text: 'list.stock',
        fields: () => [
            field('bulk-stock', t('list.stock'), choice('stock', { true: 'product.inStock', false: 'product.soldOut' })),
        ],
        checks: () => ({}),
        changesOf: ({ stock }) => product => differences({ inStock: stock === 'true' }, product),
        requestOf: ({ stock }) => ({ set: { inStock: stock === 'true' } }),
    },
    price: {
        text: 'list.price',
        fields: (products, form) => [
            field('bulk-by', t('bulk.by'), input({ name: 'by' }), t('bulk.byHint')),
            field('bulk-unit', t('bulk.unit'), choice('unit', { percent: 'bulk.percent', amount: 'bulk.amount' })),
            preview(products, form),
        ],
        checks: products => ({ by: priceCheck(products) }),
        changesOf: ({ by, unit }) => product =>
            differences({ price: changePrice(product.price, parseNumber(by), unit === 'percent') }, product),
        requestOf: ({ by, unit }) => ({ adjust: { price: unit === 'percent' ? { percent: parseNumber(by), round: 2 } : { add: parseNumber(by) } } }),
    },
};

/*
 * Asks for a change of the products or, if n is given, of the n that match, of which these are the first. Resolves to { changesOf, request }, or to
 * null.
 */
export function askChange({ text, fields, checks, changesOf, requestOf }, products, n) {
    const form = el('form', { method: 'post', hidden: true });
    const dialog = el(
        'dialog',
        { 'aria-labelledby': 'bulk-title' },
        el('h2', { id: 'bulk-title' }, t('bulk.title', { field: t(text), n: n ?? products.length })),
        form,
    );
    form.append(
        ...fields(products, form),
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
