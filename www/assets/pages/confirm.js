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

/* The link is of no use any more: 400, it is not valid; 409, the address belongs to another account by now. */
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

/* Before the user presses the button. */
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
