/* SPDX-License-Identifier: Apache-2.0 */
import { call, send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { go, setTitle, start } from '../lib/page.js';
import { parseNumber, t } from '../lib/text.js';

const id = new URLSearchParams(location.search).get('id');
const pageOf = product => `product.html?id=${encodeURIComponent(product)}`;

function numberRule(least, most) {
    return (value, values, input) => {
        const number = parseNumber(value);
        if (value === '') {
            return input.required ? t('fault.given') : '';
        }
        if (Number.isNaN(number)) {
            return t('fault.number');
        }
        return number < least || number > most
            ? t(most === Infinity ? 'fault.least' : 'fault.between', { least, most })
            : '';
    };
}

const checks = {
    name: value => rules.given(value) || rules.atMost(200)(value),
    price: numberRule(0, Infinity),
    category: rules.atMost(100),
    rating: numberRule(0, 5),
};

function productOf({ name, price, category, rating, inStock }) {
    return {
        name,
        price: parseNumber(price),
        category,
        inStock,
        rating: rating === '' ? null : parseNumber(rating),
    };
}

async function create(values) {
    const product = productOf(values);
    for (const name of Object.keys(product).filter(name => product[name] === null)) {
        delete product[name]; /* null clears a field; only an update accepts it */
    }
    const { data } = await call('POST', '/products', product);
    await go(pageOf(data.id), t('edit.added'));
}

/* Sends only the changed fields, so as not to undo another user's changes to the others. */
async function update(before, values) {
    const changed = Object.entries(productOf(values)).filter(
        ([name, value]) => value !== (before[name] ?? null),
    );
    if (changed.length > 0) {
        await call('PUT', `/products/${encodeURIComponent(id)}`, Object.fromEntries(changed));
    }
    await go(pageOf(id), t('edit.saved'));
}

function fill(product) {
    for (const name of Object.keys(checks)) {
        byId(name).value = product[name] ?? '';
    }
    byId('inStock').checked = product.inStock;
}

async function edit() {
    const { data: product } = await send('GET', `/products/${encodeURIComponent(id)}`);
    fill(product);
    byId('title').textContent = t('edit.title', { name: product.name });
    byId('back').href = pageOf(id);
    setTitle(t('edit.title', { name: product.name }));
    manage(byId('form'), checks, values => update(product, values));
}

start(() => (id ? edit() : manage(byId('form'), checks, create)), { needsUser: true });
