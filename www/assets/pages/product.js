/* SPDX-License-Identifier: Apache-2.0 */
import { call, mayWrite, read, watchProducts } from '../lib/api.js';
import { bdi, byId, el, recall } from '../lib/dom.js';
import { go, say, setTitle, showError, start } from '../lib/page.js';
import { formatPrice, formatRating, formatTime, t } from '../lib/text.js';
import { FIELDS, learnFields, ownNames, valueIn } from '../product/fields.js';
import { view } from '../product/view.js';

const LIST = 'catalog.list'; /* the list that the product was opened from: its address */

const id = new URLSearchParams(location.search).get('id') ?? '';
const path = `/products/${encodeURIComponent(id)}`;
const listAddress = recall('sessionStorage', LIST) ?? 'index.html';

let tag; /* the ETag of the product as it is shown */

async function remove() {
    try {
        await call('DELETE', path, undefined, { headers: { 'If-Match': tag } });
        await go(listAddress, t('product.deleted'));
    } catch (error) {
        showError(byId('trouble'), error, remove).focus();
    }
}

function confirmRemoval() {
    byId('delete').returnValue = '';
    byId('delete').showModal();
}

function ownFact(name, product) {
    const { label, isPrivate } = FIELDS[name];
    const mark = isPrivate && [' ', el('span', { class: 'badge' }, t('field.privateMark'))];
    return [[bdi(label), mark], valueIn(product, name) !== undefined && view(name, product)];
}

function details(product) {
    const { category, rating, createdAt } = product;
    const facts = [
        [t('product.category'), category && bdi(category)],
        [t('product.rating'), rating !== undefined && t('product.ratingOf', { rating: formatRating(rating) })],
        ...ownNames().map(name => ownFact(name, product)),
        [t('product.added'), formatTime(createdAt)],
        [t('product.id'), el('code', {}, id)],
    ];
    return el(
        'dl',
        {},
        facts.filter(([, value]) => value).flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    );
}

/* Shows the answer to a GET of the product. */
function showProduct(answer) {
    const { data: product } = answer;
    const { name, price, inStock } = product;
    tag = answer.tag;
    setTitle(name);
    byId('title').replaceChildren(bdi(name));
    byId('content').replaceChildren(
        byId('title'),
        el('p', { class: inStock ? 'stock' : 'stock out' }, t(inStock ? 'product.inStock' : 'product.soldOut')),
        el('p', { class: 'price' }, formatPrice(price)),
        details(product),
    );
}

/* Another tab has changed products, perhaps this one. */
async function showAgain() {
    try {
        showProduct(await read(path));
        byId('trouble').replaceChildren();
        byId('content').hidden = false;
        byId('actions').hidden = !(await mayWrite());
    } catch (error) {
        byId('actions').hidden = true;
        byId('content').hidden = error.status === 404;
        showError(byId('trouble'), error, showAgain, true);
    }
}

byId('back').href = listAddress;
start(async () => {
    if (!id) {
        byId('content').classList.remove('product');
        say(t('product.none'));
        return;
    }
    const [answer] = await Promise.all([read(path), learnFields()]).catch(error => {
        byId('content').classList.remove('product');
        throw error;
    });
    byId('content').classList.add('product');
    showProduct(answer);
    byId('edit').href = `edit.html?id=${encodeURIComponent(id)}`;
    byId('remove').onclick = confirmRemoval;
    byId('delete').onclose = () => byId('delete').returnValue === 'yes' && remove();
    byId('actions').hidden = !(await mayWrite());
    watchProducts(showAgain);
});
