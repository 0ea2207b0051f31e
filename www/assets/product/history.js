/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the user has changed in this tab in the last ten minutes, with what is needed to take it back. The tab keeps it, so it survives a
 * reload and the way from one page to another. Makes no elements.
 */
import { HISTORY as KEPT, newKey } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';
import { t } from '../lib/text.js';
import { watchWrites } from './store.js';

const TIME = 600_000; /* ms */

let owner; /* the user's id */

/*
 * The changes, the newest first: { key, time, about, items, batches }. about: { key, values } of the sentence that says what it was; items:
 * [{ before, now }] of each product, before: the values that the change replaced, null of one that it created; now: the product after it, null of
 * one that it deleted, of which before is all there was. batches: by which the server takes the change back, and no items are needed; none, or
 * undefined: it cannot. said: what the page says when it has been made.
 */
export const history = state([]);

function set(changes) {
    history.value = changes;
    remember('sessionStorage', KEPT, null); /* if there is no room for the changes, what was kept before must not come back */
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

/* Notes what the user changes from now on. */
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
