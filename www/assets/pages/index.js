/* SPDX-License-Identifier: Apache-2.0 */
import { API, send, watchProducts } from '../lib/api.js';
import { bdi, byId, each, el, follow, isPlainClick, recall, remember, state } from '../lib/dom.js';
import { loader, setTitle, start } from '../lib/page.js';
import { formatPrice, formatRating, formatWhole, hasDecimalComma, parseNumber, pieces, t } from '../lib/text.js';

/* ---- what a list shows, as the address of the page says it and as the API is asked for it ---- */

const LIMITS = [10, 20, 50, 100];
const LIMIT = 20;
const SORTS = ['', 'price', '-price', 'name', '-rating'];

const oneOf = (values, value, usual) => (values.includes(value) ? value : usual);
const numberIn = value => (value === null || value.trim() === '' || !(Number(value) >= 0) ? '' : value.trim());

/*
 * What the query of an address asks for. category null: all; '': products without one. min, max and rating are numbers as texts, or ''.
 */
function readList(search) {
    const query = new URLSearchParams(search);
    return {
        q: (query.get('q') ?? '').trim(),
        category: query.get('category'),
        min: numberIn(query.get('min')),
        max: numberIn(query.get('max')),
        stock: query.get('stock') === '1',
        rating: oneOf(['4', '3', '2'], query.get('rating'), ''),
        sort: oneOf(SORTS, query.get('sort'), ''),
        limit: oneOf(LIMITS, Number(query.get('limit')), LIMIT),
        page: Math.max(1, Math.floor(Number(query.get('page')) || 1)),
        view: oneOf(['cards', 'table'], query.get('view'), 'cards'),
    };
}

/* The query of an address, '' or ?..., without what is usual. */
function writeList(list) {
    const query = new URLSearchParams();
    const usual = readList('');
    for (const [name, value] of Object.entries(list)) {
        if (value !== usual[name]) {
            query.set(name, value === true ? '1' : value);
        }
    }
    const text = query.toString();
    return text && `?${text}`;
}

/* The conditions as parameters of GET /products, without those that the server lacks (lacks.has('price')). */
function conditions({ q, category, min, max, stock, rating }, lacks) {
    const all = [
        ['q', 'q', q],
        ['category', 'category', category],
        ['price', 'price[gte]', min],
        ['price', 'price[lte]', max],
        ['inStock', 'inStock', stock ? 'true' : ''],
        ['rating', 'rating[gte]', rating],
    ];
    const given = ([field, name, value]) => value !== null && (value !== '' || name === 'category') && !lacks.has(field);
    return all.filter(given).map(([, name, value]) => [name, value]);
}

/* Which products, in which order. */
function selection(list, lacks) {
    const { sort } = list;
    return [...conditions(list, lacks), ...(sort && !lacks.has(`sort ${sort.replace('-', '')}`) ? [['sort', sort]] : [])];
}

/* The request for the list: [name, value]. */
function askList(list, lacks) {
    return [
        ...selection(list, lacks),
        ['limit', list.limit],
        ['page', list.page],
        ...(list.category === null ? [['facets', 'category']] : []),
    ];
}

/* The request for the number of products in each category, whichever is chosen; null: the list's own answer has them. */
function askCategories(list, lacks) {
    return list.category === null
        ? null
        : [...conditions({ ...list, category: null }, lacks), ['limit', 1], ['fields', 'id'], ['facets', 'category']];
}

/* How many filters are in use. */
function countFilters({ category, min, max, stock, rating }) {
    return [category !== null, min !== '' || max !== '', stock, rating !== ''].filter(Boolean).length;
}

