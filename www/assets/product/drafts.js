/* SPDX-License-Identifier: Apache-2.0 */
/* Drafts: input of users that is not saved yet. The browser stores it, so it survives a reload, a closed tab and the
 * end of a session. */
import { currentUser } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';

/* The key of the draft of a new product, used like an id. */
export const NEW = 'new';

/* Each user has separate drafts, because several users may share a browser. */
const nameOf = owner => `drafts.${owner}`;

const version = state(0); /* counts changes of the stored drafts */

/* Returns { id or NEW: { base, typed, attempt, time } }. base is the product with which the user began, attempt is the
 * argument of create(). Reads a state. */
export function readDrafts(owner) {
    version.value; /* reads the state, so that followers run again after a change */
    try {
        return JSON.parse(recall('localStorage', nameOf(owner))) ?? {};
    } catch {
        return {};
    }
}

/* Stores a draft. null deletes it. */
export function writeDraft(owner, slot, draft) {
    const drafts = readDrafts(owner);
    draft ? (drafts[slot] = draft) : delete drafts[slot];
    remember('localStorage', nameOf(owner), Object.keys(drafts).length > 0 ? JSON.stringify(drafts) : null);
    version.value += 1;
}

/* Another tab may have changed the drafts. */
addEventListener('storage', () => (version.value += 1));

/* Asks before the page is left with unsaved input. Does not ask a user whose session has ended, because the draft is
 * there after signing in. */
addEventListener('beforeunload', event => {
    if (currentUser() && document.querySelector('form.editor[data-edited]')) {
        event.preventDefault();
    }
});
