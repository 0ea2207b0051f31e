/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of every page: status line, errors, lists that load, and behaviour while the server cannot be reached. */
import { ApiError, connection, currentUser, isOvertaken, readProfile, restore, signOut, watchOtherTabs } from './api.js';
import { byId, el, follow, recall, remember, flush, state } from './dom.js';
import { at, isKnown, passNext, say, setProfile, showShell, signInLink } from './shell.js';
import { hasText, pieces, t, translate } from './text.js';

export { entry, keepNext, nextPage, say, signInLink } from './shell.js';

const FLASH = 'flash';

/* ---- messages ---- */

/* Hides a finished element and announces the text. Moves the focus, which would disappear with the element. */
export function finish(element, text) {
    element.hidden = true;
    say(text);
    byId('main').focus();
}

/* Opens another page, which shows the text. Never resolves: a form that awaits it stays busy until the page unloads. */
export function go(href, text) {
    if (text) {
        remember('sessionStorage', FLASH, text);
    }
    location.assign(at(href));
    return new Promise(() => {});
}

function sayFlash() {
    const text = recall('sessionStorage', FLASH);
    remember('sessionStorage', FLASH, null);
    if (text) {
        say(text);
    }
}

export function setTitle(text) {
    document.title = `${text} · ${t('brand')}`;
}

/* ---- errors ---- */

function inTime(seconds) {
    if (seconds > 90) {
        return t('error.minutes', { n: Math.ceil(seconds / 60) });
    }
    return seconds > 0 ? t('error.seconds', { n: seconds }) : t('error.now');
}

const BROKEN = ['database-unavailable', 'server-unable']; /* problems with status 503 that are not overload */

/* Returns the key of the text for an error that may disappear with time. Returns undefined for other errors. */
function explainWait({ status, problem }) {
    if (status === 429) {
        return 'error.tooMany';
    }
    if ([502, 503, 504].includes(status) && !BROKEN.includes(problem)) {
        return 'error.busy';
    }
    return status >= 500 ? 'error.broken' : undefined;
}

function sentence(text) {
    return text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.') : t('error.refused');
}

/* Returns the text of an error. The server's own messages are in English. */
function explain(error) {
    if (error.ended) {
        return t(error.problem === 'other-user' ? 'error.otherUser' : 'error.ended');
    }
    if (error.status === 0) {
        return t('error.silent');
    }
    if (error.fields.some(({ code }) => code === 'no_index')) {
        return t('problem.not-indexed');
    }
    const key = `problem.${error.problem}`;
    return hasText(key) ? t(key) : el('span', { lang: 'en' }, sentence(error.message));
}

/* Counts down to the time at which a retry makes sense, then calls done(). */
function countdown(seconds, done) {
    const left = state(seconds);
    const timer = setInterval(() => {
        left.value -= 1;
        if (left.value === 0) {
            clearInterval(timer);
            done();
        }
    }, 1000);
    return { left, stop: () => clearInterval(timer) };
}

/* The time is in an element of its own role, because an alert would read out each second. */
function waitingText(key, error, clock) {
    const when = el('span', { role: 'timer' }, () => (clock ? inTime(clock.left.value) : t('error.while')));
    return el('p', {}, pieces(key, { when }), error.request && key === 'error.broken' ? ` ${t('error.request', { id: error.request })}` : '');
}

let retry = null; /* action to repeat when the server is back */

/*
 * Replaces the content of the element with an ApiError. `again` is the action of "Try again", if a retry may succeed.
 * If isReading is true, it also runs by itself after Retry-After, or when the server is back. An action that changes
 * something waits for the user.
 */
export function showError(element, error, again, isReading = false) {
    if (!(error instanceof ApiError)) {
        throw error;
    }
    const key = hasText(`problem.${error.problem}`) ? undefined : explainWait(error);
    const repeat = () => {
        clock?.stop();
        retry = null;
        if (alert.isConnected) {
            again?.();
        }
    };
    const clock = key && error.wait > 0 ? countdown(error.wait, isReading ? repeat : () => {}) : null;
    const alert = el(
        'div',
        { class: 'alert alert-danger', role: 'alert', tabindex: '-1' },
        key ? waitingText(key, error, clock) : el('p', {}, explain(error)),
    );
    if (error.ended) {
        alert.append(el('p', {}, el('a', { class: 'alert-link', href: signInLink() }, t('shell.signIn'))));
    } else if (again && (error.status === 0 || error.status >= 429)) {
        retry = isReading && error.status === 0 ? repeat : retry;
        alert.append(
            el('button', { type: 'button', class: 'btn btn-outline-danger', onclick: repeat }, t('error.again')),
        );
    }
    element.replaceChildren(alert);
    return alert;
}

/* ---- lists ---- */

/*
 * Returns a function that loads: it reads with read(signal) and passes the answer to show(answer). Of several calls
 * only the last one counts, so a late answer never replaces a newer one.
 *
 * question() returns the current question. If a request fails, show(null) removes the answer to an earlier question.
 * isLoading is a state. Errors are shown in the element.
 */
