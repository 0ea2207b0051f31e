/* SPDX-License-Identifier: Apache-2.0 */
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { go, start } from '../lib/page.js';
import { register } from '../lib/session.js';

const checks = {
    username: rules.username,
    email: rules.email,
    password: rules.password,
    confirmPassword: rules.sameAs('password'),
};

async function submit({ username, email, password }) {
    await register({ username, email, password });
    const mailed = `A mail is on its way to ${email}: please follow the link in it.`;
    await go('index.html', `Welcome, ${username}. ${mailed}`);
}

start(user => {
    if (user) {
        location.replace('account.html');
        return;
    }
    manage(byId('form'), checks, submit);
});
