/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { dropLinkToken, linkToken } from '../lib/link.js';
import { go, say, start } from '../lib/page.js';
import { forget } from '../lib/session.js';

const token = linkToken();

start(() => {
    if (!token) {
        byId('form').remove();
        say('This page needs the whole link from your mail. Open it from there, or ask for another one.');
        return;
    }
    manage(
        byId('form'),
        { password: rules.password, confirmPassword: rules.sameAs('password') },
        async ({ password }) => {
            await send('POST', '/auth/password/reset', { body: { token, password } });
            dropLinkToken();
            forget();
            await go('login.html', 'Your new password is set. Please sign in with it.');
        },
    );
});
