/* SPDX-License-Identifier: Apache-2.0 */
import { register } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { go, keepNext, nextPage, start } from '../lib/page.js';
import { t } from '../lib/text.js';

const checks = {
    username: rules.username,
    email: rules.email,
    password: rules.password,
    confirmPassword: rules.sameAs('password'),
};

async function submit({ username, email, password }) {
    await register({ username, email, password });
    keepNext();
    await go(nextPage(), t('register.done', { username, email }));
}

start(user => {
    if (user) {
        location.replace(nextPage('account.html'));
        return;
    }
    manage(byId('form'), checks, submit);
});
