/* SPDX-License-Identifier: Apache-2.0 */
/* The products that the page for editing lists, and the selected ones. Creates no elements. */
import { anyOf, read } from '../lib/api.js';
import { byId, state } from '../lib/dom.js';
import { loader } from '../lib/page.js';
import { waiting } from './deletion.js';
import { limitOf, readAddress, requestPath, whereOf, writeAddress } from './query.js';
import { findTwins, pageOfTwins } from './twins.js';

export const address = state(readAddress());
export const answer = state(); /* last answer, { data, pagination }; null after an error; undefined before the first
                                * answer */
export const isLoading = state(true);

export function visit(next, { replaces = false, opened = false } = {}) {
    history[replaces ? 'replaceState' : 'pushState']({ opened }, '', writeAddress(next));
    address.value = next;
}

/* Reads possible duplicates. Products with the same name are next to each other, whatever the order of the list. */
async function readTwins(asked, signal) {
    const twins = await findTwins(whereOf(asked), signal);
    const { ids, pagination } = pageOfTwins(twins, asked.page, limitOf(asked));
    const { data } = ids.length > 0 ? await read(`/products?${new URLSearchParams([...anyOf('id', ids), ['limit', 100]])}`, { signal }) : { data: [] };
    const place = new Map(ids.map((id, i) => [id, i]));
    return { data: data.sort((a, b) => place.get(a.id) - place.get(b.id)), pagination };
}

/* Returns a text that identifies the question of the list. */
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

/* Shows the present state of a product without reading the list again, where it might have another position. */
export function showStored(product) {
    const { data = [], pagination } = answer.value ?? {};
    answer.value &&= { data: data.map(item => (item.id === product.id ? product : item)), pagination };
    updateSelected([product]);
}

/* Returns the products of the page, without those of a pending deletion. */
export function listed() {
    return (answer.value?.data ?? []).filter(({ id }) => !waiting.value?.ids.has(id));
}

/* ---- the selection ---- */

export const MOST_SELECTED = 1000;

export const selected = state(new Map()); /* selected products by id, as the user has seen them, on any page of the
                                           * list */

/* Selection of all matching products: { where, n }, the conditions as text and the number of products, or null. The
 * page does not load these products. */
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

let anchor; /* id at which a range begins */

/* Selects or deselects products. If all matching products are selected, deselecting some leaves the others of this page
 * selected. */
function setSelected(products, isNow) {
    if (matching.value) {
        matching.value = null;
        select(listed());
    }
    select(products, isNow);
}

/* Selects or deselects the product. If isRange is true, does the same for all products between it and the one chosen
 * last. */
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

/* Returns the selected products, without those of a pending deletion. */
export function chosen() {
    return [...selected.value.values()].filter(({ id }) => !waiting.value?.ids.has(id));
}

/* isCounted returns true if the server counted all matching products; if there are very many, countMatching is only the
 * number up to which it counted. */
export const isCounted = () => answer.value?.pagination.totalRelation !== 'gte';
export const countMatching = () => answer.value?.pagination.total ?? 0;

/*
 * Selects all matching products, on all pages of the list. Up to MOST_SELECTED products are loaded, so that the page
 * knows what it changes. More products are selected by their conditions, so that the server changes them.
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
