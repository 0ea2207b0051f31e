/* SPDX-License-Identifier: Apache-2.0 */
import { signIn } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { go, nextPage, start } from '../lib/page.js';
import { t } from '../lib/text.js';

start(user => {
    if (user) {
        location.replace(nextPage());
        return;
    }
    manage(byId('form'), { login: rules.given, password: rules.given }, async ({ login, password }) => {
        await signIn(login, password);
        await go(nextPage(), t('login.done'));
    });
});
