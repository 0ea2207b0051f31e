/* SPDX-License-Identifier: Apache-2.0 */
import { forget, send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { checkLink, dropLinkToken, linkToken } from '../lib/link.js';
import { entry, go, say, setTitle, showError, start } from '../lib/page.js';
import { t } from '../lib/text.js';

const token = linkToken();
const isInvited = new URLSearchParams(location.search).has('invite');

/* Changes the texts for an invited user, who has no password yet. */
function greet() {
    setTitle(t('reset.inviteTitle'));
    document.querySelector('h1').textContent = t('reset.inviteTitle');
    byId('password-hint').textContent = t('reset.inviteHint');
}

/* Checks the link, so that an invalid one is reported before the user types a password. Resolves to true if it is
 * valid. */
async function check() {
    try {
        await checkLink('/auth/password/reset');
        return true;
    } catch (error) {
        if (error.status !== 400) {
            throw error;
        }
        showError(byId('trouble'), error).focus();
        return false;
    }
}

start(async () => {
    if (isInvited) {
        greet();
    }
    if (!token) {
        byId('form').remove();
        say(t('reset.noLink'));
        return;
    }
    if (!(await check())) {
        byId('form').remove();
        return;
    }
    manage(
        byId('form'),
        { password: rules.password, confirmPassword: rules.sameAs('password') },
        async ({ password }) => {
            await send('POST', '/auth/password/reset', { body: { token, password } });
            dropLinkToken();
            forget();
            await go(entry('login.html'), t(isInvited ? 'reset.inviteDone' : 'reset.done'));
        },
    );
});
