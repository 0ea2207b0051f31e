/* SPDX-License-Identifier: Apache-2.0 */
/* Which products the page for work on products shows, and which of them are selected; makes no elements. */
import { read } from '../lib/api.js';
import { byId, state } from '../lib/dom.js';
import { loader } from '../lib/page.js';
import { waiting } from './deletion.js';

const LIMIT = 50;

/* The names of the form's controls, and of parameters of the page. */
export const FILTERS = ['q', 'category', 'stock', 'sort', 'limit'];

/*
 * Texts, '' for what is not given: category begins with '=', because a product may have none; product is the id of the one in the dialog,
 * or NEW. page is a number.
 */
export function readAddress() {
    const query = new URLSearchParams(location.search);
    const given = ['q', 'stock', 'sort', 'limit', 'product'].map(name => [name, (query.get(name) ?? '').trim()]);
    return {
        ...Object.fromEntries(given),
        category: query.has('category') ? `=${query.get('category')}` : '',
        page: Math.max(1, Math.floor(Number(query.get('page')) || 1)),
    };
}

export function writeAddress({ page, category, ...texts }) {
    const query = new URLSearchParams(Object.entries(texts).filter(([, text]) => text !== ''));
    if (category) {
        query.set('category', category.slice(1));
    }
    if (page > 1) {
        query.set('page', page);
    }
    return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

const limitOf = ({ limit }) => Number(limit) || LIMIT;

/* What selects the products, as parameters of GET /products. */
export function conditions({ q, category, stock }) {
    const all = [
        ['q', q],
        ['category', category && category.slice(1)],
        ['inStock', stock],
    ];
    return all.filter(([name, value]) => value !== '' || (name === 'category' && category));
}

/* The request for the list. */
export function requestPath(asked) {
    const sort = asked.sort ? [['sort', asked.sort]] : [];
    return `/products?${new URLSearchParams([...conditions(asked), ...sort, ['limit', limitOf(asked)], ['page', asked.page]])}`;
}

export const address = state(readAddress());
export const answer = state(); /* the last one: { data, pagination }; null: there was none; undefined: not yet */
export const isLoading = state(true);

export function visit(next, { replaces = false, opened = false } = {}) {
    history[replaces ? 'replaceState' : 'pushState']({ opened }, '', writeAddress(next));
    address.value = next;
}

export const load = loader(
    () => requestPath(address.value),
    signal => read(requestPath(address.value), { signal }),
    found => {
        answer.value = found && { data: found.data, pagination: found.pagination };
        updateSelected(found?.data ?? []);
    },
    isLoading,
    byId('list-trouble'),
);

/* Shows a product as it is now, without reading the list again, in which it might move. */
export function showStored(product) {
    const { data = [], pagination } = answer.value ?? {};
    answer.value &&= { data: data.map(item => (item.id === product.id ? product : item)), pagination };
    updateSelected([product]);
}

/* The products of the page, without those that wait for their deletion. */
export function listed() {
    return (answer.value?.data ?? []).filter(({ id }) => !waiting.value?.ids.has(id));
}

/* ---- the selection ---- */

export const MOST_SELECTED = 1000;

export const selected = state(new Map()); /* products by id, as the user has seen them, on this page of the list or on others */

export function select(products, isSelected = true) {
    const next = new Map(selected.value);
    products.forEach(product => (isSelected ? next.set(product.id, product) : next.delete(product.id)));
    selected.value = next;
}

export function updateSelected(products) {
    select(products.filter(({ id }) => selected.value.has(id)));
}

export function toggle(id) {
    const product = listed().find(item => item.id === id);
    select([product], !selected.value.has(id));
}

/* The selected products, without those that wait for their deletion. */
export function chosen() {
    return [...selected.value.values()].filter(({ id }) => !waiting.value?.ids.has(id));
}

/* Selects all that match, on whichever page of the list, up to MOST_SELECTED. */
export async function selectAll() {
    select((await read(requestPath({ ...address.value, page: 1, limit: MOST_SELECTED }))).data);
}
