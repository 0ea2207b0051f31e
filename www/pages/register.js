/* SPDX-License-Identifier: Apache-2.0 */
import { send } from '../lib/api.js';
import { byId } from '../lib/dom.js';
import { manage, rules } from '../lib/form.js';
import { go, start } from '../lib/page.js';
import { signIn } from '../lib/session.js';

const checks = {
    username: rules.username,
    email: rules.email,
    password: rules.password,
    confirmPassword: rules.sameAs('password'),
};

/* Not POST /register, which would give this script a refresh token; signing in puts it into the cookie. */
async function register({ username, email, password }) {
    await send('POST', '/users', { body: { username, email, password } });
    const mailed = `A mail is on its way to ${email}: please follow the link in it.`;
    try {
        await signIn(username, password);
    } catch {
        await go('login.html', `Your account is made. ${mailed}`);
    }
    await go('index.html', `Welcome, ${username}. ${mailed}`);
}

start(user => {
    if (user) {
        location.replace('account.html');
        return;
    }
    manage(byId('form'), checks, register);
});
