/* SPDX-License-Identifier: Apache-2.0 */
import { API, send, watchProducts } from '../lib/api.js';
import { bdi, byId, each, el, follow, isPlainClick, recall, remember, state } from '../lib/dom.js';
import { loader, setTitle, start } from '../lib/page.js';
import { formatPrice, formatRating, formatWhole, hasDecimalComma, parseNumber, pieces, t } from '../lib/text.js';
import { addCompareBar, card, compareButton, productLink, ratingText, stockText } from '../shop/card.js';
import { fillFacet, learnFacets, ownFacets, showOwnFacets, valueText } from '../shop/facets.js';
import { chosenOf, choosing, countFilters, NEWEST, NOTHING, questions, readLacks, readList, selection, writeList } from '../shop/query.js';

/* ---- the list ---- */

const LACKS = 'lacks';
const LIST = 'list'; /* key of the address of the list from which a product was opened */
const PLACE = 'place'; /* key of the position in that list */
const PAUSE = 250; /* ms without a key after which the search begins */
const drawers = matchMedia('(max-width: 60rem)');

const list = state(readList(location.search));
const answer = state(null); /* last answer: { list, data, pagination } */
const counts = state(null); /* counts of each facet, [{ value, count }]; null until known */
const cut = state([]); /* facets that have more values */
const isLoading = state(true);
const lacks = new Set((recall('sessionStorage', LACKS) ?? '').split(',').filter(Boolean));
let isTyping = false; /* true while the address has an unfinished search, which the next letter replaces */

function row(item) {
    const { category, price, rating, inStock } = item;
    return el(
        'tr',
        {},
        el('th', { scope: 'row' }, productLink(item), el('span', { class: 'category' }, bdi(category))),
        el('td', { class: 'wide' }, ratingText(rating)),
        el('td', {}, stockText(inStock)),
        el('td', { class: 'number' }, formatPrice(price)),
    );
}

/* Returns an element with a child for each product. A product that has changed gets a new child. */
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

/* Returns the content of an empty list: the search, suggestions, and links to other lists. */
function nothing() {
    const { list: asked, pagination } = answer.value;
    if (pagination.total > 0) {
        const last = writeList({ ...asked, page: pagination.pages });
        return [
            el('p', {}, t('list.noPage', { page: asked.page, pages: pagination.pages })),
            el('a', { class: 'btn', href: last || 'index.html', onclick: follows }, t('list.lastPage')),
        ];
    }
    const filters = countFilters(asked);
    if (!asked.q && filters === 0) {
        return [el('p', {}, t('list.empty'))];
    }
    const key = asked.q ? (filters > 0 ? 'list.noMatch' : 'list.noSuch') : 'list.noFilterMatch';
    return [
        el('h2', {}, pieces(key, { words: bdi(asked.q) })),
        el('p', {}, t(filters > 0 ? 'list.tryFilters' : 'list.tryWords')),
        el('div', { class: 'actions' }, ...suggestions(asked, filters)),
    ];
}

function suggestion(text, changes, style = 'btn') {
    return el('button', { type: 'button', class: style, onclick: () => change(changes) }, el('span', {}, text));
}

/* Returns searches that are more likely to find products. */
function suggestions(asked, filters) {
    const words = asked.q.split(' ').filter(word => word.length > 2);
    const single = filters === 0 && words.length > 1 ? words.slice(0, 4) : [];
    return [
        asked.q && filters > 0 && suggestion(pieces('list.searchAll', { words: bdi(asked.q) }), { ...NOTHING, q: asked.q }, 'btn btn-primary'),
        ...single.map(word => suggestion(pieces('list.searchWord', { words: bdi(word) }), { q: word })),
        suggestion(t('list.showAll'), NOTHING),
    ];
}

function shape() {
    if (answer.value === null) {
        return null;
    }
    return answer.value.data.length === 0 ? 'nothing' : answer.value.list.view;
}

const AHEAD = 4; /* number of products whose pictures are visible at first */
const isAhead = ({ id }) => answer.value.data.slice(0, AHEAD).some(first => first.id === id);

const MAKERS = {
    cards: () => listed(el('ul', { class: 'cards' }), item => card(item, compareButton(item), isAhead(item))),
    table,
    nothing: () => el('div', { class: 'nothing' }, () => (answer.value?.data.length === 0 ? nothing() : undefined)),
};

/* ---- position in the list ---- */

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
    byId('export').hidden = byId('pages').hidden || shown.corrected !== undefined; /* a file contains only products that match without corrections */
    byId('count').textContent = shown ? countText(shown) : '';
    if (shown) {
        const { page } = shown.list;
        setTitle(page > 1 ? t('list.titlePage', { n: page }) : t('list.title'));
        setLink('previous', page - 1, page > 1);
        setLink('next', page + 1, hasNext(shown));
        byId('position').textContent = t('list.page', { n: page });
    }
}

const OTHERS = 5; /* corrections that the message names */

