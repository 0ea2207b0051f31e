/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { checkLink, dropLinkToken, linkToken } from '../lib/link.js';
import { entry, finish, go, keepNext, nextPage, say, showError, start } from '../lib/page.js';
import { t } from '../lib/text.js';

const token = linkToken();

function offerAnother(user) {
    byId('resend').hidden = false;
    byId('email').value ||= user?.email ?? '';
}

/* Removes the form if the link cannot be used: 400 if it is not valid, 409 if the address belongs to another account
 * now. */
function refuse(error, user) {
    if (error.status !== 400 && error.status !== 409) {
        throw error;
    }
    byId('form').remove();
    showError(byId('trouble'), error).focus();
    if (error.status === 400) {
        offerAnother(user);
    }
}

async function confirm(user) {
    try {
        await send('POST', '/auth/confirm', { body: { token } });
    } catch (error) {
        refuse(error, user);
        return;
    }
    dropLinkToken();
    await go(user ? nextPage() : entry('login.html'), t('confirm.done'));
}

/* Checks the link before the user presses the button. */
async function check(user) {
    try {
        await checkLink('/auth/confirm');
        manage(byId('form'), {}, () => confirm(user));
    } catch (error) {
        refuse(error, user);
    }
}

start(async user => {
    if (token) {
        await check(user);
    } else {
        byId('form').remove();
        say(t('confirm.noLink'));
        offerAnother(user);
    }
    manage(byId('resend-form'), { email: rules.email }, async ({ email }) => {
        await send('POST', '/auth/confirm/resend', { body: { email } });
        keepNext();
        finish(byId('resend'), t('confirm.sent', { email }));
    });
});
