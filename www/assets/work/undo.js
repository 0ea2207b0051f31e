/* SPDX-License-Identifier: Apache-2.0 */
/* Takes changes back: the list of those of the last ten minutes, and what is done for each. */
import { call, currentUser } from '../lib/api.js';
import { bdi, byId, each, el, follow } from '../lib/dom.js';
import { formatClock, pieces, t } from '../lib/text.js';
import { differences, writableNames } from '../product/fields.js';
import { history } from '../product/history.js';
import { running } from './change.js';
import { makeJob } from './job.js';

const PORTION = 100; /* products in a batch */

/* The sentence that says what was done. */
export function sentenceOf({ key, values }) {
    return pieces(key, 'name' in values ? { ...values, name: bdi(values.name) } : values);
}

/* ---- what takes a change back ---- */

const hasBatches = ({ batches = [] }) => batches.length > 0;

/* Those that were deleted: all that they had, but for the pictures. */
const lostIn = ({ items }) => items.filter(({ now }) => now === null).map(({ before }) => before);

/* Creates products that were deleted anew, each with another id. Resolves to those that were stored, and those that were refused. */
async function restore({ key, ...change }) {
    const lost = lostIn(change).reverse(); /* the last one stands first in lists */
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

/* The job that changes products back, if they still are as the change left them; created ones are deleted. */
function backward({ items }) {
    const before = new Map(items.map(item => [item.now.id, item.before]));
    const changesOf = product => before.get(product.id) && differences(before.get(product.id), product);
    const isCreation = items.every(item => item.before === null);
    return { job: makeJob(items.map(({ now }) => now), changesOf), changesOf, done: isCreation ? 'job.removed' : 'history.undone' };
}

/* Which of the three: calls undo(batches), restored({ stored, refused }), or run(what backward() makes). Resolves when that is done. */
export async function takeBack(change, { undo, restored, run }) {
    if (hasBatches(change)) {
        return undo(change.batches);
    }
    return lostIn(change).length > 0 ? restored(await restore(change)) : run(backward(change));
}

/* ---- the list ---- */

const canUndo = change => hasBatches(change) || change.items.length > 0;

/* The server may be taking the change back already. */
export const isBusy = change => hasBatches(change) && running.value !== null;

/* undo(change) is called by the buttons. */
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

/* The newest change, if it can be taken back. */
export const newest = () => history.value.find(canUndo);