/* Shows the corrections that the server used, with a link to the list without them. */
function showCorrected() {
    const { list: asked, corrected = {} } = answer.value ?? {};
    const others = Object.values(corrected).flat().slice(0, OTHERS);
    byId('corrected').hidden = others.length === 0;
    if (others.length > 0) {
        const narrow = { q: asked.q, match: 'prefix' };
        const link = {
            href: writeList({ ...asked, ...narrow, page: 1 }),
            onclick: event => isPlainClick(event) && (event.preventDefault(), change(narrow)),
        };
        byId('corrected').replaceChildren(
            ...pieces('list.corrected', { words: bdi(asked.q), others: bdi(others.join(', ')) }),
            ' ',
            el('a', link, t('list.asAsked')),
        );
    }
}

/* ---- requests ---- */

const facetNames = () => ['category', ...ownFacets().map(({ name }) => name)];

/* Reads the list and the counts. An error of the counts is ignored. */
async function fetchList(asked, signal) {
    const get = pairs => send('GET', `/products?${new URLSearchParams(pairs)}`, { signal });
    const { products, others } = questions(asked, facetNames(), lacks);
    const [first, ...more] = await Promise.all([get(products), ...others.map(pairs => get(pairs).catch(() => ({})))]);
    return { products: first, counted: [first, ...more] };
}

/* Repeats the request without conditions for which the server has no index. */
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
        if (found) {
            counts.value = Object.assign({}, ...found.counted.map(({ facets }) => facets));
            cut.value = found.counted.flatMap(({ facetsMore = [] }) => facetsMore);
        }
        answer.value = found && { list: found.asked, ...found.products };
    },
    isLoading,
    byId('list-trouble'),
);

/* Changes the list. Shows its first page unless the changes contain a page. */
async function ask(changes, { replaces = false } = {}) {
    history.replaceState({ ...history.state, y: scrollY }, '');
    list.value = { ...list.value, page: 1, ...('q' in changes && { match: '' }), ...changes };
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

/* Handles a click on a link to another page of the list. */
function follows(event) {
    if (isPlainClick(event)) {
        event.preventDefault();
        turn(readList(new URL(event.currentTarget.href).search).page);
    }
}

/* ---- the controls ---- */

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
    fillOrder(q, sort);
    byId('limit').value = limit;
    for (const button of document.querySelectorAll('[data-view]')) {
        button.setAttribute('aria-pressed', button.dataset.view === view);
    }
    const filters = countFilters(list.value);
    byId('clear').disabled = filters === 0;
    byId('filter-count').hidden = filters === 0;
    byId('filter-count').textContent = filters && formatWhole(filters);
}

/* A search has the default order by relevance; newest first can then be chosen as well. */
function fillOrder(q, sort) {
    const [usual, newest] = byId('sort').options;
    usual.dataset.t = q ? 'list.sortRelevant' : 'list.sortNewest';
    usual.textContent = t(usual.dataset.t);
    newest.hidden = newest.disabled = !q;
    byId('sort').value = q || sort !== NEWEST ? sort : '';
}

/* Changes the list as a whole, and so discards invalid input. */
function change(changes) {
    forgetFaults();
    return ask(changes);
}

/* Returns the facet of a field. Values are texts, as in the address. */
function facetOf({ name, label }) {
    return {
        name,
        label,
        isSingle: name === 'category',
        values: () => counts.value && (counts.value[name] ?? []).map(({ value, count }) => ({ value: String(value), count })),
        chosen: () => chosenOf(list.value, name),
        isCut: () => cut.value.includes(name),
        choose: values => ask(choosing(list.value, name, values)),
    };
}

function hideLacking() {
    byId('search').hidden = lacks.has('q');
    byId('by-price').hidden = lacks.has('price');
    byId('by-rating').hidden = lacks.has('rating');
    const [, newest, ...orders] = byId('sort').options;
    orders.forEach(option => {
        option.hidden = option.disabled = lacks.has(`sort ${option.value.replace('-', '')}`);
    });
    byId('by-sort').hidden = [newest, ...orders].every(({ hidden }) => hidden);
    const found = counts.value?.category ?? [];
    const hasNone = counts.value === null ? !isLoading.value : found.length === 0 && list.value.category === null; /* the space is reserved while the counts load */
    byId('by-category').hidden = lacks.has('category') || hasNone;
}

/* ---- the filters in use ---- */

function priceText({ min, max }) {
    const [least, most] = [min, max].map(price => formatPrice(Number(price)));
    return t(max === '' ? 'chip.least' : min === '' ? 'chip.most' : 'chip.between', { least, most });
}

/* Returns, for each filter, a text and the changes of the list that remove the filter. */
function chips(asked) {
    const { q, category, min, max, stock, rating, own } = asked;
    const labels = Object.fromEntries(ownFacets().map(({ name, label }) => [name, label]));
    const ofOwn = ([name, values]) =>
        values.map(value => ({
            text: t('chip.own', { label: labels[name] ?? name, value: valueText(name, value) }),
            changes: choosing(asked, name, values.filter(other => other !== value)),
        }));
    return [
        q && { text: t('chip.words', { words: q }), changes: { q: '' } },
        category !== null && { text: valueText('category', category), changes: { category: null } },
        (min !== '' || max !== '') && { text: priceText(asked), changes: { min: '', max: '' } },
        stock && { text: t('list.inStockOnly'), changes: { stock: false } },
        rating !== '' && { text: t('chip.rating', { rating: formatRating(Number(rating)) }), changes: { rating: '' } },
        ...Object.entries(own).flatMap(ofOwn),
    ].filter(Boolean);
}

