/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId, el } from '../lib/dom.js';
import { setTitle, showError, start } from '../lib/page.js';
import { formatPrice, formatRating, formatWhole, t } from '../lib/text.js';

let wanted = 0; /* a slow answer must not overwrite the one to a later request */

function pageOfAddress() {
    return Number(new URLSearchParams(location.search).get('page')) || 1;
}

function row({ id, name, category, price, rating, inStock }) {
    return el(
        'tr',
        {},
        el(
            'th',
            { scope: 'row' },
            el('a', { href: `product.html?id=${id}` }, name),
            el('span', { class: 'category' }, category),
        ),
        el('td', { class: 'wide' }, rating === undefined ? '' : formatRating(rating)),
        el('td', {}, t(inStock ? 'product.inStock' : 'product.soldOut')),
        el('td', { class: 'number' }, formatPrice(price)),
    );
}

function table(products) {
    const head = [
        el('th', { scope: 'col' }, t('list.name')),
        el('th', { scope: 'col', class: 'wide' }, t('list.rating')),
        el('th', { scope: 'col' }, t('list.stock')),
        el('th', { scope: 'col', class: 'number' }, t('list.price')),
    ];
    return el(
        'table',
        { class: 'table', 'aria-labelledby': 'title' },
        el('thead', {}, el('tr', {}, ...head)),
        el('tbody', {}, ...products.map(row)),
    );
}

function pageLink(page, text, label, current) {
    const attributes = {
        class: 'page-link',
        href: `?page=${page}`,
        'aria-label': label,
        'aria-current': current && 'page',
    };
    const link = el('a', attributes, text);
    link.addEventListener('click', event => {
        if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
            event.preventDefault();
            history.pushState(null, '', link.href);
            show().then(() => byId('title').focus());
        }
    });
    return el('li', { class: current ? 'page-item active' : 'page-item' }, link);
}

function pageLinks(page, pages) {
    const shown = [1, page - 1, page, page + 1, pages].filter(
        (n, i, all) => n >= 1 && n <= pages && all.indexOf(n) === i,
    );
    const gap = el(
        'li',
        { class: 'page-item disabled', 'aria-hidden': 'true' },
        el('span', { class: 'page-link' }, '…'),
    );

    return el(
        'ul',
        { class: 'pagination' },
        ...shown.flatMap((n, i) => [
            ...(i > 0 && n > shown[i - 1] + 1 ? [gap.cloneNode(true)] : []),
            pageLink(n, formatWhole(n), t('list.page', { n }), n === page),
        ]),
    );
}

function count(text) {
    byId('count').textContent = text;
}

function showProducts({ data, pagination: { page, total, pages } }) {
    setTitle(page > 1 ? t('list.titlePage', { n: page }) : t('list.title'));
    byId('pages').replaceChildren(...(pages > 1 ? [pageLinks(page, pages)] : []));
    if (data.length > 0) {
        byId('list').replaceChildren(table(data));
        count(t('list.count', { page, pages, n: total }));
    } else {
        byId('list').replaceChildren();
        count(
            total > 0 ? t('list.noPage', { page, pages }) : t('list.empty'),
        );
    }
}

function showTrouble(error) {
    byId('pages').replaceChildren();
    count('');
    showError(byId('list'), error, show);
}

async function show() {
    const mine = ++wanted;
    let finish;

    byId('list').setAttribute('aria-busy', 'true');
    try {
        const answer = await send('GET', `/products?page=${pageOfAddress()}`);
        finish = () => showProducts(answer);
    } catch (error) {
        finish = () => showTrouble(error);
    }
    if (mine === wanted) {
        byId('list').removeAttribute('aria-busy');
        finish();
    }
}

start(async () => {
    addEventListener('popstate', show);
    await show();
});
