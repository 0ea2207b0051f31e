/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Possible duplicates: products that share their name, whatever its case, accents and marks. The server does not group products, so the page
 * reads the names of all that match, a thousand at a time. Makes no elements.
 */
import { read } from '../lib/api.js';
import { state } from '../lib/dom.js';

const PORTION = 1000;
const MOST_IDS = 100; /* in a condition */

export const compared = state(null); /* products so far while names are compared, else null */

/* Without letters and digits there is nothing but the marks. */
function foldName(name) {
    const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}

/* Resolves to lists of ids, each of the products of one name, in the order of the names. */
export async function findTwins(where, signal) {
    const byName = new Map();
    let cursor = '';
    try {
        do {
            const path = `/products?${where}${where && '&'}fields=id,name&count=none&limit=${PORTION}&cursor=${encodeURIComponent(cursor)}`;
            const { data, pagination } = await read(path, { signal });
            data.forEach(({ id, name }) => {
                const key = foldName(name);
                byName.has(key) ? byName.get(key).push(id) : byName.set(key, [id]);
            });
            compared.value = (compared.value ?? 0) + data.length;
            cursor = pagination.nextCursor;
        } while (cursor);
    } finally {
        compared.value = null;
    }
    const shared = [...byName].filter(([, ids]) => ids.length > 1);
    return shared.sort(([a], [b]) => a.localeCompare(b)).map(([, ids]) => ids);
}

/* The ids of a page, and its pagination. Products of one name are on one page, unless there are more of them than it has room for. */
export function pageOfTwins(twins, page, wanted) {
    const limit = Math.min(wanted, MOST_IDS);
    const pages = [[]];
    for (const ids of twins) {
        pages.at(-1).length + ids.length > limit && pages.at(-1).length > 0 && pages.push([]);
        for (const id of ids) {
            pages.at(-1).length === limit && pages.push([]);
            pages.at(-1).push(id);
        }
    }
    const before = pages.slice(0, page - 1).flat().length;
    return { ids: pages[page - 1] ?? [], pagination: { page, limit, from: before + 1, total: twins.flat().length, pages: pages.length } };
}
