/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server does by itself: jobs, which are asked how far they have come, and batches of changes, which it takes back exactly. Makes no
 * elements.
 */
import { ApiError, call, connection } from '../lib/api.js';
import { recall, remember } from '../lib/dom.js';

const POLL = 700; /* ms between questions how far it is */
const PAUSE = 2000; /* ms before another try, at least */
const UNDO_PATIENCE = 120_000; /* ms for 10,000 changes that are taken back at once */

export const pause = (ms = PAUSE) => new Promise(resolve => setTimeout(resolve, ms));

/* ---- requests that outlive an outage ---- */

const REFUSALS = ['query-too-slow', 'index-not-ready'];
const isPassing = ({ status, problem }) =>
    problem === 'idempotency-key-in-use' || status === 0 || status === 429 || (status >= 502 && status <= 504 && !REFUSALS.includes(problem));

export async function steadily(attempt) {
    for (;;) {
        try {
            return await attempt();
        } catch (error) {
            if (!(error instanceof ApiError) || !isPassing(error)) {
                throw error;
            }
            await pause(Math.max(PAUSE, error.wait * 1000));
        }
        while (connection.value !== 'up') {
            await pause(PAUSE / 4);
        }
    }
}

/* ---- jobs ---- */

const pathOf = job => `/products/batch/${job}`;

/* Resolves to the job when it has ended. note(job) is called on the way. */
export async function followJob(owner, id, note) {
    for (;;) {
        const { data } = await steadily(() => call('GET', pathOf(id), undefined, { owner }));
        note(data);
        if (data.state !== 'running') {
            return data;
        }
        await pause(POLL);
    }
}

/* What it has changed stays changed. */
export const stopJob = id => call('DELETE', pathOf(id));

/* ---- batches ---- */

let history = null; /* the answer */

/* Whether the server keeps a history, so that batches can be undone; asked for once a page. */
export function hasHistory() {
    history ??= call('GET', '/changes/batches?limit=1').then(
        () => true,
        error => {
            history = null;
            if (error.status === 404) {
                return false;
            }
            throw error;
        },
    );
    return history;
}

const nameOf = owner => `undo.${owner}`;

/* The browser keeps a large undo until its end is known, so that another page goes on with it: { batches, n, job }, which undoes the last of them. */
const keep = (owner, kept) => remember('localStorage', nameOf(owner), kept && JSON.stringify(kept));
export const keptUndo = owner => JSON.parse(recall('localStorage', nameOf(owner)) ?? 'null');

/* What was taken back although the answer did not arrive. */
async function findUndo(owner, batch) {
    const { data } = await call('GET', '/changes/batches?limit=100', undefined, { owner });
    const undo = data.find(({ undoes }) => String(undoes) === String(batch));
    return { changed: undo?.rows ?? 0, failed: 0, errors: [], batch: undo?.batch };
}

/*
 * batches, of n changes; job: that has begun to take the last of them back. Returns run(note), which takes them back, the last one first, and resolves to { changed, failed, errors, batches, state, isLeft }: errors name
 * products that stay as they are, by id and code; batches are those of the undo; state is 'done', or that of a job that has ended otherwise; isLeft:
 * isStopped() has said so before all of them were taken back.
 * note({ id, done }) is called on the way; id: the job, if there is one. After an error run() can be called again: it goes on.
 */
export function makeUndo(owner, { batches, n, job = null }) {
    const left = [...batches];
    let begun = job;
    const all = { changed: 0, failed: 0, errors: [], batches: [], state: 'done' };
    let isUnsure = false; /* the last one may be undone already */

    async function followBegun(note) {
        keep(owner, { batches: left, n, job: begun });
        try {
            return await followJob(owner, begun, note);
        } catch (error) {
            error.ended || keep(owner, null); /* who signs in again goes on */
            begun = error.status === 404 ? null : begun; /* it ended so long ago that the server has forgotten it */
            throw error;
        }
    }

    async function undoBatch(note) {
        if (!begun) {
            const answer = await call('POST', `/changes/batches/${left.at(-1)}/undo`, undefined, { owner, patience: UNDO_PATIENCE });
            if (!answer.data) {
                return answer;
            }
            begun = answer.data.id;
        }
        const end = await followBegun(note);
        begun = null;
        keep(owner, null);
        return end;
    }

    async function undoNext(note) {
        try {
            return await undoBatch(note);
        } catch (error) {
            if (isUnsure && error.problem === 'batch-undone') {
                return findUndo(owner, left.at(-1));
            }
            isUnsure = [0, 404].includes(error.status) || error.status >= 500;
            throw error;
        }
    }

    function add({ changed, failed, errors, batch, state = 'done' }) {
        isUnsure = false;
        all.changed += changed;
        all.failed += failed;
        all.errors.push(...errors);
        batch && all.batches.unshift(batch);
        all.state = state;
    }

    return async function run(note = () => {}, isStopped = () => false) {
        while (left.length > 0 && all.state === 'done' && !isStopped()) {
            add(await undoNext(({ id, matched }) => note({ id, done: all.changed + all.failed + matched })));
            left.pop();
            note({ id: null, done: all.changed + all.failed });
        }
        return { ...all, isLeft: left.length > 0 };
    };
}
