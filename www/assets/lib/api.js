/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to the API, and the session in which they are made. */
import * as config from '../../own/config.js';
import { API, nameHere, recall, remember, state } from './dom.js';
import { language, setCurrency } from './text.js';

export { API } from './dom.js';

/* A line that config.js leaves out has the value that it has in the sources. */
export const { METRICS = '/admin/metrics' } = config;

const tabs = new BroadcastChannel(nameHere('tabs'));
const PATIENCE = 20_000; /* ms for an answer */
const PROBE = 3_000; /* ms between questions whether the server is back */
const DETAILS = 'application/problem+json, application/json;q=0.9';

/*
 * problem: its name in /problems, '' if the answer says none. summary: of an import. wait: seconds of Retry-After, or 0. fields: [{field, code, message}],
 * the fields that the server refuses. status 0: there was no answer. ended: the session has ended.
 */
export class ApiError extends Error {
    constructor(status, body = {}, headers = new Headers()) {
        super([body.title ?? body.message, body.detail ?? body.error].filter(Boolean).join(': '));
        this.status = status;
        this.problem = body.type?.split('/').at(-1) ?? '';
        this.fields = body.errors ?? [];
        this.summary = body.summary;
        this.data = body.data;
        this.wait = Number(headers.get('Retry-After')) || 0;
        this.request = headers.get('X-Request-Id');
    }
}

/* ---- whether the server can be reached ---- */

/* 'up', 'down' or 'offline'; follow() its value. */
export const connection = state('up');

async function isBack() {
    try {
        return (await fetch(`${API}/health/live`, { cache: 'no-store', signal: AbortSignal.timeout(PATIENCE) })).ok;
    } catch {
        return false;
    }
}

async function waitForServer() {
    do {
        connection.value = navigator.onLine ? 'down' : 'offline';
        await new Promise(resolve => setTimeout(resolve, PROBE));
    } while (!(await isBack()));
    connection.value = 'up';
}

function noteSilence() {
    if (connection.value === 'up') {
        waitForServer();
    }
}

/* A browser without a network says that it is offline, but reaches a server on the same machine. */
addEventListener('offline', async () => (await isBack()) || noteSilence());

/* ---- requests ---- */

/* A proxy between the pages and the API may answer in HTML. */
function parse(text) {
    try {
        return JSON.parse(text) ?? undefined;
    } catch {
        return undefined;
    }
}

async function receive(request, signal) {
    try {
        const response = await fetch(request);
        return { response, text: await response.text() };
    } catch (error) {
        if (signal?.aborted) {
            throw error;
        }
        noteSilence();
        throw new ApiError(0);
    }
}

/*
 * Resolves to the answer's JSON, with its ETag as tag and its Catalog-Batch as batch, or rejects with an ApiError, or with the signal's AbortError. body: what becomes
 * JSON, or a Blob of the type that it says. keepalive: continues when the user leaves the page. What changes products is told to the
 * other tabs. base: of the path; asText: the answer is no JSON, and resolves to { text }. cache: 'no-cache' if the browser may keep the answer, and
 * ask whether it has changed. patience: ms for the answer.
 */
export async function send(
    method,
    path,
    { body, token, keepalive, signal, headers = {}, base = API, asText, cache = 'no-store', patience = PATIENCE } = {},
) {
    const late = AbortSignal.timeout(patience);
    const isFile = body instanceof Blob;
    const request = new Request(base + path, {
        method,
        headers: {
            Accept: DETAILS,
            'Accept-Language': language, /* of the mails that the request may lead to */
            ...(body && { 'Content-Type': isFile ? body.type : 'application/json' }),
            ...(token && { Authorization: `Bearer ${token}` }),
            ...headers,
        },
        body: isFile ? body : body && JSON.stringify(body),
        cache,
        keepalive,
        signal: signal ? AbortSignal.any([signal, late]) : late,
    });
    const { response, text } = await receive(request, signal);
    const answer = asText && response.ok ? { text } : parse(text);
    if (!response.ok) {
        throw new ApiError(response.status, answer, response.headers);
    }
    if (!answer) {
        throw new ApiError(0);
    }
    if (response.headers.has('Catalog-Currency')) {
        setCurrency(response.headers.get('Catalog-Currency'));
    }
    if (/^\/(products|changes)/.test(path) && method !== 'GET' && !path.includes('dryRun=')) {
        tabs.postMessage({ products: true });
    }
    return { batch: response.headers.get('Catalog-Batch'), ...answer, tag: response.headers.get('ETag') };
}

/*
 * The parameters for products that have one of the values. One is compared as it is; of several, each is a parameter, because a comma would
 * separate values.
 */
export function anyOf(name, values) {
    return values.length === 1 ? [[name, values[0]]] : values.map(value => [`${name}[in]`, value]);
}

/* For an Idempotency-Key. crypto.randomUUID() is missing where pages come over http from another machine. */
export function newKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}

/* Calls watcher() after another tab has created, changed or deleted products. */
export function watchProducts(watcher) {
    tabs.addEventListener('message', ({ data }) => 'products' in data && watcher());
}

/* ---- the session ---- */

/*
 * The refresh token is a cookie that scripts cannot read; the access token is only in memory, so each page begins with a refresh.
 * localStorage has only the user's id, a hint that a refresh may succeed.
 */
const HINT = 'user';
let token = null;
let renewal = null; /* the refresh in progress */
const user = state(null);

