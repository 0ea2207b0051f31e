/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes products. Prevents users from overwriting each other's changes, and products from being created
 * twice. */
import { call, newKey, read, send } from '../lib/api.js';
import { complete, differences, hasDetails, isSame, valuesOf, writableNames } from './fields.js';

const UPLOAD_PATIENCE = 180_000; /* ms for a picture of ten megabytes over a slow connection */

const tags = new Map(); /* products with their ETags, by id: { product, tag } */

let hasPictures = false;

/* Asks the server whether products have pictures, once per page. Resolves to the answer. */
export async function learnPictures() {
    hasPictures = 'images' in (await send('GET', '/')).data.links;
    return hasPictures;
}

const picturesIn = ({ images = [] }) => JSON.stringify(images.map(({ id, alt = '' }) => [id, alt]));

/* Returns true if both products have the same pictures in the same order. */
export const hasSamePictures = (one, other) => picturesIn(one) === picturesIn(other);

export const pathOf = id => `/products/${encodeURIComponent(id)}`;

/* Another user has changed the product. `product` is its present state. */
export class Changed extends Error {
    constructor(product) {
        super('changed');
        this.product = product;
    }
}

function keep({ data, tag }) {
    const product = complete(data);
    tags.set(product.id, { product, tag });
    return product;
}

const watchers = [];

/* Calls watcher({ before, now }) after a product was written. before has the replaced values, or is null for a new
 * product. */
export function watchWrites(watcher) {
    watchers.push(watcher);
}

const noteWrite = write => watchers.forEach(watcher => watcher(write));

export async function readProduct(id) {
    return keep(await read(pathOf(id)));
}

/*
 * Resolves to the ETag of the product in the state that the user has seen. That state may come from a list, which has
 * no ETags. Rejects with Changed if the product is no longer in that state.
 */
export async function tagOf(seen) {
    const known = tags.get(seen.id);
    if (known && isSame(known.product, seen)) {
        return known.tag;
    }
    const now = await readProduct(seen.id);
    if (!isSame(now, seen)) {
        throw new Changed(now);
    }
    return tags.get(seen.id).tag;
}

const MOST_IDS = 100; /* ids in one condition */

async function readSome(ids, found, more, options, cursor = '') {
    const query = `id[in]=${ids}&etags=true&limit=${MOST_IDS}${more}&cursor=${encodeURIComponent(cursor)}`;
    const { data, pagination } = await call('GET', `/products?${query}`, undefined, options);
    data.forEach(({ etag, ...product }) => found.set(product.id, { product, tag: etag }));
    return pagination.nextCursor ? readSome(ids, found, more, options, pagination.nextCursor) : found; /* the server
                                                                                                        * may return
                                                                                                        * fewer at
                                                                                                        * once */
}

/*
 * Reads the present state of many products: { product, tag } by id. Deleted products are missing. If isWhole is true,
 * also reads fields that lists omit. `options` are those of call().
 */
export async function readStates(products, isWhole = false, options = {}) {
    const found = new Map();
    const more = isWhole ? `&fields=id,${[...writableNames(), ...(hasPictures ? ['images'] : [])]}` : '';
    for (let i = 0; i < products.length; i += MOST_IDS) {
        await readSome(products.slice(i, i + MOST_IDS).map(({ id }) => id), found, more, options);
    }
    isWhole && found.forEach(state => (state.product = complete(state.product)));
    hasDetails() || found.forEach((state, id) => tags.set(id, state)); /* otherwise the next tagOf() would miss a
                                                                        * change of a field that lists omit */
    return found;
}

/* Adds a picture, which is a file. `key` must be the same for a repeated attempt. `owner` is that of call(). Resolves
 * to the product with the picture. */
export async function addPicture({ id }, file, key, owner) {
    await call('POST', `${pathOf(id)}/images`, file, { owner, headers: { 'Idempotency-Key': key }, patience: UPLOAD_PATIENCE });
    return readProduct(id);
}

/*
 * Runs attempt(), which writes data based on the state that the user has seen, until the ETag matches. Rejects with
 * Changed if isStill(product) returns false. Changes of other data by another user, such as the pictures next to the
 * form, do not matter.
 */
async function write(id, attempt, isStill) {
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            if (error.status !== 412) {
                throw error;
            }
        }
        const now = await readProduct(id);
        if (!isStill(now)) {
            throw new Changed(now);
        }
    }
}

/* Sets the pictures of the product, in this order: [{ id, alt }]. Rejects with Changed. */
export async function arrangePictures(seen, images) {
    const known = tags.get(seen.id)?.product ?? (await readProduct(seen.id));
    if (!hasSamePictures(known, seen)) {
        throw new Changed(known); /* a picture that the user has not seen must not be deleted */
    }
    const attempt = () => call('PATCH', pathOf(seen.id), { images }, { headers: { 'If-Match': tags.get(seen.id).tag } });
    return keep(await write(seen.id, attempt, now => hasSamePictures(now, seen)));
}

/* Sends only the changed fields, so that another user's changes of other fields are kept. Rejects with Changed. */
export async function update(seen, changes) {
    const attempt = async () => call('PATCH', pathOf(seen.id), changes, { headers: { 'If-Match': await tagOf(seen) } });
    const now = keep(await write(seen.id, attempt, found => isSame(found, seen)));
    noteWrite({ before: valuesOf(seen, Object.keys(changes)), now });
    return now;
}

/* Statuses after which the same attempt can never succeed: the body is refused, or the key was used with another
 * body. */
const KEY_IS_USED = 422;
const REFUSALS = [400, 413, KEY_IS_USED];

/*
 * Creates a product. `attempt` is { key, body } of an earlier attempt whose result is unknown, or null.
 * noteAttempt(attempt) stores it for the next call. If the earlier attempt did create the product, changes that product
 * instead of creating another. Rejects with Changed.
 */
export async function create(values, attempt, noteAttempt) {
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)); /* only an update
                                                                                                    * may clear
                                                                                                    * fields */
    const sent = attempt ?? { key: newKey(), body };
    noteAttempt(sent);
    const store = async () => {
        const now = keep(await call('POST', '/products', sent.body, { headers: { 'Idempotency-Key': sent.key } }));
        noteWrite({ before: null, now });
        return now;
    };
    const product = await store().catch(error => {
        if (!REFUSALS.includes(error.status)) {
            throw error;
        }
        noteAttempt(null);
        if (error.status === KEY_IS_USED || isSame(sent.body, body)) {
            throw error;
        }
        return create(values, null, noteAttempt);
    });
    const changes = differences(values, product);
    return Object.keys(changes).length > 0 ? update(product, changes) : product;
}
