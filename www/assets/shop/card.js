/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A product as customers see it in a list: its picture, or a tile with initials, and the main facts. Customers can
 * choose up to four products to compare. The browser stores the choice, and a bar links to the comparison.
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

/* Returns the first letters of the first two words. Skips quantities such as "50 g" if there are other words. */
function initialsOf(name) {
    const all = name.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu) ?? [name];
    const telling = all.filter(word => /^\p{L}./u.test(word));
    const words = telling.length > 0 ? telling : all;
    return words.slice(0, 2).map(([...letters]) => letters[0].toLocaleUpperCase()).join('');
}

/* All products of a category have the same tint. */
function tintOf({ category, name }) {
    const sum = [...(category || name)].reduce((total, letter) => total + letter.codePointAt(0), 0);
    return `tint-${sum % TINTS}`;
}

/*
 * Returns the picture of a product, { url, width, height, alt, sizes }, or a tile if it has none; screen readers ignore
 * the tile. `width` is the displayed width in CSS, by which the browser chooses a size. isDecorative: true if the name
 * is next to the picture. isAhead: true if the picture is visible at first.
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
        src: url, /* must come after the attributes that determine size and time of loading */
    });
}

export function productLink({ id, name }) {
    return el('a', { class: 'product-link', id: `p-${id}`, href: `product.html?id=${id}` }, bdi(name));
}

/* `more` is further content of the card. */
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

/* Returns the ids of the chosen products. Reads a state. */
export const compared = () => chosen.value;

export function compareOnly(ids) {
    chosen.value = ids;
    remember('localStorage', KEPT, ids.length > 0 ? JSON.stringify(ids) : null);
}

function toggle(id) {
    const ids = readKept(); /* another tab may have changed the choice */
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

/* Returns a button that adds the product to the choice or removes it. */
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

/* Adds the bar at the end of the page's content. It is shown while products are chosen. */
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
