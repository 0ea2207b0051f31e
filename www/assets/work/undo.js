/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes changes: the list of the changes of the last ten minutes, and the undo of each. */
import { call, currentUser } from '../lib/api.js';
import { bdi, byId, each, el, follow } from '../lib/dom.js';
import { formatClock, pieces, t } from '../lib/text.js';
import { differences, writableNames } from '../product/fields.js';
import { history } from '../product/history.js';
import { running } from './change.js';
import { makeJob } from './job.js';

const PORTION = 100; /* products in a batch */

/* Returns the sentence that describes a change. */
export function sentenceOf({ key, values }) {
    return pieces(key, 'name' in values ? { ...values, name: bdi(values.name) } : values);
}

/* ---- undoing a change ---- */

const hasBatches = ({ batches = [] }) => batches.length > 0;

/* Returns the products that the change deleted. Their pictures are lost. */
const lostIn = ({ items }) => items.filter(({ now }) => now === null).map(({ before }) => before);

/* Creates deleted products again, with new ids. Resolves to { stored, refused }. */
async function restore({ key, ...change }) {
    const lost = lostIn(change).reverse(); /* so that the first product is created last and is first in lists */
    const bodyOf = product => Object.fromEntries(writableNames().filter(name => (product[name] ?? null) !== null).map(name => [name, product[name]]));
    const operations = lost.map(product => ({ op: 'create', body: bodyOf(product) }));
    const owner = currentUser()?.id;
    const all = [];
    for (let i = 0; i < operations.length; i += PORTION) {
        const body = { atomic: false, operations: operations.slice(i, i + PORTION) };
        const { results } = await call('POST', '/products/batch', body, { owner, headers: { 'Idempotency-Key': `${key}-${i}` } });
        all.push(...results);
    }
    const isStored = ({ status }) => status < 300;
    return { stored: all.filter(isStored).map(({ data }) => data), refused: lost.filter((product, i) => !isStored(all[i])) };
}

/* Returns a job that restores the values before the change, unless a product has changed since. Products that the
 * change created are deleted. */
function backward({ items }) {
    const before = new Map(items.map(item => [item.now.id, item.before]));
    const changesOf = product => before.get(product.id) && differences(before.get(product.id), product);
    const isCreation = items.every(item => item.before === null);
    return { job: makeJob(items.map(({ now }) => now), changesOf), changesOf, done: isCreation ? 'job.removed' : 'history.undone' };
}

/* Undoes a change in one of three ways: calls undo(batches), restored({ stored, refused }), or run(result of
 * backward()). Resolves when that is done. */
export async function takeBack(change, { undo, restored, run }) {
    if (hasBatches(change)) {
        return undo(change.batches);
    }
    return lostIn(change).length > 0 ? restored(await restore(change)) : run(backward(change));
}

/* ---- the list ---- */

const canUndo = change => hasBatches(change) || change.items.length > 0;

/* Returns true if the server may be undoing the change already. */
export const isBusy = change => hasBatches(change) && running.value !== null;

/* The buttons call undo(change). */
export function listHistory(undo) {
    const line = ({ value: change }) => {
        const id = `history-${change.key}`;
        const button = el('button', { type: 'button', class: 'btn', 'aria-describedby': id, disabled: () => isBusy(change), onclick: () => undo(change) }, t('undo.undo'));
        return el(
            'li',
            {},
            el('span', { class: 'grows', id }, el('time', {}, formatClock(change.time)), ' ', ...sentenceOf(change.about)),
            canUndo(change) ? button : el('span', { class: 'form-text' }, t('history.final')),
        );
    };
    each(byId('history'), () => history.value, ({ key }) => key, line);
    follow(() => (byId('history-choice').hidden = history.value.length === 0));
}

export const newest = () => history.value.find(canUndo);
