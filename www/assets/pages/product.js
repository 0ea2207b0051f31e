/* SPDX-License-Identifier: Apache-2.0 */
import { anyOf, call, mayWrite, read, send, watchProducts } from '../lib/api.js';
import { bdi, byId, el, recall, state } from '../lib/dom.js';
import { go, say, setTitle, showError, start } from '../lib/page.js';
import { formatDate, formatPrice, t } from '../lib/text.js';
import { FIELDS, learnFields, ownNames, valueIn } from '../product/fields.js';
import { view } from '../product/view.js';
import { addCompareBar, card, compareButton, picture, ratingText, stockText } from '../shop/card.js';
import { describeProduct } from '../shop/head.js';

const LIST = 'list'; /* key of the address of the list from which the product was opened */
const SIMILAR = 4; /* products shown as similar */
const ASKED = 12; /* products read per question, from which these are chosen */

const id = new URLSearchParams(location.search).get('id') ?? '';
const path = `/products/${encodeURIComponent(id)}`;
const listAddress = recall('sessionStorage', LIST) ?? 'index.html';

let tag; /* ETag of the product as shown */

/* ---- deletion ---- */

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

/* ---- pictures ---- */

const LARGE = { isDecorative: false, isAhead: true };

/* Returns the large picture, and buttons for the other pictures. */
function gallery(product) {
    const { images = [] } = product;
    const at = state(0);
    const large = el('div', { class: 'stage' }, () => picture(product, images[at.value], '(max-width: 40rem) 100vw, 36rem', LARGE));
    const thumbs = images.map((image, i) =>
        el(
            'button',
            { type: 'button', 'aria-label': image.alt || t('product.picture', { n: i + 1 }), 'aria-pressed': () => String(at.value === i), onclick: () => (at.value = i) },
            picture(product, image, '5rem'),
        ),
    );
    const strip = images.length > 1 && el('div', { class: 'thumbs', role: 'group', 'aria-label': t('product.pictures') }, thumbs);
    return el('div', { class: 'gallery' }, large, strip);
}

/* ---- fields ---- */

function ownFact(name, product) {
    const { label, isPrivate } = FIELDS[name];
    const mark = isPrivate && [' ', el('span', { class: 'badge' }, t('field.privateMark'))];
    return [[bdi(label), mark], valueIn(product, name) !== undefined && view(name, product)];
}

const isProse = name => FIELDS[name].kind === 'text';

function factList(style, facts) {
    const there = facts.filter(([, value]) => value);
    return there.length > 0 && el('dl', { class: style }, there.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/* Returns texts of several lines, such as a description, and then the other fields. */
function facts(product) {
    const [prose, others] = [true, false].map(wanted => ownNames().filter(name => isProse(name) === wanted));
    return [
        factList('prose', prose.map(name => ownFact(name, product))),
        factList('facts-list', [...others.map(name => ownFact(name, product)), [t('product.since'), formatDate(product.createdAt)]]),
    ];
}

const categoryLink = category => el('a', { href: `index.html?${new URLSearchParams({ category })}` }, bdi(category));

/* Shows the answer to a GET of the product. */
function showProduct(answer) {
    const { data: product } = answer;
    const { name, price, category, rating, inStock } = product;
    tag = answer.tag;
    setTitle(name);
    byId('title').replaceChildren(bdi(name));
    byId('category').replaceChildren(category ? categoryLink(category) : '');
    byId('content').replaceChildren(
        ...describeProduct(product),
        gallery(product),
        el(
            'div',
            { class: 'about' },
            byId('title'),
            el('p', { class: 'facts' }, stockText(inStock), ratingText(rating)),
            el('p', { class: 'price' }, formatPrice(price)),
            compareButton({ id: product.id, name }),
            ...facts(product).filter(Boolean),
        ),
    );
}

/* ---- similar products ---- */

/* Returns the first indexed field from CatalogField whose values are counted and of which a product can have several,
 * such as tags. */
const tagField = () => ownNames().find(name => FIELDS[name].kind === 'strings' && FIELDS[name].isFacet && FIELDS[name].isIndexed);

/* Returns how similar two products are. */
function likeness(product, other, tags) {
    const own = new Set(tags ? valueIn(product, tags) : []);
    const shared = (tags ? (valueIn(other, tags) ?? []) : []).filter(text => own.has(text)).length;
    return 2 * shared + (other.category === product.category ? 3 : 0);
}

/* Finds products of the same category, and products with a tag of this product. */
async function findSimilar(product) {
    const tags = tagField();
    const own = tags ? (valueIn(product, tags) ?? []) : [];
    const questions = [
        product.category && [['category', product.category]],
        own.length > 0 && anyOf(tags, own.slice(0, 8)),
    ].filter(Boolean);
    const answers = questions.map(pairs => send('GET', `/products?${new URLSearchParams([...pairs, ['limit', ASKED]])}`).catch(() => ({ data: [] })));
    const found = new Map((await Promise.all(answers)).flatMap(({ data }) => data).map(other => [other.id, other]));
    found.delete(product.id);
    return [...found.values()].sort((a, b) => likeness(product, b, tags) - likeness(product, a, tags)).slice(0, SIMILAR);
}

async function showSimilar({ data: product }) {
    const found = await findSimilar(product);
    byId('similar').hidden = found.length === 0;
    byId('similar-list').replaceChildren(...found.map(other => card(other)));
}

/* ---- the page ---- */

/* Called when another tab has changed products, possibly this one. */
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
    showSimilar(answer);
    addCompareBar();
    byId('edit').href = `edit.html?id=${encodeURIComponent(id)}`;
    byId('remove').onclick = confirmRemoval;
    byId('delete').onclose = () => byId('delete').returnValue === 'yes' && remove();
    byId('actions').hidden = !(await mayWrite());
    watchProducts(showAgain);
});
