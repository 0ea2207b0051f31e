/* SPDX-License-Identifier: Apache-2.0 */
/* What users change of their own accounts, and administrators of others'. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { story } from './visitor.js';

async function openAccount(visitor, user) {
    await visitor.signIn(user);
    await visitor.page.goto('/account.html');
    await visitor.page.getByText('This one').waitFor();
}

export function people(server) {
    story('a user takes another name, and signs in with it', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('byron');
        await server.register('occupied');
        await openAccount(visitor, user);
        const rename = page.getByRole('button', { name: 'Change the user name' });

        await page.getByLabel('New user name').fill('ab');
        await rename.click();
        await visitor.hears('New user name must have at least 3 characters.');
        visitor.expect('PATCH /api/auth/me 409', 'PATCH /api/auth/me 400');
        await page.getByLabel('New user name').fill('Occupied');
        await rename.click();
        await visitor.hears('New user name is already taken.');
        assert.ok(await visitor.isFocused(page.getByLabel('New user name')));
        await page.getByLabel('New user name').fill('a b c');
        await rename.click();
        await visitor.hears('New user name must consist of letters, digits');

        await page.getByLabel('New user name').fill('Lovelace');
        await rename.click();
        await visitor.hears('Your user name is Lovelace now.');
        await page.getByRole('definition').filter({ hasText: /^Lovelace$/ }).waitFor();
        await page.getByRole('button', { name: 'Lovelace' }).waitFor();
        assert.equal(await page.getByLabel('New user name').inputValue(), '');
        await visitor.signOut();
        await visitor.signIn({ username: 'lovelace', password: user.password });
    });

    story('a new e-mail address counts when its link has been followed', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('movingout');
        await page.goto(await server.mailedLink(user.email, 'confirm.html'));
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('your e-mail address is confirmed');
        await openAccount(visitor, user);
        const form = page.locator('#change-email');
        const send = form.getByRole('button', { name: 'Send the link' });

        await form.getByLabel('New e-mail address').fill('nowhere');
        await send.click();
        await visitor.hears('New e-mail address must look like name@example.com.');
        await visitor.hears('Your password must be filled in.');
        visitor.expect('POST /api/auth/email/change 400');
        await form.getByLabel('New e-mail address').fill('movedin@example.com');
        await form.getByLabel('Your password').fill('not this one');
        await send.click();
        await visitor.hears('Your password is not the current password.');
        await form.getByLabel('Your password').fill(user.password);
        await send.click();
        await visitor.hears(`A link was sent to movedin@example.com, unless another account has that address. Your address is ${user.email}`);

        const address = text => page.getByRole('definition').filter({ hasText: text });
        const link = await server.mailedLink('movedin@example.com', 'confirm.html');
        await page.reload();
        await address(user.email).waitFor();
        await page.goto(link);
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('your e-mail address is confirmed');
        await page.goto('/account.html');
        await address('movedin@example.com').waitFor();
        assert.ok(await page.locator('#resend-form').isHidden());

        visitor.expect('POST /api/auth/confirm 400');
        await page.goto(link);
        await page.getByRole('button', { name: 'Confirm' }).click();
        await visitor.hears('Invalid or expired link.');
        await page.getByRole('link', { name: 'A link to change the address of your account' }).click();
        await page.waitForURL('/account.html');
    });

    story('users save the data that the catalogue has of them', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('collector');
        await openAccount(visitor, user);
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Save your data' }).click();
        const file = await download;
        assert.equal(file.suggestedFilename(), 'account-collector.json');
        await visitor.hears('Your browser saves your data as account-collector.json.');
        const { account, sessions } = JSON.parse(readFileSync(await file.path(), 'utf8'));
        assert.deepEqual([account.username, account.email, account.role], [user.username, user.email, 'user']);
        assert.deepEqual(sessions.map(({ current }) => current).sort(), [false, true]); /* registration opened the other one */
    });

    story('a user deletes the account, with the password, after having read what goes', server, async visit => {
        const user = await server.register('leaver');
        const [visitor, other] = [await visit(), await visit()];
        const { page } = visitor;
        await other.signIn(user);
        await openAccount(visitor, user);
        const open = page.getByRole('button', { name: 'Delete the account' });
        const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
        const password = dialog.getByLabel('Your password');

        await open.press('Enter');
        await dialog.getByText('What goes: your name').waitFor();
        await dialog.getByText('What stays: the products').waitFor();
        assert.ok(await visitor.isFocused(password));
        visitor.expect('DELETE /api/auth/me 400');
        await page.keyboard.type('not the password');
        await page.keyboard.press('Enter');
        await visitor.hears('Your password is not the current password.');
        await page.keyboard.press('Escape');
        assert.ok(await visitor.isFocused(open));
        await open.click();
        assert.equal(await password.inputValue(), '');
        assert.equal(await dialog.getByText('is not the current password').count(), 0);
        await dialog.getByRole('button', { name: 'Keep it' }).click();
        await dialog.waitFor({ state: 'hidden' });

        await open.click();
        await password.fill(user.password);
        await dialog.getByRole('button', { name: 'Delete the account' }).click();
        await visitor.hears('Your account is deleted.');
        await page.getByRole('link', { name: 'Sign in' }).waitFor();
        other.expect('POST /api/auth/refresh 401');
        await other.page.goto('/account.html');
        await other.page.waitForURL('/login.html?next=account.html');

        visitor.expect('POST /api/auth/login 401');
        await page.goto('/login.html');
        await page.getByLabel('User name or e-mail address').fill(user.username);
        await page.getByLabel('Password', { exact: true }).fill(user.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await visitor.hears('Invalid credentials.');
    });
}
