/* SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { story } from '../visitor.js';

export function stories(server) {
    story('a user creates, reads, edits and deletes a product', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const name = '<b>Tea & "cups"</b> 茶';
        await visitor.signIn(await server.register('editor'));
        await page.getByRole('link', { name: 'Add a product' }).click();
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('Name must be filled in.');
        assert.ok(await visitor.isFocused(page.getByLabel('Name')));
        await page.getByLabel('Name').fill(name);
        await page.getByLabel('Price').fill('-1');
        await page.getByLabel('Category').fill('kitchen');
        await visitor.hears('Price must be 0 or more.');
        await page.getByLabel('Price').fill('1234.5');
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('The product is added.');
        await page.getByRole('heading', { name, exact: true }).waitFor();
        await page.getByText('1,234.50', { exact: true }).waitFor();
        assert.equal(await page.title(), `${name} · Catalogue`);
        assert.equal(await page.getByText('out of 5').count(), 0);

        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByLabel('Rating').fill('4.5');
        await page.getByLabel('In stock').uncheck();
        const patch = page.waitForRequest(request => request.method() === 'PATCH');
        await page.getByRole('button', { name: 'Save' }).click();
        assert.deepEqual((await patch).postDataJSON(), { inStock: false, rating: 4.5 });
        await visitor.hears('The product is saved.');
        await page.getByText('4.5 out of 5').waitFor();
        await page.getByText('Sold out').waitFor();

        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByLabel('Rating').fill('');
        await page.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('The product is saved.');
        assert.equal(await page.getByText('out of 5').count(), 0);

        const address = page.url();
        await page.getByRole('button', { name: 'Delete' }).press('Enter');
        await page.getByRole('dialog', { name: 'Delete this product?' }).waitFor();
        await page.keyboard.press('Escape');
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Delete' })));
        await page.keyboard.press('Enter');
        await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await visitor.hears('The product is deleted.');
        visitor.expect(`GET /api/products/${new URL(address).searchParams.get('id')} 404`);
        await page.goto(address);
        await visitor.hears('Product not found.');
    });

    story('a price can have a comma or a point, and nothing else changes it', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        await visitor.arrive(await server.register('cashier'));
        await page.goto('/edit.html');
        await page.getByLabel('Name').fill('Priced');
        for (const text of ['1,999', '1.999,00', '12 cents', '1e999', '19,99,']) {
            await page.getByLabel('Price').fill(text);
            await page.getByRole('button', { name: 'Save' }).click();
            await visitor.hears('Price must be a number such as 1999 or 19.99.');
        }
        await page.getByLabel('Price').fill('');
        await page.getByLabel('Price').pressSequentially('19,99');
        await page.getByLabel('Price').hover();
        await page.mouse.wheel(0, 100);
        await page.getByLabel('Rating').fill('4,5');
        const post = page.waitForRequest(request => request.method() === 'POST');
        await page.getByRole('button', { name: 'Save' }).click();
        const { price, rating } = (await post).postDataJSON();
        assert.deepEqual({ price, rating }, { price: 19.99, rating: 4.5 });
        await visitor.hears('The product is added.');
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await page.getByLabel('Price').fill('1e3');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('1,000.00', { exact: true }).waitFor();
    });

    story('a product page whose address names no product says so', server, async visit => {
        const visitor = await visit();
        await visitor.page.goto('/product.html');
        await visitor.hears('There is no product at this address.');
        assert.equal(await visitor.page.getByText('undefined').count(), 0);
    });

    story('a single product is counted in the singular', server, async visit => {
        const visitor = await visit();
        const product = { id: 'x', name: 'Alone', price: 1, category: '', inStock: true, createdAt: 0 };
        const pagination = { page: 1, limit: 10, total: 1, pages: 1 };
        await visitor.page.route('**/api/products?*', route =>
            route.fulfill({ json: { success: true, data: [product], pagination } }),
        );
        await visitor.page.goto('/');
        await visitor.hears(/^1 product$/);
    });

    story('a visitor pages through the list', server, async visit => {
        const { token } = await server.register('filler');
        for (let i = 1; i <= 32; i++) {
            await server.api(
                'POST',
                '/products',
                { name: `Item ${i}`, price: i / 4, category: 'paged', rating: i % 6 },
                token,
            );
        }
        const visitor = await visit();
        const { page } = visitor;
        await page.goto('/?limit=10');
        await page.getByRole('link', { name: 'Item 32' }).waitFor();
        assert.equal(await page.locator('.card').count(), 10);
        assert.equal(await page.getByRole('link', { name: 'Add a product' }).count(), 0);

        await page.getByRole('link', { name: 'Next page' }).click();
        await page.getByRole('link', { name: 'Item 22' }).waitFor();
        await visitor.hears(/^11–20 of \d+ products$/);
        assert.match(page.url(), /\/\?limit=10&page=2$/);
        assert.equal(await page.title(), 'Products, page 2 · Catalogue');
        assert.ok(await visitor.isFocused(page.getByRole('heading', { name: 'Products' })));
        assert.equal(await page.locator('#position').textContent(), 'Page 2');

        await page.reload();
        await page.getByRole('link', { name: 'Item 22' }).click();
        await page.getByRole('heading', { name: 'Item 22' }).waitFor();
        await page.goBack();
        await page.getByRole('link', { name: 'Item 22' }).waitFor();
        await page.goBack();
        await page.getByRole('link', { name: 'Item 32' }).waitFor();

        await page.goto('/?page=4000');
        await page.getByText(/There is no page 4,000; the last one is \d+\./).waitFor();
        await page.getByRole('link', { name: 'To the last page' }).click();
        await page.getByRole('link', { name: 'Previous page' }).waitFor();
        assert.ok(await page.getByRole('link', { name: 'Next page' }).isHidden());
    });

    story('only a user with the role can see the links for writing', server, async visit => {
        const user = await server.register('reader');
        const visitor = await visit(server.editorsUrl);
        const { page } = visitor;
        await visitor.signIn(user);
        await page.locator('.card').first().waitFor();
        assert.ok(await page.getByText('Add a product').isHidden());
        const { data } = await server.api('POST', '/products', { name: 'Read only', price: 1 }, user.token);
        await page.goto(`/product.html?id=${data.id}`);
        await page.getByRole('heading', { name: 'Read only' }).waitFor();
        assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);

        for (const address of [`/edit.html?id=${data.id}`, '/edit.html', '/work.html', '/import.html']) {
            await page.goto(address);
            await visitor.hears('Your role (User) does not allow you to change products.');
            assert.equal(await page.locator('main form:visible').count(), 0, `${address} lets nobody type in vain`);
        }
    });
}
