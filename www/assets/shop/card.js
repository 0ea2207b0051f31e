/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A product as a customer sees it in a list: its picture, or a calm tile with initials, and what there is to know at a glance. Up to four products
 * can be chosen to be compared; this browser keeps that choice, and a bar leads to the comparison.
 */
import { bdi, byId, el, nameHere, recall, remember, state } from '../lib/dom.js';
import { say } from '../lib/page.js';
import { formatPrice, formatRating, t } from '../lib/text.js';

const TINTS = 8;

export function stockText(inStock) {
    return el('span', { class: inStock ? 'stock' : 'stock out' }, t(inStock ? 'product.inStock' : 'product.soldOut'));
}

export function ratingText(rating) {
    return rating === undefined
        ? undefined
        : el(
              'span',
              { class: 'rating' },
              el('span', { 'aria-hidden': 'true', class: 'star' }, '★ '),
              formatRating(rating),
              el('span', { class: 'visually-hidden' }, ` ${t('product.outOf')}`),
          );
}

/* The first letters of the first two words; those of a quantity, such as 50 g, would say nothing. */
function initialsOf(name) {
    const all = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [name];
    const telling = all.filter(word => /^\p{L}./u.test(word));
    const words = telling.length > 0 ? telling : all;
    return words.slice(0, 2).map(([...letters]) => letters[0].toLocaleUpperCase()).join('');
}

/* Products of a category have one tint. */
function tintOf({ category, name }) {
    const sum = [...(category || name)].reduce((total, letter) => total + letter.codePointAt(0), 0);
    return `tint-${sum % TINTS}`;
}

/*
 * The picture of the product, { url, width, height, alt, sizes }, in the size that the browser chooses for that width, a text of CSS. isDecorative: the
 * name stands beside it. isAhead: it is among the first things that one sees. A product without pictures has a tile, which says nothing to those
 * who do not see it.
 */
export function picture(product, image, width, { isDecorative = true, isAhead = false } = {}) {
    if (!image) {
        return el('span', { class: `tile ${tintOf(product)}`, 'aria-hidden': 'true' }, el('span', {}, initialsOf(product.name)));
    }
    const { url, width: wide, height, alt = '', sizes = [] } = image;
    return el('img', {
        class: 'tile',
        srcset: sizes.length > 0 && sizes.map(size => `${size.url} ${size.width}w`).join(', '),
        sizes: sizes.length > 0 && width,
        width: wide,
        height,
        alt: isDecorative ? '' : alt || product.name,
        loading: !isAhead && 'lazy',
        decoding: 'async',
        src: url, /* after what says which size of it, and when */
    });
}

export function productLink({ id, name }) {
    return el('a', { class: 'product-link', id: `p-${id}`, href: `product.html?id=${id}` }, bdi(name));
}

/* more: what else is in the card. */
export function card(product, more, isAhead) {
    const { category, price, rating, inStock, images = [] } = product;
    return el(
        'li',
        { class: 'card' },
        picture(product, images[0], '(max-width: 48rem) 45vw, 17rem', { isAhead }),
        el('p', { class: 'category' }, bdi(category || t('list.uncategorized'))),
        el('h2', {}, productLink(product)),
        el('p', { class: 'price' }, formatPrice(price)),
        el('p', { class: 'facts' }, stockText(inStock), ratingText(rating)),
        more,
    );
}

/* ---- the choice of products to compare ---- */

export const MOST = 4;
const KEPT = 'compare';

const readKept = () => {
    const ids = JSON.parse(recall('localStorage', KEPT) ?? '[]');
    return Array.isArray(ids) ? ids.slice(0, MOST) : [];
};

const chosen = state(readKept());

/* Their ids; follow()s. */
export const compared = () => chosen.value;

export function compareOnly(ids) {
    chosen.value = ids;
    remember('localStorage', KEPT, ids.length > 0 ? JSON.stringify(ids) : null);
}

function toggle(id) {
    const ids = readKept(); /* another tab may have changed them */
    if (ids.includes(id)) {
        compareOnly(ids.filter(other => other !== id));
    } else if (ids.length < MOST) {
        compareOnly([...ids, id]);
    } else {
        compareOnly(ids);
        say(t('comparison.full', { n: MOST }));
    }
}

export const compareAddress = ids => `compare.html?${new URLSearchParams(ids.map(id => ['id', id]))}`;

/* The button of a product that chooses it, or not. */
export function compareButton({ id, name }) {
    return el(
        'button',
        {
            type: 'button',
            class: 'compare',
            'aria-pressed': () => String(chosen.value.includes(id)),
            'aria-label': t('comparison.choose', { name }),
            onclick: () => toggle(id),
        },
        t('comparison.button'),
    );
}

/* The bar at the end of the page's content while something is chosen. */
export function addCompareBar() {
    const clear = () => {
        compareOnly([]);
        byId('main').focus();
    };
    const content = () =>
        chosen.value.length > 0 &&
        el(
            'section',
            { class: 'compare-bar', 'aria-label': t('comparison.bar') },
            el('p', {}, t('comparison.count', { n: chosen.value.length })),
            el('a', { class: 'btn btn-primary', href: compareAddress(chosen.value) }, t('comparison.show')),
            el('button', { type: 'button', class: 'btn', onclick: clear }, t('comparison.clear')),
        );
    byId('main').append(el('div', { class: 'compare-place' }, content));
}

addEventListener('storage', ({ key }) => key === nameHere(KEPT) && (chosen.value = readKept()));
