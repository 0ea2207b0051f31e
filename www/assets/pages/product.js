/* SPDX-License-Identifier: Apache-2.0 */
import { call, mayWrite, send } from '../lib/api.js';
import { byId, el } from '../lib/dom.js';
import { go, say, setTitle, showError, start } from '../lib/page.js';
import { formatPrice, formatRating, formatTime, t } from '../lib/text.js';

const id = new URLSearchParams(location.search).get('id') ?? '';
const path = `/products/${encodeURIComponent(id)}`;

async function remove() {
    try {
        await call('DELETE', path);
        await go('index.html', t('product.deleted'));
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
        [t('product.price'), formatPrice(price)],
        [t('product.category'), category],
        [t('product.rating'), rating === undefined ? '' : t('product.ratingOf', { rating: formatRating(rating) })],
        [t('product.stock'), inStock ? t('product.inStock') : t('product.soldOut')],
        [t('product.added'), formatTime(createdAt)],
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
        say(t('product.none'));
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
