/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage } from '../lib/form.js';
import { go, setTitle, start } from '../lib/page.js';
import { call } from '../lib/session.js';

const id = new URLSearchParams(location.search).get('id');
const pageOf = product => `product.html?id=${encodeURIComponent(product)}`;

/* A field of numbers that holds something else has no value: '' with badInput. */
function number(least, most) {
    return (value, values, input) => {
        if (input.validity.badInput) {
            return 'must be a number';
        }
        if (value === '') {
            return input.required ? 'must be filled in' : '';
        }
        return value < least || value > most
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
    price: number(0, Infinity),
    category: value => ([...value].length > 100 ? 'must have at most 100 characters' : ''),
    rating: number(0, 5),
};

function productOf({ name, price, category, rating, inStock }) {
    return { name, price: Number(price), category, inStock, rating: rating === '' ? null : Number(rating) };
}

async function create(values) {
    const product = productOf(values);
    if (product.rating === null) {
        delete product.rating; /* null is for taking it away */
    }
    const { data } = await call('POST', '/products', product);
    await go(pageOf(data.id), 'The product is added.');
}

/* Sends what was changed alone, so that it does not undo what somebody else changed meanwhile. */
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
