/* SPDX-License-Identifier: Apache-2.0 */
/* Which products the page for work on products shows, and which of them are selected; makes no elements. */
import { anyOf, read } from '../lib/api.js';
import { byId, state } from '../lib/dom.js';
import { loader } from '../lib/page.js';
import { waiting } from './deletion.js';
import { limitOf, readAddress, requestPath, whereOf, writeAddress } from './query.js';
import { findTwins, pageOfTwins } from './twins.js';

export const address = state(readAddress());
export const answer = state(); /* the last one: { data, pagination }; null: there was none; undefined: not yet */
export const isLoading = state(true);

export function visit(next, { replaces = false, opened = false } = {}) {
    history[replaces ? 'replaceState' : 'pushState']({ opened }, '', writeAddress(next));
    address.value = next;
}

/* Whatever the order, products of one name stand together. */
async function readTwins(asked, signal) {
    const twins = await findTwins(whereOf(asked), signal);
    const { ids, pagination } = pageOfTwins(twins, asked.page, limitOf(asked));
    const { data } = ids.length > 0 ? await read(`/products?${new URLSearchParams([...anyOf('id', ids), ['limit', 100]])}`, { signal }) : { data: [] };
    const place = new Map(ids.map((id, i) => [id, i]));
    return { data: data.sort((a, b) => place.get(a.id) - place.get(b.id)), pagination };
}

/* What the list depends on. */
export const question = asked => requestPath(asked) + asked.twins;

export const load = loader(
    () => question(address.value),
    signal => (address.value.twins ? readTwins(address.value, signal) : read(requestPath(address.value), { signal })),
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

/* All that match, however many: { where, n }, as text and number; else null. The page does not know them one by one. */
export const matching = state(null);

export function select(products, isSelected = true) {
    const next = new Map(selected.value);
    products.forEach(product => (isSelected ? next.set(product.id, product) : next.delete(product.id)));
    selected.value = next;
}

export function updateSelected(products) {
    select(products.filter(({ id }) => selected.value.has(id)));
}

export const isSelected = id => matching.value !== null || selected.value.has(id);

let anchor; /* the id from which a range begins */

/* Of all that match, one that is not to be selected leaves those of this page. */
function setSelected(products, isNow) {
    if (matching.value) {
        matching.value = null;
        select(listed());
    }
    select(products, isNow);
}

/* Selects the product or not, and all between it and the last one for which that was done if that isRange. */
export function choose(id, isNow, isRange = false) {
    const ids = listed().map(product => product.id);
    const ends = [isRange ? ids.indexOf(anchor) : -1, ids.indexOf(id)];
    const [from, to] = ends[0] < 0 ? [ends[1], ends[1]] : ends.sort((a, b) => a - b);
    setSelected(listed().slice(from, to + 1), isNow);
    anchor = id;
}

export function choosePage(isNow) {
    setSelected(listed(), isNow);
}

export function chooseNone() {
    matching.value = null;
    selected.value = new Map();
}

/* The selected products, without those that wait for their deletion. */
export function chosen() {
    return [...selected.value.values()].filter(({ id }) => !waiting.value?.ids.has(id));
}

/* How many products match, as far as that is known; the server does not count all if there are very many. */
export const isCounted = () => answer.value?.pagination.totalRelation !== 'gte';
export const countMatching = () => answer.value?.pagination.total ?? 0;

/*
 * Selects all that match, on whichever page of the list: up to MOST_SELECTED one by one, so that the page knows what it has changed; more as what
 * they have in common, so that the server changes them.
 */
export async function selectAll() {
    if (isCounted() && countMatching() <= MOST_SELECTED) {
        select((await read(requestPath({ ...address.value, page: 1, limit: MOST_SELECTED }))).data);
        return;
    }
    const where = whereOf(address.value);
    const { pagination } = await read(`/products?${where}${where && '&'}count=exact&fields=id&limit=1`);
    chooseNone();
    matching.value = { where, n: pagination.total };
}
