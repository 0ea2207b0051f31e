/* SPDX-License-Identifier: Apache-2.0 */
import { call, mayWrite, send } from '../lib/api.js';
import { byId, el, recall } from '../lib/dom.js';
import { go, say, setTitle, showError, start } from '../lib/page.js';
import { formatPrice, formatRating, formatTime, t } from '../lib/text.js';

const LIST = 'catalog.list'; /* the list that the product was opened from: its address */

const id = new URLSearchParams(location.search).get('id') ?? '';
const path = `/products/${encodeURIComponent(id)}`;
const listAddress = recall('sessionStorage', LIST) ?? 'index.html';

async function remove() {
    try {
        await call('DELETE', path);
        await go(listAddress, t('product.deleted'));
    } catch (error) {
        showError(byId('trouble'), error, remove).focus();
    }
}

function confirmRemoval() {
    byId('delete').returnValue = '';
    byId('delete').showModal();
}

function details({ category, rating, createdAt }) {
    const facts = [
        [t('product.category'), category && el('bdi', {}, category)],
        [t('product.rating'), rating !== undefined && t('product.ratingOf', { rating: formatRating(rating) })],
        [t('product.added'), formatTime(createdAt)],
        [t('product.id'), el('code', {}, id)],
    ];
    return el(
        'dl',
        {},
        facts.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    );
}

function showProduct(product) {
    const { name, price, inStock } = product;
    setTitle(name);
    byId('title').replaceChildren(el('bdi', {}, name));
    byId('content').replaceChildren(
        byId('title'),
        el('p', { class: inStock ? 'stock' : 'stock out' }, t(inStock ? 'product.inStock' : 'product.soldOut')),
        el('p', { class: 'price' }, formatPrice(price)),
        details(product),
    );
}

byId('back').href = listAddress;
start(async () => {
    if (!id) {
        byId('content').classList.remove('product');
        say(t('product.none'));
        return;
    }
    const { data: product } = await send('GET', path).catch(error => {
        byId('content').classList.remove('product');
        throw error;
    });
    byId('content').classList.add('product');
    showProduct(product);
    byId('edit').href = `edit.html?id=${encodeURIComponent(id)}`;
    byId('remove').onclick = confirmRemoval;
    byId('delete').onclose = () => byId('delete').returnValue === 'yes' && remove();
    byId('actions').hidden = !(await mayWrite());
});
