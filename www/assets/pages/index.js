/* SPDX-License-Identifier: Apache-2.0 */
import { API, send, watchProducts } from '../lib/api.js';
import { bdi, byId, each, el, follow, isPlainClick, recall, remember, state } from '../lib/dom.js';
import { loader, setTitle, start } from '../lib/page.js';
import { formatPrice, formatRating, formatWhole, hasDecimalComma, parseNumber, pieces, t } from '../lib/text.js';
import { addCompareBar, card, compareButton, productLink, ratingText, stockText } from '../shop/card.js';
import { fillFacet, learnFacets, ownFacets, showOwnFacets, valueText } from '../shop/facets.js';
import { chosenOf, choosing, countFilters, NOTHING, questions, readLacks, readList, selection, writeList } from '../shop/query.js';

/* ---- the list in the page ---- */

const LACKS = 'lacks';
const LIST = 'list'; /* the address of the list that a product was opened from */
const PLACE = 'place'; /* the place in it */
const PAUSE = 250; /* ms without a key, after which the search begins */
const drawers = matchMedia('(max-width: 60rem)');

const list = state(readList(location.search));
const answer = state(null); /* the last one: { list, data, pagination } */
const counts = state(null); /* of each facet, [{ value, count }]; null: not known yet */
const cut = state([]); /* the facets that have more values */
const isLoading = state(true);
const lacks = new Set((recall('sessionStorage', LACKS) ?? '').split(',').filter(Boolean));
let isTyping = false; /* the address is that of the search so far, which the next letter replaces */

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

/* Nothing matches: what was asked for, what may help, and the way back. */
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

/* Searches that are likelier to find something. */
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

const AHEAD = 4; /* products whose pictures are seen at once */
const isAhead = ({ id }) => answer.value.data.slice(0, AHEAD).some(first => first.id === id);

const MAKERS = {
    cards: () => listed(el('ul', { class: 'cards' }), item => card(item, compareButton(item), isAhead(item))),
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
    byId('export').hidden = byId('pages').hidden || shown.corrected !== undefined; /* a file has what was asked for */
    byId('count').textContent = shown ? countText(shown) : '';
    if (shown) {
        const { page } = shown.list;
        setTitle(page > 1 ? t('list.titlePage', { n: page }) : t('list.title'));
        setLink('previous', page - 1, page > 1);
        setLink('next', page + 1, hasNext(shown));
        byId('position').textContent = t('list.page', { n: page });
    }
}

const OTHERS = 5; /* words that the note names */

/* The words that were not asked for, and the way to the list without them. */
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

/* ---- asking ---- */

const facetNames = () => ['category', ...ownFacets().map(({ name }) => name)];

/* The list is worth more than the numbers beside it. */
async function fetchList(asked, signal) {
    const get = pairs => send('GET', `/products?${new URLSearchParams(pairs)}`, { signal });
    const { products, others } = questions(asked, facetNames(), lacks);
    const [first, ...more] = await Promise.all([get(products), ...others.map(pairs => get(pairs).catch(() => ({})))]);
    return { products: first, counted: [first, ...more] };
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
        if (found) {
            counts.value = Object.assign({}, ...found.counted.map(({ facets }) => facets));
            cut.value = found.counted.flatMap(({ facetsMore = [] }) => facetsMore);
        }
        answer.value = found && { list: found.asked, ...found.products };
    },
    isLoading,
    byId('list-trouble'),
);

/* Changes of the list lead to its first page, except those that say which. */
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

/* A click on a link to another page of the list. */
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

/* To a list that has nothing to do with what is being typed. */
function change(changes) {
    forgetFaults();
    return ask(changes);
}

/* A facet as the list has it. Values are texts, as in the address. */
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
    [...byId('sort').options].forEach(option => {
        option.hidden = option.disabled = option.value !== '' && lacks.has(`sort ${option.value.replace('-', '')}`);
    });
    byId('by-sort').hidden = [...byId('sort').options].every(({ value, hidden }) => value === '' || hidden);
    const found = counts.value?.category ?? [];
    const hasNone = counts.value === null ? !isLoading.value : found.length === 0 && list.value.category === null; /* while they are loading, they have their place */
    byId('by-category').hidden = lacks.has('category') || hasNone;
}

/* ---- the filters in use ---- */

function priceText({ min, max }) {
    const [least, most] = [min, max].map(price => formatPrice(Number(price)));
    return t(max === '' ? 'chip.least' : min === '' ? 'chip.most' : 'chip.between', { least, most });
}

/* Of each: a text, and the changes of the list that remove it. */
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
    each(byId('chips'), () => answer.value !== undefined && chips(list.value), ({ text }) => text, chip); /* whose currency comes with the answer */
    follow(() => (byId('chips').hidden = chips(list.value).length === 0));
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

/* Says what is wrong with the prices. A text that is not understood stays until the user changes it or chooses another list as a whole. */
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
    byId('clear').addEventListener('click', () => change({ ...NOTHING, q: list.value.q }));
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
learnFacets().then(isNew => isNew && show(), () => {}); /* the list is worth more than its filters */
start(() => {});
