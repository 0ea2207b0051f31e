/* SPDX-License-Identifier: Apache-2.0 */
/* Names the products that the undo of a batch did not change. */
import { call } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { t } from '../lib/text.js';

const NAMED = 20;

/* A product that cannot be found was deleted, unless the code says that another product has its value. */
const reasonOf = (code, isThere) => (code === 'taken' ? 'batch.taken' : isThere ? 'batch.changed' : 'batch.gone');

async function readNames(ids) {
    const query = `id[in]=${ids}&fields=id,name&limit=${NAMED}`;
    const { data } = ids.length > 0 ? await call('GET', `/products?${query}`).catch(() => ({ data: [] })) : { data: [] };
    return new Map(data.map(({ id, name }) => [id, name]));
}

/* Resolves to lines with a product's name, or its id if it was deleted, and the reason. `errors` are those of the
 * undo. */
export async function leftoverLines(errors) {
    const codes = new Map(errors.slice(0, NAMED).map(({ id, code }) => [id, code]));
    const names = await readNames([...codes.keys()]);
    return [...codes].map(([id, code]) => el('li', {}, bdi(names.get(id) ?? id), `: ${t(reasonOf(code, names.has(id)))}`));
}

/* Resolves to a warning about these products. */
export async function leftovers({ failed, errors }) {
    return el(
        'div',
        { class: 'alert alert-warning', role: 'alert' },
        el('p', {}, t('batch.left', { n: failed })),
        el('ul', { class: 'reasons' }, await leftoverLines(errors)),
    );
}
