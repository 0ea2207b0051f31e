/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The changes that the user made in this tab in the last ten minutes, with the data to undo them. The tab stores them,
 * so they survive a reload and the way from one page to another. Creates no elements.
 */
import { HISTORY as KEPT, newKey } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';
import { t } from '../lib/text.js';
import { watchWrites } from './store.js';

const TIME = 600_000; /* ms */

let owner; /* id of the user */

/*
 * The changes, newest first: { key, time, about, items, batches, said }.
 *
 *     about    { key, values } of the sentence that describes the change
 *     items    [{ before, now }] per product; before: the replaced values, null for a created product; now: the product
 *              after the change, null for a deleted product, for which before is the whole product
 *     batches  batches by which the server can undo the change without items; none or undefined if it cannot
 *     said     message that the page shows after the change
 */
export const history = state([]);

function set(changes) {
    history.value = changes;
    remember('sessionStorage', KEPT, null); /* if the changes do not fit, the ones stored before must not come back */
    remember('sessionStorage', KEPT, JSON.stringify({ owner, changes }));
}

function dropOld() {
    const fresh = history.value.filter(({ time }) => Date.now() - time < TIME);
    fresh.length < history.value.length && set(fresh);
}

export function noteChange(change) {
    set([{ key: newKey(), time: Date.now(), ...change }, ...history.value]);
}

export function dropChange({ key }) {
    set(history.value.filter(change => change.key !== key));
}

/* Records the user's changes from now on. */
export function keepHistory(user) {
    const kept = JSON.parse(recall('sessionStorage', KEPT) ?? 'null');
    owner = user.id;
    set(kept?.owner === owner ? kept.changes : []);
    dropOld();
    setInterval(dropOld, 5000);
    watchWrites(({ before, now }) =>
        noteChange({
            about: { key: before ? 'history.changed' : 'history.added', values: { name: now.name } },
            items: [{ before, now }],
            said: t(before ? 'edit.saved' : 'edit.added'),
        }),
    );
}
