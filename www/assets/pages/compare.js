/* SPDX-License-Identifier: Apache-2.0 */
/* Compares up to four products: those in the address, or else those that the user has chosen. */
import { read } from '../lib/api.js';
import { bdi, byId, el, follow, state } from '../lib/dom.js';
import { say, start } from '../lib/page.js';
import { formatPrice, t } from '../lib/text.js';
import { FIELDS, learnFields, ownNames, valueIn } from '../product/fields.js';
import { view } from '../product/view.js';
import { compareAddress, compared, compareOnly, MOST, picture, productLink, ratingText, stockText } from '../shop/card.js';

const products = state([]);
const isBrief = state(false); /* true to show only differences */

function readAddress() {
    const ids = [...new Set(new URLSearchParams(location.search).getAll('id'))];
    return (ids.length > 0 ? ids : compared()).slice(0, MOST);
}

/* Reads a product. Resolves to null if it does not exist any more. */
async function readProduct(id) {
    try {
        return (await read(`/products/${encodeURIComponent(id)}`)).data;
    } catch (error) {
        if (error.status === 404) {
            return null;
        }
        throw error;
    }
}

/* ---- the rows ---- */

const ownRow = name => ({
    name,
    label: FIELDS[name].label,
    value: product => valueIn(product, name) ?? null,
    show: product => (valueIn(product, name) === undefined ? undefined : view(name, product)),
});

/* The rows. value(product) returns the value to compare as JSON, show(product) the displayed content. */
const rows = () => [
    { name: 'price', label: t('list.price'), value: ({ price }) => price, show: ({ price }) => formatPrice(price) },
    { name: 'inStock', label: t('list.stock'), value: ({ inStock }) => inStock, show: ({ inStock }) => stockText(inStock) },
    { name: 'rating', label: t('list.rating'), value: ({ rating }) => rating ?? null, show: ({ rating }) => ratingText(rating) },
    { name: 'category', label: t('list.category'), value: ({ category }) => category, show: ({ category }) => bdi(category) },
    ...ownNames().filter(name => FIELDS[name].kind !== 'modified').map(ownRow),
];

const isThere = ({ value }) => products.value.some(product => value(product) !== null && value(product) !== '');
const differs = ({ value }) => new Set(products.value.map(product => JSON.stringify(value(product)))).size > 1;

const cellOf = (row, product) => el('td', {}, row.show(product) ?? el('span', { class: 'type' }, t('field.none')));

function rowOf(row) {
    const style = differs(row) && products.value.length > 1 ? 'differs' : undefined;
    return el('tr', { class: style }, el('th', { scope: 'row' }, bdi(row.label)), products.value.map(product => cellOf(row, product)));
}

/* ---- the columns ---- */

function drop({ id }) {
    products.value = products.value.filter(product => product.id !== id);
    byId('title').focus();
    keep();
}

function headOf(product) {
    const { name, images = [] } = product;
    const label = t('comparison.removeOne', { name });
    return el(
        'th',
        { scope: 'col' },
        picture(product, images[0], '12rem'),
        productLink(product),
        el('button', { type: 'button', class: 'link', 'aria-label': label, onclick: () => drop(product) }, t('comparison.remove')),
    );
}

function table() {
    const shown = rows().filter(row => isThere(row) && (!isBrief.value || differs(row)));
    const isAlike = shown.length === 0;
    return [
        el(
            'table',
            { class: 'table comparison', 'aria-labelledby': 'title' },
            el('thead', {}, el('tr', {}, el('td', {}), products.value.map(headOf))),
            el('tbody', {}, shown.map(rowOf)),
        ),
        isAlike && el('p', {}, t('comparison.alike')),
    ];
}

/* Stores the choice, and updates the address, which can be shared. */
function keep() {
    const ids = products.value.map(({ id }) => id);
    compareOnly(ids);
    history.replaceState(null, '', ids.length > 0 ? compareAddress(ids) : location.pathname);
    say(ids.length > 0 ? '' : t('comparison.none'));
}

start(async () => {
    const ids = readAddress();
    const [found] = await Promise.all([Promise.all(ids.map(readProduct)), learnFields()]);
    products.value = found.filter(Boolean);
    keep();
    byId('brief').addEventListener('change', ({ target }) => (isBrief.value = target.checked));
    follow(() => {
        const isShown = products.value.length > 0;
        byId('comparison').hidden = !isShown;
        byId('choice').hidden = products.value.length < 2;
        byId('comparison').replaceChildren(...(isShown ? table().filter(Boolean) : []));
    });
});
