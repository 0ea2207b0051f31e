/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage } from '../lib/form.js';
import { parseNumber } from '../lib/format.js';
import { go, setTitle, start } from '../lib/page.js';
import { call } from '../lib/session.js';

const id = new URLSearchParams(location.search).get('id');
const pageOf = product => `product.html?id=${encodeURIComponent(product)}`;

function numberRule(least, most) {
    return (value, values, input) => {
        const number = parseNumber(value);
        if (value === '') {
            return input.required ? 'must be filled in' : '';
        }
        if (Number.isNaN(number)) {
            return 'must be a number such as 1999 or 19.99';
        }
        return number < least || number > most
            ? `must be ${most === Infinity ? `${least} or more` : `from ${least} to ${most}`}`
            : '';
    };
}

const checks = {
    name: value =>
        value === ''
            ? 'must be filled in'
            : [...value].length > 200
              ? 'must have at most 200 characters'
              : '',
    price: numberRule(0, Infinity),
    category: value => ([...value].length > 100 ? 'must have at most 100 characters' : ''),
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
    await go(pageOf(data.id), 'The product is added.');
}

/* Sends only the changed fields, so as not to undo another user's changes to the others. */
async function update(before, values) {
    const changed = Object.entries(productOf(values)).filter(
        ([name, value]) => value !== (before[name] ?? null),
    );
    if (changed.length > 0) {
        await call('PUT', `/products/${encodeURIComponent(id)}`, Object.fromEntries(changed));
    }
    await go(pageOf(id), 'The product is saved.');
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
    byId('title').textContent = `Edit ${product.name}`;
    byId('back').href = pageOf(id);
    setTitle(`Edit ${product.name}`);
    manage(byId('form'), checks, values => update(product, values));
}

start(() => (id ? edit() : manage(byId('form'), checks, create)), { needsUser: true });
