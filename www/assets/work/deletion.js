/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deletion that can be undone. The products are deleted when the time for Undo is over, because one that is created anew would have another
 * id and date: docs/decisions/0057-undo-delays-the-deletion.md. Until then the page only hides them.
 */
import { accessToken } from '../lib/api.js';
import { state } from '../lib/dom.js';
import { makeJob } from './job.js';

const SECONDS = 10;
const MOST_WHEN_LEAVING = 400; /* products: browsers send at most 64 KiB for a page that is being left */

/* What waits: { products, ids, left, job }, or null. left: seconds, a state. */
export const waiting = state(null);

let timer;
let isHeld = false; /* the time stands still while the user is at the button */

function take() {
    const taken = waiting.value;
    clearInterval(timer);
    waiting.value = null;
    return taken;
}

/*
 * Hides the products, and deletes them after ten seconds. Then, or when another deletion follows, finish(job, products) is
 * called, which is to run the job. Rejects if the server cannot be reached now.
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
        await Promise.all([job.prepare(), accessToken()]); /* a token that is renewed now is valid when the time is over */
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

/* Shows the products again. */
export function undo() {
    return take();
}

export function hold(isNow) {
    isHeld = isNow;
}

addEventListener('beforeunload', event => waiting.value?.products.length > MOST_WHEN_LEAVING && event.preventDefault());

/* Who leaves does not undo. */
addEventListener('pagehide', () => take()?.job.flush());
