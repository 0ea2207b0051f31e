/* SPDX-License-Identifier: Apache-2.0 */
import { offerKeys, showKeys } from '../account/keys.js';
import { call, forget, refresh, send, signOut } from '../lib/api.js';
import { bdi, byId, el, saveFile } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { finish, go, say, showError, start } from '../lib/page.js';
import { formatAgent, formatTime, t } from '../lib/text.js';

function showProfile({ username, email, role, createdAt }) {
    const facts = [
        [t('form.username'), username],
        [t('form.email'), email],
        [t('account.role'), t(`role.${role}`)],
        [t('account.since'), formatTime(createdAt)],
    ];
    byId('profile').replaceChildren(
        ...facts.flatMap(([name, value]) => [el('dt', {}, name), el('dd', {}, bdi(value))]),
    );
    byId('username').value = username;
}

/* ---- sessions ---- */

async function endSession({ id, current }) {
    try {
        await call('DELETE', `/auth/sessions/${encodeURIComponent(id)}`);
        if (current) {
            forget();
            await go('index.html', t('shell.signedOut'));
        }
        await showSessions();
        say(t('account.ended'));
        byId('sessions-title').focus();
    } catch (error) {
        showError(byId('trouble'), error).focus();
    }
}

function sessionItem(session) {
    const { userAgent, address, createdAt, lastUsedAt, current } = session;
    const name = formatAgent(userAgent);
    const label = t('account.endLabel', { name, address, lastUsed: formatTime(lastUsedAt) });
    const times = t('account.times', {
        created: formatTime(createdAt),
        lastUsed: formatTime(lastUsedAt),
        address,
    });

    return el(
        'li',
        { class: 'list-group-item session' },
        el(
            'div',
            {},
            el('strong', { title: userAgent }, name),
            current ? el('span', { class: 'badge' }, t('account.current')) : undefined,
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
            t('account.end'),
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
        await go('index.html', t('account.signedOutEverywhere'));
    } catch (error) {
        showError(byId('trouble'), error).focus();
    }
}

/* ---- forms ---- */

/* Shows what was done, and scrolls to the message. */
function report(text) {
    say(text);
    byId('status').scrollIntoView();
}

const passwordChecks = {
    currentPassword: rules.given,
    newPassword: rules.password,
    confirmPassword: rules.sameAs('newPassword'),
};

async function changePassword({ currentPassword, newPassword, endKeys }) {
    await call('POST', '/auth/password/change', { currentPassword, newPassword, endKeys });
    byId('change').reset();
    await Promise.all([showSessions(), showKeys()]);
    report(t('account.changed'));
}

async function rename({ username }) {
    const { data: me } = await call('PATCH', '/auth/me', { username });
    byId('rename').reset();
    showProfile(me);
    await refresh().catch(() => {}); /* updates the name in the menu; an error does not matter, because the name has
                                      * been changed */
    await showSessions(); /* sessions have new ids now */
    report(t('account.renamed', { name: me.username }));
}

const emailChecks = { newEmail: rules.email, password: rules.given };

async function changeEmail({ newEmail, password }, present) {
    await call('POST', '/auth/email/change', { newEmail, password });
    byId('change-email').reset();
    report(t('account.linkSent', { email: newEmail, present }));
}

async function resend(email) {
    await send('POST', '/auth/confirm/resend', { body: { email } });
    finish(byId('resend-form'), t('account.resent', { email }));
}

/* ---- the page ---- */

async function saveData() {
    try {
        const [{ data: account }, { data: sessions }, { data: keys }] = await Promise.all(
            ['/auth/me', '/auth/sessions', '/auth/keys'].map(path => call('GET', path)),
        );
        const name = `account-${account.username}.json`;
        const file = new Blob([JSON.stringify({ account, sessions, keys }, null, 4)], { type: 'application/json' });
        saveFile(file, name);
        report(t('account.saved', { name }));
    } catch (error) {
        showError(byId('trouble'), error, saveData).focus();
    }
}

async function deleteAccount({ password }) {
    await call('DELETE', '/auth/me', { password });
    forget();
    await go('index.html', t('account.deleted'));
}

function offerDeletion() {
    const dialog = byId('deletion');
    manage(byId('delete-form'), { password: rules.given }, deleteAccount);
    byId('delete').onclick = () => dialog.showModal();
    byId('keep').onclick = () => dialog.close();
    dialog.onclose = () => byId('delete-form').reset();
}

start(
    async () => {
        const { data: me } = await call('GET', '/auth/me');
        showProfile(me);
        await Promise.all([showSessions(), showKeys()]);
        offerKeys(me.role);
        byId('everywhere').onclick = signOutEverywhere;
        if (!me.emailVerified) {
            manage(byId('resend-form'), {}, () => resend(me.email));
        }
        manage(byId('change'), passwordChecks, changePassword);
        manage(byId('rename'), { username: rules.username }, rename);
        manage(byId('change-email'), emailChecks, values => changeEmail(values, me.email));
        byId('save').onclick = saveData;
        offerDeletion();
        byId('content').hidden = false;
    },
    { needsUser: true },
);
