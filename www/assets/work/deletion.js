/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletion with undo. The products are deleted only when the time for undo has passed, because a product created again
 * would have another id and date (docs/decisions/0057-undo-delays-the-deletion.md). Until then the page hides them.
 */
import { accessToken } from '../lib/api.js';
import { state } from '../lib/dom.js';
import { makeJob } from './job.js';

const SECONDS = 10;
const MOST_WHEN_LEAVING = 400; /* products; browsers send at most 64 KiB when the user leaves a page */

/* The pending deletion: { products, ids, left, job, end }, or null. `left` is a state with the remaining seconds. */
export const waiting = state(null);

let timer;
let isHeld = false; /* true while the countdown is stopped because the user is at the button */

function take() {
    const taken = waiting.value;
    clearInterval(timer);
    waiting.value = null;
    return taken;
}

/*
 * Hides the products and deletes them after ten seconds. At that time, or when another deletion begins, calls
 * finish(job, products), which must run the job. Rejects if the server cannot be reached now.
 */
export async function remove(products, finish) {
    waiting.value?.end();
    const job = makeJob(products, () => null);
    const left = state(SECONDS);
    const end = () => {
        take();
        finish(job, products);
    };
    const mine = { products, ids: new Set(products.map(({ id }) => id)), left, job, end };
    waiting.value = mine;
    isHeld = false;
    try {
        await Promise.all([job.prepare(), accessToken()]); /* a token renewed now is still valid when the time has
                                                            * passed */
    } catch (error) {
        waiting.value === mine && take();
        throw error;
    }
    if (waiting.value === mine) {
        timer = setInterval(() => {
            left.value -= isHeld ? 0 : 1;
            left.value === 0 && end();
        }, 1000);
    }
}

/* Ends the pending deletion, so that its products are shown again. Returns it. */
export function undo() {
    return take();
}

export function hold(isNow) {
    isHeld = isNow;
}

addEventListener('beforeunload', event => waiting.value?.products.length > MOST_WHEN_LEAVING && event.preventDefault());

/* Deletes at once if the user leaves the page. */
addEventListener('pagehide', () => take()?.job.flush());
