/* SPDX-License-Identifier: Apache-2.0 */
/* What users have typed and not saved. The browser keeps it, so it survives a reload, a closed tab and a session that ends. */
import { currentUser } from '../lib/api.js';
import { recall, remember, state } from '../lib/dom.js';

/* The draft of a product that does not exist yet, in place of an id. */
export const NEW = 'new';

/* Each user's drafts are apart, because several may share a browser. */
const nameOf = owner => `drafts.${owner}`;

const version = state(0); /* of what is kept */

/* { id or NEW: { base, typed, attempt, time } }: base is the product that the user began with, attempt what create() is to know. follow()s. */
export function readDrafts(owner) {
    version.value; /* is read, so that a change counts */
    try {
        return JSON.parse(recall('localStorage', nameOf(owner))) ?? {};
    } catch {
        return {};
    }
}

/* draft null: there is none any more. */
export function writeDraft(owner, slot, draft) {
    const drafts = readDrafts(owner);
    draft ? (drafts[slot] = draft) : delete drafts[slot];
    remember('localStorage', nameOf(owner), Object.keys(drafts).length > 0 ? JSON.stringify(drafts) : null);
    version.value += 1;
}

/* Another tab has changed something. */
addEventListener('storage', () => (version.value += 1));

/* A user whose session has ended leaves to sign in again, and finds the draft after that. */
addEventListener('beforeunload', event => {
    if (currentUser() && document.querySelector('form.editor[data-edited]')) {
        event.preventDefault();
    }
});