function set(newToken, newUser) {
    const id = newUser?.id ?? null;
    const isNews = id !== recall('localStorage', HINT);
    token = newToken;
    user.value = newUser;
    remember('localStorage', HINT, id);
    if (isNews) {
        tabs.postMessage({ user: id });
    }
}

/* The signed-in user or null; follow()s. */
export function currentUser() {
    return user.value;
}

/* Does another page have the session of another user by now, or none? */
export function isOvertaken() {
    return recall('localStorage', HINT) !== (user.value?.id ?? null);
}

/* Calls watcher() after another tab has signed in or out and so replaced the cookie: see restore(). */
export function watchOtherTabs(watcher) {
    tabs.addEventListener('message', ({ data }) => {
        if ('user' in data && data.user !== (user.value?.id ?? null)) {
            token = user.value = null;
            remember('localStorage', HINT, data.user); /* which the other tab has stored, but perhaps not for this process yet */
            watcher();
        }
    });
}

async function open(path, body) {
    const answer = await send('POST', path, { body: { ...body, cookie: true } });
    set(answer.token, answer.user);
}

export function signIn(login, password) {
    return open('/auth/login', { login, password });
}

/* user: { username, email, password } */
export function register(user) {
    return open('/register', user);
}

/*
 * Runs body() when no other tab runs one of that name; resolves to what it resolves to. Where pages come over http from another machine, browsers
 * give them no locks: then body() runs at once.
 */
export function inTurn(name, body) {
    return navigator.locks ? navigator.locks.request(nameHere(name), body) : body();
}

/* Marks an error that means that the session has ended. */
function markEnd(error) {
    if (error.status === 401 && !error.ended) {
        error.ended = true;
        set(null, null);
    }
    throw error;
}

async function renew() {
    /* keepalive, because the new cookie must arrive: the server accepts the old one for only a few seconds more. */
    const answer = await send('POST', '/auth/refresh', { keepalive: true }).catch(markEnd);
    set(answer.token, answer.user);
}

/*
 * Renews the access token, and with it the user's name. Tabs take turns, so that each sends the cookie that the previous tab
 * received.
 */
export function refresh() {
    renewal ??= inTurn('refresh', renew).finally(() => {
        renewal = null;
    });
    return renewal;
}

/* Restores this browser's session. Resolves to the user, or to null. */
export async function restore() {
    if (!token && recall('localStorage', HINT)) {
        await refresh().catch(error => {
            if (!error.ended) {
                throw error;
            }
        });
    }
    return user.value;
}

/* The error of what belongs to a user who is no longer the one of this browser. The session itself goes on. */
function overtaken() {
    const error = new ApiError(401);
    error.problem = 'other-user';
    error.ended = true;
    return error;
}

/* Calls attempt with the access token; renews an expired token once. owner: the id of the user to whom it belongs, or of any. */
async function asUser(attempt, owner) {
    const used = token;
    const judge = () => {
        if (owner && user.value && user.value.id !== owner) {
            throw overtaken();
        }
    };
    judge();
    try {
        return await attempt(used);
    } catch (error) {
        if (error.status !== 401) {
            throw error;
        }
    }
    if (token === used) {
        await refresh();
    }
    judge();
    return attempt(token);
}

/*
 * Sends a request as the user. options: those of send(), and owner: the id of the user whose work it continues, which nobody does who has signed in
 * in another tab since.
 */
export function call(method, path, body, { owner, ...options } = {}) {
    return asUser(used => send(method, path, { ...options, body, token: used }), owner).catch(markEnd);
}

/*
 * GET for anybody, as the user if somebody is signed in: writers see what others do not. A session that has ended shows only when the user
 * writes.
 */
export async function read(path, options) {
    if (user.value) {
        try {
            return await call('GET', path, undefined, options);
        } catch (error) {
            if (!error.ended) {
                throw error;
            }
        }
    }
    return send('GET', path, options);
}

/* Resolves to what another Location of this site tells the user. Its 401 does not mean that the session has ended. */
export async function readText(path) {
    const options = { base: '', asText: true, headers: { Accept: 'text/plain' } };
    return (await asUser(used => send('GET', path, { ...options, token: used }))).text;
}

/* Resolves to an access token of the user that the server accepts now; null: nobody is signed in. */
export async function accessToken() {
    if (user.value) {
        await call('GET', '/auth/me');
    }
    return token;
}

/* { role, mayWrite, ... } of the user, read once a page; null: nobody is signed in. */
let profile = null;
export function readProfile() {
    const { id } = user.value ?? {};
    if (!id) {
        return Promise.resolve(null);
    }
    if (profile?.id !== id) {
        const answer = call('GET', '/auth/me').then(({ data }) => data);
        profile = { id, answer };
        answer.catch(() => (profile = null));
    }
    return profile.answer;
}

/* Whether the user may create, update and delete products. */
export async function mayWrite() {
    return (await readProfile())?.mayWrite ?? false;
}

/* What the tab keeps of the user's changes of products: see product/history.js. */
export const HISTORY = 'history';

/* For requests that end the session on the server. */
export function forget() {
    remember('sessionStorage', HISTORY, null);
    set(null, null);
}

export async function signOut(everywhere = false) {
    try {
        await call('POST', '/auth/logout', { all: everywhere });
    } catch (error) {
        if (!error.ended) {
            throw error;
        }
    }
    forget();
}