/* What the server has no index of, as its refusal tells: fields, or 'sort price' for an order. */
function readLacks(error, list) {
    return (error.fields ?? [])
        .filter(({ code }) => code === 'no_index')
        .map(({ field }) => (field === 'sort' ? `sort ${list.sort.replace('-', '')}` : field.replace(/\[.*/, '')));
}

/* ---- the list in the page ---- */

const LACKS = 'catalog.lacks';
const LIST = 'catalog.list'; /* the address of the list that a product was opened from */
const PLACE = 'catalog.place'; /* the place in it */
const PAUSE = 250; /* ms without a key, after which the search begins */
const drawers = matchMedia('(max-width: 60rem)');

const list = state(readList(location.search));
const answer = state(null); /* the last one: { list, data, pagination } */
const categories = state(null); /* [{ value, count }]; null: not known yet */
const isLoading = state(true);
const lacks = new Set((recall('sessionStorage', LACKS) ?? '').split(',').filter(Boolean));
let isTyping = false; /* the address is that of the search so far, which the next letter replaces */

function product({ id, name }) {
    return el('a', { class: 'product-link', id: `p-${id}`, href: `product.html?id=${id}` }, bdi(name));
}

function stockText(inStock) {
    return el('span', { class: inStock ? 'stock' : 'stock out' }, t(inStock ? 'product.inStock' : 'product.soldOut'));
}

function ratingText(rating) {
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

function card(item) {
    const { category, price, rating, inStock } = item;
    return el(
        'li',
        { class: 'card' },
        el('p', { class: 'category' }, bdi(category || t('list.uncategorized'))),
        el('h2', {}, product(item)),
        el('p', { class: 'facts' }, stockText(inStock), ratingText(rating)),
        el('p', { class: 'price' }, formatPrice(price)),
    );
}

function row(item) {
    const { category, price, rating, inStock } = item;
    return el(
        'tr',
        {},
        el('th', { scope: 'row' }, product(item), el('span', { class: 'category' }, bdi(category))),
        el('td', { class: 'wide' }, ratingText(rating)),
        el('td', {}, stockText(inStock)),
        el('td', { class: 'number' }, formatPrice(price)),
    );
}

/* An element that keeps a child for each product; one that has changed gets a new child. */
function listed(parent, render) {
    each(
        parent,
        () => answer.value?.data ?? [],
        item => JSON.stringify(item),
        item => render(item.value),
    );
    return parent;
}

function table() {
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
        listed(el('tbody'), row),
    );
}

/* Nothing matches: a sentence, and what to do about it. */
function nothing() {
    const { list: asked, pagination } = answer.value;
    if (pagination.total > 0) {
        const last = writeList({ ...asked, page: pagination.pages });
        return [
            el('p', {}, t('list.noPage', { page: asked.page, pages: pagination.pages })),
            el('a', { class: 'btn', href: last || 'index.html', onclick: follows }, t('list.lastPage')),
        ];
    }
    if (asked.q || countFilters(asked) > 0) {
        const words = bdi(asked.q);
        return [
            el('p', {}, asked.q ? pieces('list.noMatch', { words }) : t('list.noFilterMatch')),
            el('button', { type: 'button', class: 'btn', onclick: showAll }, t('list.showAll')),
        ];
    }
    return [el('p', {}, t('list.empty'))];
}

function shape() {
    if (answer.value === null) {
        return null;
    }
    return answer.value.data.length === 0 ? 'nothing' : answer.value.list.view;
}

const MAKERS = {
    cards: () => listed(el('ul', { class: 'cards' }), card),
    table,
    nothing: () => el('div', { class: 'nothing' }, () => (answer.value?.data.length === 0 ? nothing() : undefined)),
};

/* ---- where in the list ---- */

function countText({ list: { page }, data, pagination: { limit, total, totalRelation } }) {
    if (total === 0 || data.length === 0) {
        return t('list.none');
    }
    const from = (page - 1) * limit + 1;
    const key = totalRelation === 'gte' ? 'list.rangeOfMore' : 'list.range';
    return t(key, { from, to: from + data.length - 1, n: total });
}

function hasNext({ list: { page }, data, pagination: { limit, total, totalRelation } }) {
    return totalRelation === 'gte' ? data.length === limit : page * limit < total;
}

function setLink(id, page, exists) {
    const link = byId(id);
    link.hidden = !exists;
    link.href = writeList({ ...list.value, page }) || 'index.html';
}

function showPosition() {
    const shown = answer.value;
    byId('pages').hidden = !shown || shown.data.length === 0;
    byId('count').textContent = shown ? countText(shown) : '';
    if (shown) {
        const { page } = shown.list;
        setTitle(page > 1 ? t('list.titlePage', { n: page }) : t('list.title'));
        setLink('previous', page - 1, page > 1);
        setLink('next', page + 1, hasNext(shown));
        byId('position').textContent = t('list.page', { n: page });
    }
}

/* ---- asking ---- */

async function fetchList(asked, signal) {
    const get = pairs => send('GET', `/products?${new URLSearchParams(pairs)}`, { signal });
    const others = askCategories(asked, lacks);
    const [products, counted] = await Promise.all([
        get(askList(asked, lacks)),
        others && get(others).catch(() => null), /* the list is worth more than the numbers beside it */
    ]);
    return { products, counts: others ? counted?.facets : products.facets };
}

/* Asks again without what the server has no index of. */
async function fetchPossible(asked, signal) {
    try {
        return await fetchList(asked, signal);
    } catch (error) {
        const lacking = readLacks(error, asked).filter(name => !lacks.has(name));
        if (lacking.length === 0) {
            throw error;
        }
        lacking.forEach(name => lacks.add(name));
        remember('sessionStorage', LACKS, [...lacks].join());
        hideLacking();
        return fetchPossible(asked, signal);
    }
}

async function read(signal) {
    const asked = list.value;
    return { asked, ...(await fetchPossible(asked, signal)) };
}

const show = loader(
    () => writeList(list.value),
    read,
    found => {
        categories.value = found ? (found.counts?.category ?? []) : categories.value;
        answer.value = found && { list: found.asked, ...found.products };
    },
    isLoading,
    byId('list-trouble'),
);

/* Changes of the list lead to its first page, except those that say which. */
async function ask(changes, { replaces = false } = {}) {
    history.replaceState({ ...history.state, y: scrollY }, '');
    list.value = { ...list.value, page: 1, ...changes };
    const address = location.pathname + writeList(list.value);
    history[replaces ? 'replaceState' : 'pushState'](null, '', address);
    isTyping = false;
    fill();
    await show();
}

async function turn(page) {
    await ask({ page });
    scrollTo(0, 0);
    byId('title').focus();
}

/* A click on a link to another page of the list. */
function follows(event) {
    if (isPlainClick(event)) {
        event.preventDefault();
        turn(readList(new URL(event.currentTarget.href).search).page);
    }
}

/* ---- the controls ---- */

const NOTHING = { q: '', category: null, min: '', max: '', stock: false, rating: '' };

function fill() {
    const { q, stock, rating, sort, limit, view } = list.value;
    const { elements } = byId('filters');
    if (byId('q').value.trim() !== q) {
        byId('q').value = q;
    }
    for (const input of priceInputs()) {
        if (document.activeElement !== input && !isFault(input.value)) {
            input.value = list.value[input.name];
        }
    }
    elements.stock.checked = stock;
    elements.rating.value = rating;
    byId('sort').value = sort;
    byId('limit').value = limit;
    for (const button of document.querySelectorAll('[data-view]')) {
        button.setAttribute('aria-pressed', button.dataset.view === view);
    }
    const filters = countFilters(list.value);
    byId('clear').disabled = filters === 0;
    byId('filter-count').hidden = filters === 0;
    byId('filter-count').textContent = filters && formatWhole(filters);
}

function showAll({ q = '' }) {
    forgetFaults();
    ask({ ...NOTHING, q });
}

function categoryOption(item) {
    const { value } = item.value;
    const input = el('input', { type: 'radio', name: 'category', value: value ?? '' });
    input.category = value; /* null: all; '': those without */
    follow(() => (input.checked = list.value.category === value));
    const count = () => (item.value.count === undefined ? '' : formatWhole(item.value.count));
    return el(
        'label',
        { class: 'option' },
        input,
        bdi(value === null ? t('list.allCategories') : value || t('list.uncategorized')),
        el('span', { class: 'option-count' }, count),
    );
}

function categoryItems() {
    const { category } = list.value;
    const known = categories.value;
    const isListed = category === null || known.some(({ value }) => value === category);
    return [{ value: null }, ...known, ...(isListed ? [] : [{ value: category, count: 0 }])];
}

function hideLacking() {
    byId('search').hidden = lacks.has('q');
    byId('by-price').hidden = lacks.has('price');
    byId('by-rating').hidden = lacks.has('rating');
    [...byId('sort').options].forEach(option => {
        option.hidden = option.disabled = option.value !== '' && lacks.has(`sort ${option.value.replace('-', '')}`);
    });
    byId('by-sort').hidden = [...byId('sort').options].every(({ value, hidden }) => value === '' || hidden);
    const hasNone = categories.value === null ? !isLoading.value : categoryItems().length < 2; /* while they are loading, they have their place */
    byId('by-category').hidden = lacks.has('category') || hasNone;
}

/* ---- saving what the list shows ---- */

const isSaving = state(false); /* is the menu open? */

/* Spreadsheets take the marks of their user's language, which is most likely that of the page, and UTF-8 only with a byte order mark. */
function sheetStyle() {
    return { safe: 1, bom: true, ...(hasDecimalComma() && { delimiter: 'semicolon', decimal: 'comma' }) };
}

/* They are links, so that the browser writes the file while it arrives. */
function showExports() {
    for (const link of document.querySelectorAll('[data-format]')) {
        const { format, sheet } = link.dataset;
        const style = { format, ...(sheet && sheetStyle()) };
        const pairs = [...Object.entries(style), ...selection(answer.value?.list ?? list.value, lacks)];
        link.href = `${API}/products/export?${new URLSearchParams(pairs)}`;
    }
}

function listenToExports() {
    const menu = byId('export');
    menu.addEventListener('click', ({ target }) => (menu.open &&= !target.closest('a')));
    menu.addEventListener('focusout', ({ relatedTarget }) => {
        menu.open &&= relatedTarget === null || menu.contains(relatedTarget);
    });
    menu.addEventListener('keydown', event => {
        if (event.key === 'Escape' && menu.open) {
            menu.open = false;
            menu.firstElementChild.focus();
        }
    });
    addEventListener('click', ({ target }) => (menu.open &&= menu.contains(target)));
    menu.addEventListener('toggle', () => (isSaving.value = menu.open));
    follow(() => isSaving.value && showExports());
}

/* ---- the filters, as they are typed ---- */

const priceInputs = () => ['min', 'max'].map(name => byId('filters').elements[name]);

/* A price as typed: '' for none, NaN for a fault. */
function typedPrice(text) {
    return text.trim() === '' ? '' : String(parseNumber(text.trim()));
}

function isFault(text) {
    const price = typedPrice(text);
    return price === 'NaN' || Number(price) < 0;
}

/* Says whether a price is not understood. Its text stays until the user changes it or chooses another list as a whole. */
function checkPrices() {
    const isFaulty = priceInputs().some(({ value }) => isFault(value));
    byId('price-error').textContent = isFaulty ? t('list.priceFault') : '';
    return !isFaulty;
}

function forgetFaults() {
    priceInputs().filter(({ value }) => isFault(value)).forEach(input => (input.value = ''));
    checkPrices();
}

function typedFilters() {
    const { stock, rating } = byId('filters').elements;
    const [min, max] = priceInputs().map(({ value }) => typedPrice(value));
    return { min, max, stock: stock.checked, rating: rating.value };
}

function changeFilters({ target }) {
    if (target.name === 'category') {
        ask({ category: target.category });
    } else if (checkPrices()) {
        ask(typedFilters());
    }
}

const typedSearch = () => byId('q').value.trim().replace(/\s+/g, ' ');

/*
 * What was typed or chosen before this script ran is what the user wants now, and the address follows. A price is taken when its field
 * has lost the focus, as later. The browser does not fill in what was there before a reload or Back, because of autocomplete="off".
 */
function takeEarly() {
    const isReady = input => document.activeElement !== input && !isFault(input.value);
    const { stock, rating, ...prices } = typedFilters();
    const early = { q: typedSearch(), stock, rating, sort: byId('sort').value };
    priceInputs().filter(isReady).forEach(({ name }) => (early[name] = prices[name]));
    const changes = Object.entries(early).filter(([name, value]) => value && value !== list.value[name]);
    if (changes.length > 0) {
        list.value = { ...list.value, ...Object.fromEntries(changes), page: 1 };
        history.replaceState(null, '', location.pathname + writeList(list.value));
        isTyping = changes.some(([name]) => name === 'q');
    }
    checkPrices();
}

function listenToSearch() {
    let pause;
    const search = () => {
        clearTimeout(pause);
        const q = typedSearch();
        if (q !== list.value.q) {
            const replaces = isTyping;
            ask({ q }, { replaces });
            isTyping = true;
        }
    };
    byId('q').addEventListener('input', () => {
        clearTimeout(pause);
        pause = setTimeout(search, PAUSE);
    });
    byId('search').addEventListener('submit', event => {
        event.preventDefault();
        search();
    });
}

/* The filters are beside the list, or in a drawer where there is no room for them. */
function placeFilters() {
    const place = drawers.matches ? byId('drawer') : byId('side');
    byId('drawer').close();
    if (!place.contains(byId('filters'))) {
        place.append(byId('filters')); /* which takes the focus from a field */
    }
}

function listen() {
    listenToSearch();
    listenToExports();
    byId('filters').addEventListener('change', changeFilters);
    byId('filters').addEventListener('submit', event => event.preventDefault());
    byId('clear').addEventListener('click', () => showAll({ q: list.value.q }));
    byId('sort').addEventListener('change', ({ target }) => ask({ sort: target.value }));
    byId('limit').addEventListener('change', ({ target }) => {
        const { page, limit } = list.value;
        const first = (page - 1) * limit; /* the first product stays on the page */
        ask({ limit: Number(target.value), page: Math.floor(first / Number(target.value)) + 1 });
    });
    for (const button of document.querySelectorAll('[data-view]')) {
        button.addEventListener('click', () => ask({ view: button.dataset.view, page: list.value.page }));
    }
    byId('previous').addEventListener('click', follows);
    byId('next').addEventListener('click', follows);
    byId('open-filters').addEventListener('click', () => byId('drawer').showModal());
    byId('close-filters').addEventListener('click', () => byId('drawer').close());
    drawers.addEventListener('change', placeFilters);
}

/* ---- back to the same place ---- */

/* Notes which product is opened and how far the page is scrolled, for the way back. */
function notePlace(event) {
    const at = event.target.closest('.product-link')?.id;
    history.replaceState({ y: scrollY, at }, '');
    remember('sessionStorage', LIST, `index.html${location.search}`);
    remember('sessionStorage', PLACE, JSON.stringify({ search: location.search, y: scrollY, at }));
}

/* By Back, or by the product's link to this list. */
function readPlace() {
    const kept = JSON.parse(recall('sessionStorage', PLACE) ?? '{}');
    remember('sessionStorage', PLACE, null);
    return history.state ?? (kept.search === location.search ? kept : {});
}

function returnToPlace() {
    const { y, at } = readPlace();
    if (at) {
        byId(at)?.focus({ preventScroll: true });
    }
    if (y !== undefined) {
        scrollTo(0, y);
    }
}

async function goBack() {
    list.value = readList(location.search);
    isTyping = false;
    forgetFaults();
    fill();
    await show();
    returnToPlace();
}

/* ---- the beginning ---- */

const shown = state(null); /* what the list is shown as, which stays when its products change */
follow(() => (shown.value = shape()));
follow(() => {
    const maker = MAKERS[shown.value];
    if (maker || document.querySelector('.skeleton') === null) {
        byId('list').replaceChildren(...(maker ? [maker()] : []));
    }
});
follow(showPosition);
follow(() => byId('list').setAttribute('aria-busy', isLoading.value));
follow(() => isLoading.value || document.querySelector('.skeleton')?.remove());
each(
    byId('categories'),
    () => (categories.value === null ? [] : categoryItems()),
    ({ value }) => (value === null ? 'all' : `=${value}`),
    categoryOption,
);
follow(hideLacking);
history.scrollRestoration = 'manual';
byId('list').addEventListener('click', notePlace);
addEventListener('pagehide', () => history.replaceState({ ...history.state, y: scrollY }, ''));
addEventListener('popstate', goBack);
placeFilters();
takeEarly();
fill();
listen();
watchProducts(show);
show().then(returnToPlace);
start(() => {});
