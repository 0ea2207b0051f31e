/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId, el } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { formatAgent, formatTime } from '../lib/format.js';
import { finish, go, say, showError, start } from '../lib/page.js';
import { call, forget, signOut } from '../lib/session.js';

function showProfile({ username, email, role, createdAt }) {
    const facts = [
        ['User name', username],
        ['E-mail address', email],
        ['Role', role],
        ['Member since', formatTime(createdAt)],
    ];
    byId('profile').replaceChildren(
        ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]),
    );
    byId('username').value = username;
}

/* ---- sessions ---- */

async function endSession({ id, current }) {
    try {
        await call('DELETE', `/auth/sessions/${encodeURIComponent(id)}`);
        if (current) {
            forget();
            await go('index.html', 'You have signed out.');
        }
        await showSessions();
        say('The session is ended.');
        byId('sessions-title').focus();
    } catch (error) {
        showError(byId('trouble'), error).focus();
    }
}

function sessionItem(session) {
    const { userAgent, address, createdAt, lastUsedAt, current } = session;
    const name = formatAgent(userAgent);
    const label = `End the session of ${name} at ${address}, last used ${formatTime(lastUsedAt)}`;
    const times = `Signed in ${formatTime(createdAt)}, last used ${formatTime(lastUsedAt)}, address ${address}`;

    return el(
        'li',
        { class: 'list-group-item session' },
        el(
            'div',
            {},
            el('strong', { title: userAgent }, name),
            current ? el('span', { class: 'badge' }, 'This one') : undefined,
            el('div', { class: 'form-text' }, times),
        ),
        el(
            'button',
            {
                type: 'button',
                class: 'btn btn-outline-secondary',
                'aria-label': label,
                onclick: () => endSession(session),
            },
            'End',
        ),
    );
}

async function showSessions() {
    const { data } = await call('GET', '/auth/sessions');
    byId('sessions').replaceChildren(...data.map(sessionItem));
}

async function signOutEverywhere() {
    try {
        await signOut(true);
        await go('index.html', 'You have signed out everywhere.');
    } catch (error) {
        showError(byId('trouble'), error).focus();
    }
}

/* ---- forms ---- */

const checks = {
    currentPassword: rules.given,
    newPassword: rules.password,
    confirmPassword: rules.sameAs('newPassword'),
};

async function changePassword({ currentPassword, newPassword }) {
    await call('POST', '/auth/password/change', { currentPassword, newPassword });
    byId('change').reset();
    await showSessions();
    say('Your password is changed, and you are signed out everywhere else.');
    byId('status').scrollIntoView();
}

async function resend(email) {
    await send('POST', '/auth/confirm/resend', { body: { email } });
    finish(byId('resend-form'), `A mail is on its way to ${email}.`);
}

start(
    async () => {
        const { data: me } = await call('GET', '/auth/me');
        showProfile(me);
        await showSessions();
        byId('everywhere').onclick = signOutEverywhere;
        if (!me.emailVerified) {
            manage(byId('resend-form'), {}, () => resend(me.email));
        }
        manage(byId('change'), checks, changePassword);
        byId('content').hidden = false;
    },
    { needsUser: true },
);
