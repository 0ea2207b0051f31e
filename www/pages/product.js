/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId, el } from '../lib/dom.js';
import { formatPrice, formatRating, formatTime } from '../lib/format.js';
import { go, say, setTitle, showError, start } from '../lib/page.js';
import { call, mayWrite } from '../lib/session.js';

const id = new URLSearchParams(location.search).get('id') ?? '';
const path = `/products/${encodeURIComponent(id)}`;

async function remove() {
    try {
        await call('DELETE', path);
        await go('index.html', 'The product is deleted.');
    } catch (error) {
        showError(byId('trouble'), error, remove).focus();
    }
}

function confirmRemoval() {
    byId('delete').returnValue = '';
    byId('delete').showModal();
}

function details({ price, category, rating, inStock, createdAt }) {
    const facts = [
        ['Price', formatPrice(price)],
        ['Category', category],
        ['Rating', rating === undefined ? '' : `${formatRating(rating)} out of 5`],
        ['Stock', inStock ? 'In stock' : 'Sold out'],
        ['Added', formatTime(createdAt)],
    ];
    return el(
        'dl',
        {},
        ...facts
            .filter(([, value]) => value)
            .flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    );
}

start(async () => {
    if (!id) {
        say('This address names no product. Choose one from the list.');
        return;
    }
    const { data: product } = await send('GET', path);

    setTitle(product.name);
    byId('title').textContent = product.name;
    byId('content').replaceChildren(details(product));
    byId('edit').href = `edit.html?id=${encodeURIComponent(id)}`;
    byId('remove').onclick = confirmRemoval;
    byId('delete').onclose = () => byId('delete').returnValue === 'yes' && remove();
    byId('actions').hidden = !(await mayWrite());
});
