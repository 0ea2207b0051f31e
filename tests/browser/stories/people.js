/* SPDX-License-Identifier: Apache-2.0 */
/* What users change of their own accounts, and administrators of others'. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { comeAsAdmin, story, storyInBoth } from '../visitor.js';

async function openAccount(visitor, user) {
    await visitor.arrive(user);
    await visitor.page.goto('/account.html');
    await visitor.page.getByText('This one').waitFor();
}

/* Opens the list of the users with that in their names, and one of them. */
async function openUser(page, username) {
    await page.goto(`/users.html?q=${username}`);
    await page.locator('#list').getByRole('button', { name: username, exact: true }).click();
    return page.getByRole('dialog', { name: username, exact: true });
}

export function stories(server) {
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
        visitor.expect('PATCH /api/auth/me 409');
        await page.getByLabel('New user name').fill('Occupied');
        await rename.click();
        await visitor.hears('New user name is already taken.');
        assert.ok(await visitor.isFocused(page.getByLabel('New user name')));
        await page.getByLabel('New user name').fill('a b c');
        await rename.click();
        await visitor.hears('New user name may only contain letters from a to z, digits');

        await page.getByLabel('New user name').fill('Lovelace');
        await rename.click();
        await visitor.hears('Your user name is Lovelace now.');
        await page.getByRole('definition').filter({ hasText: /^Lovelace$/ }).waitFor();
        await page.getByRole('button', { name: 'Lovelace' }).waitFor();
        assert.equal(await page.getByLabel('New user name').inputValue(), '');
        await visitor.signOut();
        await visitor.hears('You have signed out.');
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
        await visitor.hears('A link was sent to movedin@example.com, unless another account has that address.');
        await visitor.hears(`Your address is ${user.email} until you follow the link.`);

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

        visitor.expect('GET /api/auth/confirm 400');
        await page.goto(link);
        await visitor.hears('Invalid or expired link.');
        await page.getByRole('link', { name: 'A link to change the address of your account' }).click();
        await page.waitForURL('/account.html');
    });

    story('users save the data that the catalogue has of them', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('collector');
        await openAccount(visitor, user);
        await page.evaluate(() => {
            const { revokeObjectURL } = URL;
            const { setTimeout } = window;
            window.setTimeout = (act, ms, ...more) => setTimeout(act, Math.min(ms, 2000), ...more);
            URL.revokeObjectURL = url => revokeObjectURL.call(URL, (window.revoked = url));
        });
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Save your data' }).click();
        const file = await download;
        assert.equal(file.suggestedFilename(), 'account-collector.json');
        await visitor.hears('Your browser is saving your data as account-collector.json.');
        const { account, sessions, keys } = JSON.parse(readFileSync(await file.path(), 'utf8'));
        assert.deepEqual([account.username, account.email, account.role], [user.username, user.email, 'user']);
        assert.deepEqual(keys, []);
        assert.deepEqual(sessions.map(({ current }) => current).sort(), [false, true]); /* registration opened the other one */
        await page.waitForFunction(() => window.revoked?.startsWith('blob:')); /* or it stays in the memory of the page */
    });

    story('a user deletes the account, with the password, after having read what goes', server, async visit => {
        const user = await server.register('leaver');
        const [visitor, other] = [await visit(), await visit()];
        const { page } = visitor;
        await other.arrive(user);
        await openAccount(visitor, user);
        const open = page.getByRole('button', { name: 'Delete the account' });
        const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
        const password = dialog.getByLabel('Your password');

        await open.press('Enter');
        await dialog.getByText('What is deleted: your name').waitFor();
        await dialog.getByText('What remains: the products').waitFor();
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
        await visitor.hears('Your account has been deleted.');
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

    story('an administrator finds users by name, role and order, and the address keeps it', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'finder');
        for (let i = 1; i <= 21; i++) {
            await server.register(`crowd${String(i).padStart(2, '0')}`);
        }
        const count = page.locator('#count');
        const first = page.getByRole('row').nth(1);
        await page.goto('/users.html');
        await first.waitFor();
        await page.getByLabel('Search name or e-mail address').pressSequentially('CROWD');
        await count.filter({ hasText: '1–20 of 21 users' }).waitFor();
        await first.filter({ hasText: 'crowd21' }).waitFor();
        await page.getByLabel('Sort by').selectOption('By name');
        await first.filter({ hasText: 'crowd01' }).waitFor();
        await page.getByRole('link', { name: 'Next page' }).click();
        await count.filter({ hasText: '21–21 of 21 users' }).waitFor();
        assert.equal(new URL(page.url()).search, '?q=CROWD&sort=username&page=2');
        await page.reload();
        await first.filter({ hasText: 'crowd21' }).waitFor();
        assert.equal(await page.getByLabel('Search name or e-mail address').inputValue(), 'CROWD');
        await page.getByRole('link', { name: 'Previous page' }).click();
        await count.filter({ hasText: '1–20 of 21 users' }).waitFor();
        await page.goBack();
        await count.filter({ hasText: '21–21 of 21 users' }).waitFor();

        await page.getByLabel('Role').first().selectOption('Administrator');
        await page.getByText('No user with the role Administrator has “CROWD” in the name or the e-mail address.').waitFor();
        await page.getByRole('button', { name: 'Clear the filters' }).click();
        await first.waitFor();
        assert.equal(new URL(page.url()).search, '');
        assert.equal(await page.getByLabel('Search name or e-mail address').inputValue(), '');
        await page.getByLabel('Role').first().selectOption('Administrator');
        await page.getByRole('row', { name: 'finder' }).waitFor();
        await page.goto('/users.html?q=crowd&page=9');
        await page.getByText('There is no page 9; the last one is 2.').waitFor();
        await page.getByRole('button', { name: 'To the last page' }).click();
        await count.filter({ hasText: '21–21 of 21 users' }).waitFor();
    });

    story('an administrator invites a user, who sets the password with the link', server, async visit => {
        const admin = await comeAsAdmin(server, visit, 'host');
        const guest = await visit();
        await admin.page.goto('/users.html');
        await admin.page.getByText('Invite a user').click();
        const form = admin.page.locator('#invite');
        const invite = form.getByRole('button', { name: 'Invite' });
        await invite.click();
        await admin.hears('E-mail address must look like name@example.com.');
        await form.getByLabel('E-mail address').fill('invited@example.com');
        await form.getByLabel('User name').fill('ab');
        await invite.click();
        await admin.hears('User name must have at least 3 characters.');
        await form.getByLabel('User name').fill('');
        await form.getByLabel('Role').selectOption('editor');
        await invite.click();
        await admin.hears('invited is invited: a mail with a link is on its way to invited@example.com.');
        assert.ok(await admin.page.getByLabel('The link for the new user').isHidden());
        await admin.page.getByRole('row').filter({ hasText: 'invited@example.com' }).getByText('Never').waitFor();
        admin.expect('POST /api/users/invite 409');
        await form.getByLabel('E-mail address').fill('invited@example.com');
        await invite.click();
        await admin.hears('E-mail address is already taken.');

        await guest.page.goto(await server.mailedLink('invited@example.com', 'reset.html?invite'));
        await guest.page.getByRole('heading', { name: 'Welcome' }).waitFor();
        await guest.page.getByText('Choose your password: at least 8 characters.').waitFor();
        await guest.page.getByLabel('New password').fill('a password of mine');
        await guest.page.getByLabel('Repeat the password').fill('a password of mine');
        await guest.page.getByRole('button', { name: 'Set the password' }).click();
        await guest.hears('Your password has been set. Please sign in with it.');
        await guest.signIn({ username: 'invited', password: 'a password of mine' });
    });

    story('an administrator gives another role, and finds that in the audit trail', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'promoter');
        const { page } = visitor;
        const user = await server.register('promoted');
        const other = await visit();
        await other.arrive(user);
        const dialog = await openUser(page, 'promoted');
        const change = dialog.getByRole('button', { name: 'Change the role' });

        await dialog.getByText('All sessions of the user end.', { exact: true }).waitFor();
        assert.ok(await change.isDisabled());
        await dialog.getByLabel('Role').selectOption('Editor');
        await change.click();
        await visitor.hears('promoted is signed out everywhere, and will have the new role after signing in.');
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'hidden' });
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'promoted', exact: true })));
        await page.getByRole('row', { name: 'promoted' }).getByRole('cell', { name: 'Editor' }).waitFor();
        other.expect('POST /api/auth/refresh 401');
        await other.page.goto('/index.html');
        await other.page.getByRole('link', { name: 'Sign in' }).waitFor();

        await page.goForward();
        await dialog.getByRole('link', { name: 'Changes to this account' }).click();
        await page.getByRole('heading', { name: 'Audit trail' }).waitFor();
        await page.locator('#count').filter({ hasText: '1 change' }).waitFor();
        const entry = page.getByRole('row').nth(1);
        assert.match(await entry.textContent(), /promoter.*from 127\.0\.0\.1.*Account changed.*Role: User → Editor.*promoted/);
        await page.goBack();
        await dialog.waitFor();
        await page.goBack();
        await dialog.waitFor({ state: 'hidden' });

        server.ctl(['user', 'add', '--generate', '--role', 'editor', '--verified', 'ctlmade', 'ctlmade@example.com']);
        await page.goto('/users.html?view=audit&target=ctlmade');
        const made = page.getByRole('row').nth(1);
        await made.getByText('Role: Editor', { exact: true }).waitFor(); /* which it had not before */
        await made.getByText('Address confirmed: yes', { exact: true }).waitFor();
    });

    story('an administrator confirms, locks, unlocks, signs out and deletes a user', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'caretaker');
        const { page } = visitor;
        const user = await server.register('cared');
        const other = await visit();
        const dialog = await openUser(page, 'cared');
        const click = name => dialog.getByRole('button', { name, exact: true }).click();
        const signsIn = () =>
            server.api('POST', '/auth/login', { login: user.username, password: user.password }).then(() => true, () => false);

        await click('Confirm the address');
        await visitor.hears('The address of cared is confirmed.');
        await dialog.getByText('Address confirmed').waitFor();
        await click('Withdraw the confirmation');
        await visitor.hears('The address of cared is no longer confirmed.');
        await dialog.getByText('Address not confirmed').waitFor();

        await dialog.getByText('Nobody can sign in to the account, and all its sessions and keys end.').waitFor();
        await click('Lock');
        await visitor.hears('The account of cared is locked.');
        await dialog.getByText('Locked', { exact: true }).waitFor();
        assert.equal(await signsIn(), false);
        await click('Unlock');
        await visitor.hears('The account of cared is unlocked.');
        assert.equal(await signsIn(), true);
        await click('Lift the delay');
        await visitor.hears('cared can sign in at once.');

        await other.arrive(user);
        await click('End all sessions');
        await visitor.hears('All sessions of cared have ended.');
        other.expect('POST /api/auth/refresh 401');
        await other.page.goto('/account.html');
        await other.page.waitForURL('/login.html?next=account.html');

        const question = page.getByRole('dialog', { name: 'Delete cared?' });
        await click('Delete the user');
        await question.getByText('Products and the audit trail remain.').waitFor();
        assert.ok(await visitor.isFocused(question.getByRole('button', { name: 'Keep it' })));
        await page.keyboard.press('Enter');
        await question.waitFor({ state: 'hidden' });
        await click('Delete the user');
        await question.getByRole('button', { name: 'Delete the user' }).click();
        await visitor.hears('The account of cared has been deleted.');
        await page.getByText('No user has “cared” in the name or the e-mail address.').waitFor();
        assert.equal(await signsIn(), false);

        await page.getByRole('link', { name: 'Audit trail' }).click();
        await page.getByLabel('Affected account').fill('cared');
        await page.locator('#count').filter({ hasText: '1–7 of 7 changes' }).waitFor();
        const done = await page.locator('tbody tr > td:nth-child(3)').allTextContents();
        assert.deepEqual(done, [
            'Account deleted',
            'Sessions ended',
            'Lock or delay lifted',
            'Lock or delay liftedLocked: yes → no',
            'Account changedLocked: no → yes',
            'Account changedAddress confirmed: yes → no',
            'Account changedAddress confirmed: no → yes',
        ]);
        await page.locator('[name=action]').selectOption('Account changed');
        await page.locator('#count').filter({ hasText: '1–3 of 3 changes' }).waitFor();
        await page.getByLabel('Changed by').fill('nobody');
        await page.getByText('There are no such changes by or to “nobody, cared”. A name must be complete').waitFor();
        await page.getByLabel('Changed by').fill('caretaker');
        await page.locator('#count').filter({ hasText: '1–3 of 3 changes' }).waitFor();
        await page.getByLabel('Since').fill('2999-01-01');
        await page.getByText('There are no such changes by or to').waitFor();
        await page.getByRole('button', { name: 'Clear the filters' }).click();
        await page.getByLabel('Since').fill('2999-01-01');
        await page.getByText('No changes of this kind in this time.').waitFor();
        await page.goto('/users.html?view=audit&target=caretaker');
        await page.getByRole('row').filter({ hasText: 'with catalogctl' }).waitFor();
    });

    story('an administrator sees when a user last signed in', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'timekeeper');
        const never = { username: 'sleeper', email: 'sleeper@example.com', password: 'the password of sleeper' };
        await server.api('POST', '/users', never);
        const cell = name => page.getByRole('row').filter({ hasText: `${name}@example.com` }).getByRole('cell').nth(2);
        await page.goto('/users.html?q=sleeper');
        await cell('sleeper').filter({ hasText: /^Never$/ }).waitFor();
        await server.api('POST', '/auth/login', { login: 'sleeper', password: never.password });
        await page.reload();
        await cell('sleeper').filter({ hasText: /20\d\d/ }).waitFor();
        const dialog = await openUser(page, 'sleeper');
        assert.match(await dialog.locator('dd').nth(2).textContent(), /20\d\d/);
    });

    storyInBoth('an administrator picks a user in the audit trail', server, async visit => {
        const { page } = await comeAsAdmin(server, visit, 'archivist');
        await server.register('picked1');
        await server.register('picked2');
        await page.goto('/users.html?view=audit');
        await page.getByText('Changes to products are not recorded.').waitFor();
        const field = page.getByLabel('Affected account');
        const offered = () => page.locator('#target-names option').evaluateAll(options => options.map(({ value }) => value));
        await field.pressSequentially('PICK');
        /* on a busy machine, what was offered for the first letters is there first */
        await page.locator('#target-names:not(:has(option:not([value^=picked]))) option').first().waitFor({ state: 'attached' });
        assert.deepEqual(await offered(), ['picked1', 'picked2']);
        await page.getByText('There are no such changes by or to “PICK”.').waitFor();
        await field.fill('archivist'); /* as choosing one does */
        await page.getByRole('row').filter({ hasText: 'with catalogctl' }).waitFor();
        assert.equal(new URL(page.url()).search, '?target=archivist&view=audit');
    });

    story('the last administrator stays one, and hears why', server, async visit => {
        const visitor = await visit(server.plainUrl);
        const { page } = visitor;
        const user = await server.register('onlyone', server.plainUrl);
        server.promote(user, 'plain.db');
        await visitor.arrive(user);
        const dialog = await openUser(page, 'onlyone');
        const { pathname } = new URL(`/api/users/${new URL(page.url()).searchParams.get('user')}`, page.url());
        const refusal = dialog.getByRole('alert').filter({ hasText: 'This would leave no administrator who can sign in.' });

        await dialog.getByText('This is your own account.').waitFor();
        visitor.expect(`PATCH ${pathname} 409`, `DELETE ${pathname} 409`);
        await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
        await refusal.waitFor();
        assert.ok(await visitor.isFocused(refusal));
        await dialog.getByRole('button', { name: 'Lift the delay' }).click();
        await refusal.waitFor({ state: 'hidden' });
        await dialog.getByLabel('Role').selectOption('User');
        await dialog.getByRole('button', { name: 'Change the role' }).click();
        await refusal.waitFor();
        await page.getByRole('button', { name: 'Delete the user' }).click();
        await page.getByRole('dialog', { name: 'Delete onlyone?' }).getByRole('button', { name: 'Delete the user' }).click();
        await refusal.waitFor();

        await dialog.getByRole('button', { name: 'End all sessions' }).click();
        await visitor.hears('You have ended your own session. Please sign in again.');
    });

    story('who is no administrator sees no users, and is told so', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const sent = [];
        page.on('request', request => /\/api\/(users|audit)/.test(request.url()) && sent.push(request.url()));
        await page.goto('/users.html');
        await page.waitForURL('/login.html?next=users.html');
        await visitor.signIn(await server.register('outsider'));
        await page.getByRole('link', { name: 'Add a product' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Users' }).count(), 0);
        for (const address of ['/users.html', '/users.html?view=audit']) {
            await page.goto(address);
            await visitor.hears('Only administrators can see this page. Your role is: User.');
            assert.ok(await page.locator('#content').isHidden());
        }
        assert.deepEqual(sent, []);
    });

    story('a user who is gone, or a value that the server refuses, is said so', server, async visit => {
        const visitor = await comeAsAdmin(server, visit, 'mistaken');
        const { page } = visitor;
        visitor.expect('GET /api/users/nobody 404', 'GET /api/users 400');
        await page.goto('/users.html?user=nobody');
        await visitor.hears('There is no such user. The account may have been deleted.');
        await page.getByRole('row', { name: 'mistaken' }).waitFor();
        assert.equal(new URL(page.url()).search, '');
        await page.goto('/users.html?role=root');
        await visitor.hears('role must be user, editor or admin');
    });
}
