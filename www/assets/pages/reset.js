/* SPDX-License-Identifier: Apache-2.0 */
import { forget, send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { dropLinkToken, linkToken } from '../lib/link.js';
import { go, say, start } from '../lib/page.js';
import { t } from '../lib/text.js';

const token = linkToken();

start(() => {
    if (!token) {
        byId('form').remove();
        say(t('reset.noLink'));
        return;
    }
    manage(
        byId('form'),
        { password: rules.password, confirmPassword: rules.sameAs('password') },
        async ({ password }) => {
            await send('POST', '/auth/password/reset', { body: { token, password } });
            dropLinkToken();
            forget();
            await go('login.html', t('reset.done'));
        },
    );
});
