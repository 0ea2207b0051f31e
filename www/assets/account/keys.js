/* SPDX-License-Identifier: Apache-2.0 */
/* The API keys of the user's programs. The token of a new key is shown until the user leaves the page or creates
 * another key. Nobody can read it later. */
import { call } from '../lib/api.js';
import { bdi, byId, el } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { say, showError } from '../lib/page.js';
import { formatTime, t } from '../lib/text.js';

const ROLES = ['user', 'editor', 'admin']; /* each role includes those before it */
const DAY = 86_400; /* seconds */
const MOST = 3650; /* days */

const hasExpired = ({ expiresAt }) => new Date(expiresAt) <= new Date();

function lifeOf({ createdAt, expiresAt, lastUsedAt, address }) {
    const values = { created: formatTime(createdAt), expires: formatTime(expiresAt) };
    return lastUsedAt ? t('key.used', { ...values, lastUsed: formatTime(lastUsedAt), address }) : t('key.unused', values);
}

/* Resolves to true if the user wants to delete the key. */
function askForEnd({ name }) {
    const dialog = byId('key-end');
    byId('key-question').textContent = t('key.question', { name });
    dialog.returnValue = '';
    dialog.showModal();
    return new Promise(resolve => {
        dialog.onclose = () => resolve(dialog.returnValue === 'yes');
    });
}

async function endKey(key) {
    if (!(await askForEnd(key))) {
        return;
    }
    try {
        await call('DELETE', `/auth/keys/${encodeURIComponent(key.id)}`);
        await showKeys();
        say(t('key.ended', { name: key.name }));
        byId('keys-title').focus();
    } catch (error) {
        showError(byId('trouble'), error).focus();
    }
}

function keyItem(key) {
    return el(
        'li',
        { class: 'list-group-item session' },
        el(
            'div',
            {},
            el('strong', {}, bdi(key.name)),
            el('span', { class: 'badge' }, t(`role.${key.role}`)),
            hasExpired(key) && el('span', { class: 'badge warn' }, t('key.expired')),
            el('div', { class: 'form-text' }, lifeOf(key)),
        ),
        el(
            'button',
            {
                type: 'button',
                class: 'btn btn-outline-secondary',
                'aria-haspopup': 'dialog',
                'aria-label': t('key.endLabel', { name: key.name }),
                onclick: () => endKey(key),
            },
            t('account.end'),
        ),
    );
}

export async function showKeys() {
    const { data } = await call('GET', '/auth/keys');
    byId('keys').replaceChildren(...data.map(keyItem));
    byId('keys').hidden = data.length === 0;
    byId('no-keys').hidden = data.length > 0;
}

/* ---- a new key ---- */

async function copyToken() {
    const token = byId('key-token');
    const isCopied = await navigator.clipboard?.writeText(token.value).then(() => true, () => false);
    token.select();
    say(t(isCopied ? 'key.copied' : 'key.notCopied'));
}

function showToken(token) {
    byId('new-key').hidden = false;
    byId('key-token').value = token;
    byId('key-token').focus();
    byId('key-token').select();
}

const checks = {
    name: (value, values, input) => rules.given(value) || rules.atMost(100)(value),
    days: value => (/^\d{1,4}$/.test(value) && value >= 1 && value <= MOST ? '' : t('fault.between', { least: 1, most: MOST })),
    password: rules.given,
};

async function makeKey({ name, days, role, password }) {
    const { token } = await call('POST', '/auth/keys', { name, role, expiresIn: days * DAY, password });
    byId('key').reset();
    showToken(token); /* first, because an error must not lose the token */
    say(t('key.made', { name }));
    await showKeys();
}

/* `own` is the user's role, the highest role for a key. */
export function offerKeys(own) {
    const roles = ROLES.slice(0, ROLES.indexOf(own) + 1);
    byId('key-role').replaceChildren(...roles.map(role => el('option', { value: role, selected: role === own }, t(`role.${role}`))));
    byId('key-copy').onclick = copyToken;
    manage(byId('key'), checks, makeKey, field => (field === 'expiresIn' ? 'days' : field));
}
