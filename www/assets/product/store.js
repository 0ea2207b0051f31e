/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes products, so that no user overwrites what another one has changed, and nothing is created twice. */
import { call, newKey, read, send } from '../lib/api.js';
import { complete, differences, hasDetails, isSame, valuesOf, writableNames } from './fields.js';

const UPLOAD_PATIENCE = 180_000; /* ms for a picture of ten megabytes on a slow line */

const tags = new Map(); /* of products by id: { product, tag } */

let hasPictures = false;

/* Asks the server whether products have pictures, once a page. Resolves to that. */
export async function learnPictures() {
    hasPictures = 'images' in (await send('GET', '/')).data.links;
    return hasPictures;
}

const picturesIn = ({ images = [] }) => JSON.stringify(images.map(({ id, alt = '' }) => [id, alt]));

/* Do both have the same pictures, in the same order? */
export const hasSamePictures = (one, other) => picturesIn(one) === picturesIn(other);

export const pathOf = id => `/products/${encodeURIComponent(id)}`;

/* Somebody else has changed the product: it is now like this. */
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

/* Calls watcher({ before, now }) after a product was written: before are the values that were replaced, null of a new one. */
export function watchWrites(watcher) {
    watchers.push(watcher);
}

const noteWrite = write => watchers.forEach(watcher => watcher(write));

export async function readProduct(id) {
    return keep(await read(pathOf(id)));
}

/*
 * The ETag of the product in the state in which the user has seen it, which may come from a list, that has no ETags. Rejects with
 * Changed if the product is no longer in that state.
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

const MOST_IDS = 100; /* in a condition */

async function readSome(ids, found, more, options, cursor = '') {
    const query = `id[in]=${ids}&etags=true&limit=${MOST_IDS}${more}&cursor=${encodeURIComponent(cursor)}`;
    const { data, pagination } = await call('GET', `/products?${query}`, undefined, options);
    data.forEach(({ etag, ...product }) => found.set(product.id, { product, tag: etag }));
    return pagination.nextCursor ? readSome(ids, found, more, options, pagination.nextCursor) : found; /* the server may return fewer at once */
}

/*
 * Many products as they are now, by id: { product, tag }. Those that are gone are not among them. isWhole: with what lists lack. options: those of
 * call().
 */
export async function readStates(products, isWhole = false, options = {}) {
    const found = new Map();
    const more = isWhole ? `&fields=id,${[...writableNames(), ...(hasPictures ? ['images'] : [])]}` : '';
    for (let i = 0; i < products.length; i += MOST_IDS) {
        await readSome(products.slice(i, i + MOST_IDS).map(({ id }) => id), found, more, options);
    }
    isWhole && found.forEach(state => (state.product = complete(state.product)));
    hasDetails() || found.forEach((state, id) => tags.set(id, state)); /* or the next tagOf() would not see a change of a detail */
    return found;
}

/* Adds a picture, a file; key: the same for the next attempt; owner: as call() has it. Resolves to the product with it. */
export async function addPicture({ id }, file, key, owner) {
    await call('POST', `${pathOf(id)}/images`, file, { owner, headers: { 'Idempotency-Key': key }, patience: UPLOAD_PATIENCE });
    return readProduct(id);
}

/*
 * Has attempt() write what belongs to the product as the user has seen it. Rejects with Changed if it is otherwise by now, as isStill(product) says;
 * what else somebody has changed in between, such as the pictures beside the form, does not matter.
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

/* The product gets these of its pictures, in this order: [{ id, alt }]. Rejects with Changed. */
export async function arrangePictures(seen, images) {
    const known = tags.get(seen.id)?.product ?? (await readProduct(seen.id));
    if (!hasSamePictures(known, seen)) {
        throw new Changed(known); /* a picture that the user has not seen is not to be deleted */
    }
    const attempt = () => call('PATCH', pathOf(seen.id), { images }, { headers: { 'If-Match': tags.get(seen.id).tag } });
    return keep(await write(seen.id, attempt, now => hasSamePictures(now, seen)));
}

/* Sends only the changed fields, so as not to undo another user's changes to the others. Rejects with Changed. */
export async function update(seen, changes) {
    const attempt = async () => call('PATCH', pathOf(seen.id), changes, { headers: { 'If-Match': await tagOf(seen) } });
    const now = keep(await write(seen.id, attempt, found => isSame(found, seen)));
    noteWrite({ before: valuesOf(seen, Object.keys(changes)), now });
    return now;
}

/* Refusals after which the same attempt is never stored: of its body, and of its key, which was sent with another body. */
const KEY_IS_USED = 422;
const REFUSALS = [400, 413, KEY_IS_USED];

/*
 * Creates a product. attempt: { key, body }, what was sent before without an answer that says what became of it, or null;
 * noteAttempt(attempt) keeps it for the next call. If the earlier attempt did create the product, this one changes it instead of creating
 * another. Rejects with Changed.
 */
export async function create(values, attempt, noteAttempt) {
    const body = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)); /* only an update may clear fields */
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
