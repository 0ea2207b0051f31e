/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Possible duplicates: products that share their name, ignoring case, accents and punctuation. The server does not
 * group products, so the page reads the names of all matching products, a thousand at a time. Creates no elements.
 */
import { read } from '../lib/api.js';
import { state } from '../lib/dom.js';

const PORTION = 1000;
const MOST_IDS = 100; /* ids in one condition */

export const compared = state(null); /* number of products whose names were compared so far, or null */

/* Keeps the punctuation of a name that has no letters or digits. */
function foldName(name) {
    const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}

/* Resolves to lists of ids, one list for each shared name, in the order of the names. */
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

/* Returns the ids of a page, and its pagination. Products with the same name are on one page, unless there are more
 * than fit. */
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
