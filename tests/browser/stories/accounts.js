/* SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { checkBody, story, storyInBoth } from '../visitor.js';

async function fill(page, values) {
    for (const [label, value] of Object.entries(values)) {
        await page.getByLabel(label, { exact: true }).fill(value);
    }
}

export function stories(server) {
    storyInBoth('the registration form reports errors while the user types', server, async visit => {
        const { page } = await visit();
        const error = id => page.locator(`#${id}-error`);
        await page.goto('/register.html');

        await page.getByLabel('User name').pressSequentially('ab');
        await error('username').filter({ hasText: 'User name must have at least 3 characters.' }).waitFor();
        assert.equal(await page.getByLabel('User name').getAttribute('aria-invalid'), 'true');
        await page.getByLabel('User name').press('c');
        assert.equal(await error('username').textContent(), '');

        for (const address of ['ada', 'ada@example', 'a da@example.com', '@example.com', 'ada@.', 'a@1.22', 'a@b.c']) {
            await fill(page, { 'E-mail address': address, Password: '' });
            assert.match(await error('email').textContent(), /must look like/, address);
        }
        await fill(page, {
            'E-mail address': 'ada@example.com',
            Password: 'seven c',
            'Repeat the password': '',
        });
        assert.equal(await error('email').textContent(), '');
        assert.match(await error('password').textContent(), /at least 8 characters/);

        await fill(page, { Password: 'eight ch', 'Repeat the password': 'eight cg', 'User name': 'abc' });
        assert.equal(await error('password').textContent(), '');
        assert.match(await error('confirmPassword').textContent(), /must be the same/);
        await fill(page, { Password: 'eight cg' });
        assert.equal(await error('confirmPassword').textContent(), '');
    });

    /* Chromium itself writes the domain of such an address in ASCII. */
    story('the form says how to write the domain of an address in ASCII', server, async visit => {
        const { page } = await visit();
        await page.goto('/register.html');
        const judge = address => page.evaluate(text => import('/assets/lib/form.js').then(it => it.rules.email(text)), address);
        for (const address of ['k@münchen.example', 'k@example.中国']) {
            assert.match(await judge(address), /must have its domain in ASCII, such as xn--mnchen-3ya/, address);
        }
        for (const address of ['k@xn--mnchen-3ya.example', "o'neil@sub.example.co.uk", 'a@1.example']) {
            assert.equal(await judge(address), '', address);
        }
    });

    storyInBoth('who registers on the way to a page comes there in the end', server, async visit => {
        const { page } = await visit();
        const next = /\?next=users\.html%3Fview%3Daudit$/;
        await page.goto('/users.html?view=audit');
        await page.waitForURL(next);
        await page.locator('main').getByRole('link', { name: 'Forgotten your password?' }).click();
        await page.waitForURL(/forgot.*next=/);
        await page.getByRole('link', { name: 'Back to sign in' }).click();
        await page.waitForURL(/login.*next=/);
        for (const place of ['main', '#account']) {
            await page.locator(place).getByRole('link', { name: 'Register' }).click();
            await page.waitForURL(/register.*next=/);
            await page.locator(place).getByRole('link', { name: 'Sign in' }).click();
            await page.waitForURL(/login.*next=/);
        }
        await page.locator('main').getByRole('link', { name: 'Register' }).click();
        await page.waitForURL(/register/);
        assert.match(page.url(), next);
        await fill(page, { 'User name': 'onmyway', 'E-mail address': 'onmyway@example.com' });
        await fill(page, { Password: 'along the way', 'Repeat the password': 'along the way' });
        await page.getByRole('button', { name: 'Register' }).click();
        await page.waitForURL('**/users.html?view=audit');
        await page.getByText('Welcome, onmyway.').waitFor();

        await page.goto('/register.html?next=//evil.example/x.html');
        await page.waitForURL('**/account.html');
    });

    story('an invalid form is not sent, and its first invalid field gets the focus', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const sent = [];
        await page.goto('/register.html');
        page.on('request', request => request.url().includes('/api/') && sent.push(request.url()));
        await fill(page, { 'User name': 'abc', 'E-mail address': 'nobody' });
        await page.getByRole('button', { name: 'Register' }).click();
        assert.ok(await visitor.isFocused(page.getByLabel('E-mail address')));
        assert.equal(await page.locator('[aria-invalid]').count(), 2);
        assert.deepEqual(sent, []);
    });

    story("the server's refusals stand at their fields", server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const taken = await server.register('taken');
        visitor.expect('POST /api/register 409');
        await page.goto('/register.html');

        await fill(page, {
            'User name': 'größe',
            'E-mail address': taken.email,
            Password: 'long enough',
            'Repeat the password': 'long enough',
        });
        await page.getByRole('button', { name: 'Register' }).click();
        await visitor.hears(/User name may only contain letters from a to z/);
        assert.ok(await visitor.isFocused(page.getByLabel('User name')));

        await fill(page, { 'User name': 'free' });
        await page.getByRole('button', { name: 'Register' }).click();
        await visitor.hears('E-mail address is already taken.');
        assert.ok(await visitor.isFocused(page.getByLabel('E-mail address')));
        await fill(page, { 'User name': 'free2' });
        assert.equal(await page.locator('#email-error').textContent(), 'E-mail address is already taken.');
        await fill(page, { 'E-mail address': 'free@example.com' });
        assert.equal(await page.locator('#email-error').textContent(), '');
    });

    storyInBoth('a user registers and confirms the address with the link in the mail', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        let sent;
        page.on(
            'request',
            request => (sent = request.url().endsWith('/api/register') ? request : sent),
        );
        await page.goto('/register.html');
        await fill(page, {
            'User name': 'ada',
            'E-mail address': 'ada@example.com',
            Password: 'correct horse',
            'Repeat the password': 'correct horse',
        });
        await page.getByRole('button', { name: 'Register' }).click();
        await visitor.hears('Welcome, ada. A mail is on its way to ada@example.com');
        checkBody(sent, {
            username: 'ada',
            email: 'ada@example.com',
            password: 'correct horse',
            cookie: true,
        });

        const [cookie, ...others] = await visitor.context.cookies(`${server.url}/api/auth/refresh`);
        assert.deepEqual(others, []);
        assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.path], [true, 'Strict', '/api/auth']);
        const kept = await page.evaluate(() =>
            JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
        );
        assert.doesNotMatch(kept, /eyJ/);
        assert.ok(!kept.includes(cookie.value));

        const link = await server.mailedLink('ada@example.com', 'confirm.html');
        await page.goto(link);
        await page.reload(); /* opening the page does not consume the token */
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('your e-mail address is confirmed');
        await page.getByRole('button', { name: 'ada' }).click();
        await page.getByRole('link', { name: 'Account' }).click();
        await page.getByText('Member since').waitFor();
        assert.ok(await page.locator('#resend-form').isHidden());

        visitor.expect('GET /api/auth/confirm 400');
        await page.goto(link);
        await visitor.hears('Invalid or expired link.'); /* before anything is pressed */
        assert.equal(await page.getByRole('button', { name: 'Confirm' }).count(), 0);
        assert.equal(await page.getByLabel('E-mail address').inputValue(), 'ada@example.com');
    });

    story('a link for an address that another account has by now is refused', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const mover = await server.register('emailmover');
        const change = { newEmail: 'wanted@example.com', password: mover.password };

        await server.api('POST', '/auth/email/change', change, mover.token);
        const link = await server.mailedLink('wanted@example.com', 'confirm.html');
        await server.register('wanted');
        visitor.expect('POST /api/auth/confirm 409');
        await page.goto(link);
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('Another account has taken this name or address in the meantime.');
        assert.ok(await page.getByRole('button').filter({ hasText: /Confirm|Send/ }).first().isHidden());
    });

    story('the user can have a lost link sent again', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('loser');
        await server.mailedLink(user.email, 'confirm.html');
        await page.goto('/confirm.html');
        await visitor.hears('This page needs the whole link');
        await fill(page, { 'E-mail address': user.email });
        await page.getByRole('button', { name: 'Send the mail' }).click();
        await visitor.hears('a mail is on its way');
        await page.goto(await server.mailedLink(user.email, 'confirm.html'));
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('your e-mail address is confirmed');
        assert.match(page.url(), /login\.html$/);
    });

    storyInBoth('a user can sign in with the keyboard alone', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('keys');
        await page.goto('/login.html');
        await page.getByRole('button', { name: 'Sign in' }).waitFor();

        await page.keyboard.press('Tab');
        assert.ok(await visitor.isFocused(page.getByRole('link', { name: 'Skip to the content' })));
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        await page.keyboard.type(user.email.toUpperCase());
        await page.keyboard.press('Tab');
        await page.keyboard.type('not the password');
        visitor.expect('POST /api/auth/login 401');
        await page.keyboard.press('Enter');
        await visitor.hears('Invalid credentials. The user is unknown or the password is wrong.');
        assert.ok(await visitor.isFocused(page.getByRole('alert')));

        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.type(user.password);
        await page.keyboard.press('Tab');
        await page.keyboard.press('Space');
        assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await visitor.hears('You are signed in.');
        await page.getByRole('button', { name: 'keys' }).press('Enter');
        await page.keyboard.press('Escape');
        assert.ok(await page.getByRole('button', { name: 'Sign out' }).isHidden());
        await page.keyboard.press('Enter');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Sign out' })));
        await page.keyboard.press('Enter');
        await visitor.hears('You have signed out.');
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
        assert.deepEqual(await visitor.context.cookies(), []);
    });

    story('the page says how long to wait after too many wrong passwords', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('guessed');
        visitor.expect('POST /api/auth/login 401', 'POST /api/auth/login 429');
        await page.goto('/login.html');
        await fill(page, { 'User name or e-mail address': user.username, Password: 'wrong' });
        for (let i = 0; i < 8 && !(await page.getByText('Too many attempts').isVisible()); i++) {
            const answer = page.waitForResponse(/login/);
            await page.getByRole('button', { name: 'Sign in' }).click();
            await answer;
            await page.getByRole('alert').waitFor();
        }
        await visitor.hears(/Too many attempts. Please try again in (a second|\d+ seconds)\./);
    });

    story('a page that needs a user leads to the sign-in and back', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('returning');
        await page.goto('/account.html');
        await page.waitForURL('/login.html?next=account.html');
        await fill(page, { 'User name or e-mail address': user.username, Password: user.password });
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL('/account.html');
        await page.goto('/login.html?next=//example.com/');
        await page.waitForURL('/index.html');
    });

    story('a user resets a forgotten password with the link in the mail', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('forgetful');
        await page.goto('/login.html');
        await page.getByRole('link', { name: 'Forgotten your password?' }).click();
        await fill(page, { 'E-mail address': user.email });
        await page.getByRole('button', { name: 'Send the mail' }).click();
        await visitor.hears('a mail is on its way');

        const link = await server.mailedLink(user.email, 'reset.html');
        await page.goto(link);
        await fill(page, { 'New password': 'quite another one', 'Repeat the password': 'quite another one' });
        await page.getByRole('button', { name: 'Set the password' }).click();
        await visitor.hears('Your new password has been set.');
        await visitor.signIn({ username: user.username, password: 'quite another one' });

        visitor.expect('GET /api/auth/password/reset 400');
        await page.goto(link);
        await visitor.hears('Invalid or expired link.'); /* before anything is typed */
        assert.equal(await page.getByLabel('New password').count(), 0);
        await page.getByRole('link', { name: 'Get a new link' }).click();
        await page.waitForURL('/forgot.html');
    });

    story('a link that is used up while its page is open is refused then', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('overtaken');
        await server.api('POST', '/auth/password/forgot', { email: user.email });
        const link = await server.mailedLink(user.email, 'reset.html');
        await page.goto(link);
        await fill(page, { 'New password': 'quite another one', 'Repeat the password': 'quite another one' });
        await server.api('POST', '/auth/password/reset', { token: link.split('token=')[1], password: 'the first of two' });
        visitor.expect('POST /api/auth/password/reset 400');
        await page.getByRole('button', { name: 'Set the password' }).click();
        await visitor.hears('Invalid or expired link.');
    });

    storyInBoth('who comes for a page gets there, by way of registration, a mail or a new password', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('headstrong');
        const target = 'own/visit.html';
        await page.route('**/own/visit.html', route => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Here</title>' }));

        await page.goto(`/login.html?next=${target}`);
        await page.getByRole('link', { name: 'Forgotten your password?' }).click();
        await fill(page, { 'E-mail address': user.email });
        await page.getByRole('button', { name: 'Send the mail' }).click();
        await visitor.hears('a mail is on its way');
        await page.goto(await server.mailedLink(user.email, 'reset.html'));
        await fill(page, { 'New password': 'quite another one', 'Repeat the password': 'quite another one' });
        await page.getByRole('button', { name: 'Set the password' }).click();
        await page.waitForURL(/login\.html\?next=own%2Fvisit\.html$/);
        await fill(page, { 'User name or e-mail address': user.username, Password: 'quite another one' });
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.waitForURL(`/${target}`);

        await page.goto('/index.html');
        await visitor.signOut();
        await visitor.hears('You have signed out.');
        await page.goto(`/login.html?next=${target}`);
        await page.getByRole('main').getByRole('link', { name: 'Register' }).click();
        const newcomer = { 'User name': 'newcomer', 'E-mail address': 'newcomer@example.com', Password: 'correct horse', 'Repeat the password': 'correct horse' };
        await fill(page, newcomer);
        await page.getByRole('button', { name: 'Register' }).click();
        await page.waitForURL(`/${target}`);
        await page.goto(await server.mailedLink('newcomer@example.com', 'confirm.html'));
        await page.getByRole('button', { name: 'Confirm' }).click();
        await page.waitForURL(`/${target}`);

        /* What was kept is for an hour, and a later mail is about something else. */
        await page.evaluate(() => {
            const kept = JSON.parse(localStorage.getItem('catalog.next./api'));
            localStorage.setItem('catalog.next./api', JSON.stringify({ ...kept, until: Date.now() }));
        });
        await page.goto('/confirm.html');
        await fill(page, { 'E-mail address': user.email });
        await page.getByRole('button', { name: 'Send the mail' }).click();
        await visitor.hears('a mail is on its way');
        assert.equal(await page.evaluate(() => localStorage.getItem('catalog.next./api')), null);
    });

    story('the pages through which users come in begin with the sign of the shop', server, async visit => {
        const { page } = await visit();
        for (const name of ['login', 'register', 'forgot', 'reset', 'confirm']) {
            await page.goto(`/${name}.html`);
            await page.locator('.emblem').filter({ hasText: 'Catalogue' }).waitFor();
        }
        const logo = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='30' height='30'/>";
        await page.route('**/own/config.js', route =>
            route.fulfill({ contentType: 'text/javascript', body: `export const LOGO = ${JSON.stringify(logo)};` }),
        );
        await page.goto('/login.html');
        await page.locator('.emblem img').waitFor();
    });

    story('mails are in the language of the pages', server, async visit => {
        const visitor = await visit(server.url, { locale: 'de-DE' });
        const { page } = visitor;
        visitor.forgive(/^POST \/api\/auth\/refresh 401$/); /* the page of the products may ask when the user has just signed out */
        await page.goto('/register.html');
        for (const [id, text] of Object.entries({ username: 'deutsch', email: 'deutsch@example.com', password: 'correct horse', confirmPassword: 'correct horse' })) {
            await page.locator(`#${id}`).fill(text);
        }
        await page.getByRole('button', { name: 'Registrieren' }).click();
        await visitor.hears('Willkommen, deutsch!');
        assert.match(await server.mailedText('deutsch@example.com', 'confirm.html'), /^Guten Tag deutsch,/m);
        await page.getByLabel('Sprache').selectOption('English');
        await page.getByRole('heading', { name: 'Products' }).waitFor();
        await visitor.signOut();
        await visitor.hears('You have signed out.');
        await visitor.signIn({ username: 'deutsch', password: 'correct horse' });
        await server.api('POST', '/auth/password/forgot', { email: 'deutsch@example.com' });
        assert.match(await server.mailedText('deutsch@example.com', 'reset.html'), /^Hello deutsch,/m);
    });

    story('changing the password ends the other sessions', server, async visit => {
        const user = await server.register('changing');
        const [here, there] = [await visit(), await visit()];
        await here.arrive(user);
        await there.arrive(user);
        await here.page.goto('/account.html');
        here.expect('POST /api/auth/password/change 400');
        const passwords = { 'New password': 'quite another one', 'Repeat the new password': 'quite another one' };
        await fill(here.page, { 'Current password': 'not this one', ...passwords });
        await here.page.getByRole('button', { name: 'Change the password' }).click();
        await here.hears('Current password is not the current password.');
        await fill(here.page, { 'Current password': user.password });
        await here.page.getByRole('button', { name: 'Change the password' }).click();
        await here.hears('Your password has been changed');
        assert.equal(await here.page.getByRole('button', { name: /^End the session/ }).count(), 1);

        there.expect('POST /api/auth/refresh 401');
        await there.page.goto('/index.html');
        await there.page.getByRole('link', { name: 'Sign in' }).waitFor();
    });

    story('a user ends one session from another', server, async visit => {
        const user = await server.register('twice');
        const [here, there] = [await visit(), await visit()];
        await here.arrive(user);
        await there.arrive(user);
        await there.page.goto('/edit.html');
        await fill(there.page, { Name: 'Kept', Price: '1' });

        await here.page.goto('/account.html');
        await here.page.getByText('This one').waitFor();
        const sessions = here.page.locator('.session');
        for (let left = await sessions.count(); left > 1; left--) {
            await sessions.filter({ hasNotText: 'This one' }).getByRole('button').first().click();
            await sessions.nth(left - 1).waitFor({ state: 'detached' });
            await here.hears('The session has ended.');
        }

        there.expect('POST /api/products 401', 'POST /api/auth/refresh 401');
        await there.page.getByRole('button', { name: 'Save' }).click();
        await there.hears('Your session has ended.');
        assert.equal(await there.page.getByLabel('Name').inputValue(), 'Kept');

        await here.page.getByRole('button', { name: /^End/ }).click();
        await here.hears('You have signed out.');
    });

    story('a user makes a key for a program, copies it, and ends it', server, async visit => {
        const visitor = await visit(server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
        const { page } = visitor;
        const user = await server.register('keyholder');
        await visitor.arrive(user);
        await page.goto('/account.html');
        await page.getByText('You have no keys.').waitFor();
        assert.ok(await page.getByLabel('The new key').isHidden());

        await fill(page, { 'Valid for how many days': '4000' });
        await page.getByRole('button', { name: 'Create a key' }).click();
        await visitor.hears('Name of the key must be filled in.');
        await visitor.hears('Valid for how many days must be from 1 to 3,650.');
        assert.deepEqual(await page.locator('#key-role option').allTextContents(), ['User']);
        visitor.expect('POST /api/auth/keys 400');
        const password = page.locator('#key').getByLabel('Your password');
        await fill(page, { 'Name of the key': 'ERP', 'Valid for how many days': '30' });
        await password.fill('not this one');
        await page.getByRole('button', { name: 'Create a key' }).click();
        await visitor.hears('Your password is not the current password.');
        await password.fill(user.password);
        await page.getByRole('button', { name: 'Create a key' }).click();
        await visitor.hears('The key “ERP” is ready.');
        const token = await page.getByLabel('The new key').inputValue();
        assert.ok(await visitor.isFocused(page.getByLabel('The new key')));
        await page.getByRole('button', { name: 'Copy the key' }).click();
        await visitor.hears('The key is copied.');
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token);
        const product = { name: 'Made by a program', price: 1 };
        const use = () => server.api('POST', '/products', product, token).then(() => true, () => false);
        assert.equal(await use(), true);

        await page.reload();
        const key = page.locator('#keys li').filter({ hasText: 'ERP' });
        await key.getByText(/^Created .*, expires .*/).waitFor();
        assert.ok(await page.getByLabel('The new key').isHidden());
        assert.equal(await page.getByText(token).count(), 0);

        const question = page.getByRole('dialog', { name: 'End the key “ERP”?' });
        await key.getByRole('button', { name: 'End the key ERP' }).click();
        await question.getByRole('button', { name: 'Keep it' }).click();
        await question.waitFor({ state: 'hidden' });
        assert.equal(await use(), true);
        await key.getByRole('button', { name: 'End the key ERP' }).click();
        await question.getByRole('button', { name: 'End the key' }).click();
        await visitor.hears('The key “ERP” has ended.');
        await page.getByText('You have no keys.').waitFor();
        assert.equal(await use(), false);

        await fill(page, { 'Name of the key': 'Another' });
        await password.fill(user.password);
        await page.getByRole('button', { name: 'Create a key' }).click();
        await visitor.hears('The key “Another” is ready.');
        await fill(page, { 'Current password': user.password });
        await fill(page, { 'New password': 'quite another one', 'Repeat the new password': 'quite another one' });
        await page.getByLabel('End all keys for programs, too').check();
        await page.getByRole('button', { name: 'Change the password' }).click();
        await visitor.hears('Your password has been changed');
        await page.getByText('You have no keys.').waitFor();
    });

    story('signing out everywhere signs out the other tab and the other browser', server, async visit => {
        const user = await server.register('everywhere');
        const [here, there] = [await visit(), await visit()];
        await here.arrive(user);
        await there.arrive(user);
        const tab = await here.tab();
        await tab.goto('/index.html');
        await tab.getByRole('button', { name: user.username }).waitFor();

        await here.page.goto('/account.html');
        await here.page.getByRole('button', { name: 'Sign out everywhere' }).click();
        await here.hears('You have signed out everywhere.');
        await tab.getByRole('link', { name: 'Sign in' }).waitFor();
        there.expect('POST /api/auth/refresh 401');
        await there.page.goto('/account.html');
        await there.page.waitForURL('/login.html?next=account.html');
    });

    storyInBoth('other tabs follow a sign-in and a sign-out', server, async visit => {
        const user = await server.register('manytabs');
        const visitor = await visit();
        await visitor.signIn(user);
        const [list, account, draft] = [await visitor.tab(), await visitor.tab(), await visitor.tab()];
        await list.goto('/index.html');
        await list.getByRole('link', { name: 'Add a product' }).waitFor();
        await account.goto('/account.html');
        await account.getByText('Member since').waitFor();
        await draft.goto('/edit.html');
        await draft.getByLabel('Name').fill('Half written');

        await visitor.signOut();
        await visitor.hears('You have signed out.');
        await list.getByRole('link', { name: 'Sign in' }).waitFor();
        assert.ok(await list.getByText('Add a product').isHidden());
        await account.waitForURL('/login.html?next=account.html');
        await draft.getByText('You have signed out in another tab.').waitFor();
        assert.equal(await draft.getByLabel('Name').inputValue(), 'Half written');

        await visitor.signIn(user);
        await list.getByRole('link', { name: 'Add a product' }).waitFor();
        await draft.getByText(`In another tab you have signed in as ${user.username}.`).waitFor();
        await draft.getByLabel('Price').fill('3');
        await draft.getByRole('button', { name: 'Save' }).click();
        await draft.getByText('The product is added.').waitFor();
    });

    for (const locks of [true, false]) {
        story(
            `tabs that refresh at once stay signed in ${locks ? 'with' : 'without'} locks`,
            server,
            async visit => {
                const user = await server.register(`tabs${locks ? 1 : 2}`);
                const visitor = await visit();
                if (!locks) {
                    await visitor.context.addInitScript(() =>
                        Object.defineProperty(Navigator.prototype, 'locks', { value: undefined }),
                    );
                }
                await visitor.arrive(user);
                const tabs = [visitor.page, await visitor.tab(), await visitor.tab()];
                for (let round = 0; round < 3; round++) {
                    await Promise.all(tabs.map(tab => tab.goto('/index.html')));
                    await Promise.all(
                        tabs.map(tab => tab.getByRole('button', { name: user.username }).waitFor()),
                    );
                }
            },
        );
    }

    story('the page refreshes a refused token once, unnoticed by the user', server, async visit => {
        const user = await server.register('renewing');
        const visitor = await visit();
        const { page } = visitor;
        await visitor.arrive(user);
        await page.goto('/edit.html');
        await fill(page, { Name: 'Renewed', Price: '1' });
        visitor.expect('POST /api/products 401');
        await page.route(
            '**/api/products',
            route => route.fulfill({ status: 401, json: { success: false, message: 'Invalid token' } }),
            { times: 1 },
        );
        const refreshed = page.waitForResponse(/refresh/);
        await page.getByRole('button', { name: 'Save' }).click();
        assert.equal((await refreshed).status(), 200);
        await visitor.hears('The product is added.');
    });
}