function chip({ value: { text, changes } }) {
    const remove = ({ currentTarget }) => {
        const item = currentTarget.parentElement;
        const heir = item.nextElementSibling ?? item.previousElementSibling;
        (heir?.firstElementChild ?? byId('title')).focus({ preventScroll: true });
        change(changes);
    };
    const label = t('chip.remove', { filter: text });
    return el('li', {}, el('button', { type: 'button', class: 'chip', 'aria-label': label, onclick: remove }, bdi(text)));
}

function showChips() {
    each(byId('chips'), () => answer.value !== undefined && chips(list.value), ({ text }) => text, chip); /* shown only after the answer, because the currency comes with it */
    follow(() => (byId('chips').hidden = chips(list.value).length === 0));
}

/* ---- export ---- */

const isSaving = state(false); /* true while the menu is open */

/* Returns the parameters for spreadsheet programs. They expect the decimal mark and delimiter of the user's language,
 * which most likely is the page's, and read UTF-8 only with a byte order mark. */
function sheetStyle() {
    return { safe: 1, bom: true, ...(hasDecimalComma() && { delimiter: 'semicolon', decimal: 'comma' }) };
}

/* Sets the links of the menu. They are links, so that the browser saves the file while it arrives. */
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

/* ---- input of filters ---- */

const priceInputs = () => ['min', 'max'].map(name => byId('filters').elements[name]);

/* Returns a typed price as text: '' for none, 'NaN' for invalid text. */
function typedPrice(text) {
    return text.trim() === '' ? '' : String(parseNumber(text.trim()));
}

function isFault(text) {
    const price = typedPrice(text);
    return price === 'NaN' || Number(price) < 0;
}

/* Shows errors of the prices. An invalid text stays until the user changes it or chooses another list. Returns true if
 * there is no error. */
function checkPrices() {
    const typed = priceInputs().map(({ value }) => value);
    const [min, max] = typed.map(typedPrice);
    const isCrossed = min !== '' && max !== '' && Number(min) > Number(max);
    byId('price-error').textContent = typed.some(isFault) ? t('list.priceFault') : isCrossed ? t('list.priceOrder') : '';
    return byId('price-error').textContent === '';
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
    if (['min', 'max', 'stock', 'rating'].includes(target.name) && checkPrices()) {
        ask(typedFilters());
    }
}

const typedSearch = () => byId('q').value.trim().replace(/\s+/g, ' ');

/*
 * Applies input from before this script ran. The address follows it. A price is used only when its field has lost the
 * focus, as later. The input is the user's, not restored by the browser after a reload or Back, because of
 * autocomplete="off".
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

/* Puts the filters next to the list, or into a drawer on narrow screens. */
function placeFilters() {
    const place = drawers.matches ? byId('drawer') : byId('side');
    byId('drawer').close();
    if (!place.contains(byId('filters'))) {
        place.append(byId('filters')); /* moving the form takes the focus from its fields */
    }
}

function listen() {
    listenToSearch();
    listenToExports();
    byId('filters').addEventListener('change', changeFilters);
    byId('filters').addEventListener('submit', event => event.preventDefault());
    byId('clear').addEventListener('click', () => change({ ...NOTHING, q: list.value.q }));
    byId('sort').addEventListener('change', ({ target }) => ask({ sort: target.value }));
    byId('limit').addEventListener('change', ({ target }) => {
        const { page, limit } = list.value;
        const first = (page - 1) * limit; /* keeps the first product on the page */
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

/* ---- return to the same position ---- */

/* Records which product is opened and how far the page is scrolled. */
function notePlace(event) {
    const at = event.target.closest('.product-link')?.id;
    history.replaceState({ y: scrollY, at }, '');
    remember('sessionStorage', LIST, `index.html${location.search}`);
    remember('sessionStorage', PLACE, JSON.stringify({ search: location.search, y: scrollY, at }));
}

/* Returns the position after Back, or after the product's link to this list. */
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

/* ---- start ---- */

const shown = state(null); /* form in which the list is shown; changes less often than its products */
follow(() => (shown.value = shape()));
follow(() => {
    const maker = MAKERS[shown.value];
    if (maker || document.querySelector('.skeleton') === null) {
        byId('list').replaceChildren(...(maker ? [maker()] : []));
    }
});
follow(showPosition);
follow(showCorrected);
follow(() => byId('list').setAttribute('aria-busy', isLoading.value));
follow(() => isLoading.value || document.querySelector('.skeleton')?.remove());
fillFacet(byId('by-category'), byId('categories'), facetOf({ name: 'category', label: t('list.category') }));
showOwnFacets(facetOf);
showChips();
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
addCompareBar();
show().then(returnToPlace);
learnFacets().then(isNew => isNew && show(), () => {}); /* an error is ignored, because the list works without facets */
start(() => {});