export function loader(question, read, show, isLoading, element) {
    let request = new AbortController();
    let answered; /* question of the answer that is shown */
    return async function load() {
        request.abort();
        request = new AbortController();
        const { signal } = request;
        const asked = question();
        isLoading.value = true;
        try {
            const answer = await read(signal);
            signal.throwIfAborted();
            element.replaceChildren();
            show(answer);
            answered = asked;
            isLoading.value = false;
            flush();
        } catch (error) {
            if (!signal.aborted) {
                isLoading.value = false;
                asked !== answered && show(null);
                answered = asked;
                showError(element, error, load, true);
            }
        }
    };
}

/* ---- the keyboard focus ---- */

/*
 * If the focused element is removed or hidden, the next Tab would begin at the top of the page. So the focus moves to
 * the control now in the same table cell, or to the title. Code that knows a better place moves the focus there itself.
 */
let holder = null; /* element that has the focus, or had it last */
let cell = null;

function keepFocus() {
    const isGone = holder && (!holder.checkVisibility() || holder.matches(':disabled'));
    if (isGone && document.activeElement === document.body) {
        const heir = cell?.checkVisibility() && cell.querySelector('button, a, input');
        holder = null;
        (heir || document.querySelector('h1[tabindex]') || byId('main')).focus({ preventScroll: true });
    }
}

addEventListener('pointerdown', () => (holder = null)); /* a click outside all controls removes the focus */
addEventListener('focusout', ({ relatedTarget }) => relatedTarget && (holder = null), true); /* runs first, because a
                                                                                              * menu may close now */
addEventListener('focusin', ({ target }) => {
    holder = target;
    cell = target.closest('td, th');
});
new MutationObserver(keepFocus).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['hidden', 'disabled', 'open', 'class'],
});

/* ---- when the server is back ---- */

follow(() => {
    if (connection.value === 'up') {
        retry?.();
    }
});

/* ---- the page's life ---- */

async function leave() {
    try {
        await signOut();
        await go('index.html', t('shell.signedOut'));
    } catch (error) {
        showError(byId('trouble'), error);
    }
}

/* Reads the profile again whenever the user changes. */
async function learnProfile() {
    const id = currentUser()?.id;
    const found = await readProfile().catch(() => undefined); /* the page that needs the profile shows the error */
    if (currentUser()?.id === id && found !== undefined) {
        setProfile(found);
    }
}

/* Resolves to the text that tells for whom the page is. Resolves to '' if it is for this user. */
async function judgeUser({ needsWriter, needsAdmin }) {
    const { role, mayWrite } = needsWriter || needsAdmin ? await readProfile() : {};
    if (needsAdmin && role !== 'admin') {
        return t('shell.adminsOnly', { role: t(`role.${role}`) });
    }
    return needsWriter && !mayWrite ? t('shell.writersOnly', { role: t(`role.${role}`) }) : '';
}

async function begin(run, needs) {
    let unknown; /* error of restore(): it is unknown whether there is a session */
    const user = await restore().catch(error => {
        unknown = error;
        return null;
    });
    if (Object.values(needs).includes(true) && !user) {
        if (unknown) {
            throw unknown;
        }
        location.replace(signInLink());
        return;
    }
    follow(learnProfile);
    const refusal = await judgeUser(needs);
    if (refusal) {
        byId('trouble').replaceChildren(el('div', { class: 'alert alert-warning', role: 'alert' }, el('p', {}, refusal)));
    } else {
        await run(user);
    }
    sayFlash();
    if (unknown) {
        throw unknown;
    }
}

/*
 * Restores the session, then runs the page: run(user or null). Shows an ApiError that run throws. A page that needs no
 * user runs even if the session cannot be restored now. needsUser, needsWriter and needsAdmin lead to the sign-in page
 * if nobody is signed in. The last two show a message to users without that right.
 */
export async function start(run, needs = {}) {
    const again = () => {
        byId('trouble').replaceChildren();
        return start(run, needs);
    };
    try {
        await begin(run, needs);
    } catch (error) {
        showError(byId('trouble'), error, again, true);
    } finally {
        isKnown.value = true;
    }
}

showShell(leave);
translate();
if ('title' in document.querySelector('title').dataset) {
    setTitle(t(document.querySelector('title').dataset.title));
}
document.querySelectorAll('main a').forEach(passNext);

/* Reloads, because the page still shows content of the previous user, unless that would lose text that the user has
 * typed. */
watchOtherTabs(async () => {
    if (!document.querySelector('form[data-edited]')) {
        location.reload();
        return;
    }
    const user = await restore().catch(() => null);
    say(user ? t('shell.signedInElsewhere', { name: user.username }) : t('shell.signedOutElsewhere'));
});

/* Reloads a page that the browser kept for its Back button if its user has signed out since. */
addEventListener('pageshow', ({ persisted }) => persisted && isOvertaken() && location.reload());
