/* SPDX-License-Identifier: Apache-2.0 */
/* Names the products that the undo of a batch has left as they are. */
import { call } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { t } from '../lib/text.js';

const NAMED = 20;

/* A product that is gone was deleted since, unless another one has its value. */
const reasonOf = (code, isThere) => (code === 'taken' ? 'batch.taken' : isThere ? 'batch.changed' : 'batch.gone');

async function readNames(ids) {
    const query = `id[in]=${ids}&fields=id,name&limit=${NAMED}`;
    const { data } = ids.length > 0 ? await call('GET', `/products?${query}`).catch(() => ({ data: [] })) : { data: [] };
    return new Map(data.map(({ id, name }) => [id, name]));
}

/* Resolves to lines, each with a name and why it stays. errors: of the undo. A product that is gone has no name. */
export async function leftoverLines(errors) {
    const codes = new Map(errors.slice(0, NAMED).map(({ id, code }) => [id, code]));
    const names = await readNames([...codes.keys()]);
    return [...codes].map(([id, code]) => el('li', {}, bdi(names.get(id) ?? id), `: ${t(reasonOf(code, names.has(id)))}`));
}

/* Resolves to a warning. */
export async function leftovers({ failed, errors }) {
    return el(
        'div',
        { class: 'alert alert-warning', role: 'alert' },
        el('p', {}, t('batch.left', { n: failed })),
        el('ul', { class: 'reasons' }, await leftoverLines(errors)),
    );
}
