/* SPDX-License-Identifier: Apache-2.0 */
import { send } from './api.js';
import { recall, remember } from './store.js';

/*
 * The signed-in user's session. The refresh token is a cookie that scripts cannot read; the access token is only in
 * memory, so each page begins with a refresh. localStorage has only the user's id, a hint that a refresh may succeed.
 */
const HINT = 'catalog.user';

let token = null;
let user = null;
let renewal = null; /* the refresh in progress */
const watchers = [];

function set(newToken, newUser) {
    token = newToken;
    user = newUser;
    remember('localStorage', HINT, user?.id ?? null);
    watchers.forEach(watcher => watcher(user));
}

export function currentUser() {
    return user;
}

/* Calls watcher(user or null) after each sign-in or sign-out on this page. */
export function watch(watcher) {
    watchers.push(watcher);
}

/* Calls watcher() after another tab has signed in or out and so replaced the cookie: see restore(). */
export function watchOtherTabs(watcher) {
    addEventListener('storage', event => {
        if (event.key === HINT && event.newValue !== (user?.id ?? null)) {
            token = user = null;
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

/* Marks an error that means that the session has ended. */
function markEnd(error) {
    if (error.status === 401) {
        error.ended = true;
        error.message = 'Your session has ended.';
        set(null, null);
    }
    throw error;
}

async function renew() {
    /* keepalive, because the new cookie must arrive: the server accepts the old one for only a few seconds more. */
    const answer = await send('POST', '/auth/refresh', { keepalive: true }).catch(markEnd);
    set(answer.token, answer.user);
}

/* Tabs take turns, so that each sends the cookie that the previous tab received. */
function refresh() {
    renewal ??= (navigator.locks ? navigator.locks.request('catalog.refresh', renew) : renew()).finally(
        () => {
            renewal = null;
        },
    );
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
    return user;
}

/* Sends a request as the user; renews an expired token once. error.ended: the session has ended. */
export async function call(method, path, body) {
    const used = token;
    try {
        return await send(method, path, { body, token: used });
    } catch (error) {
        if (error.status !== 401) {
            throw error;
        }
    }
    if (token === used) {
        await refresh();
    }
    return send(method, path, { body, token }).catch(markEnd);
}

/* Whether the user may create, update and delete products. */
export async function mayWrite() {
    return user !== null && (await call('GET', '/auth/me')).data.mayWrite;
}

/* For requests that end the session on the server. */
export function forget() {
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
