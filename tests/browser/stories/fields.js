/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the shop's own: how a writer edits them, where they are shown, and who sees them. */
import assert from 'node:assert/strict';
import { stopClock, story, storyAtNight, storyInBoth } from '../visitor.js';
import { inspect } from './looks.js';

const TEA = {
    name: 'Assam',
    price: 7.9,
    category: 'Tea',
    sku: 'FH-1',
    description: 'Strong and malty.\nTakes milk well.',
    brand: 'Fernhill',
    tags: ['black tea', 'loose, in a tin'],
    weight: 0.125,
    quantity: 14,
    color: 'green',
    published: false,
    homepage: 'https://example.com/tea?a=1&b=2',
    harvested: '2026-06-21',
    seen: '2026-06-21T10:30:05.250Z',
    specs: { caffeine: [2.5, null], steep: '4 min' },
    cost: 3.1,
    status: 'in the window',
    title: 'Of leaves',
    elements: 'Zn',
    children: false,
    constructor: 'hand',
};

const press = (page, name) => page.getByRole('button', { name, exact: true }).click();
const control = (page, label) => page.getByLabel(label, { exact: true });

export function stories(server) {
    const url = server.shopUrl;
    const read = async id => (await server.api('GET', `/products/${id}`, undefined, undefined, url)).data;
    const register = name => server.register(name, url);
    const make = async ({ token }, product) => (await server.api('POST', '/products', product, token, url)).data;

    /* A writer who is signed in. */
    async function come(visit, name) {
        const visitor = await visit(url);
        const user = await register(name);
        await visitor.arrive(user);
        return { visitor, user, page: visitor.page };
    }

    storyInBoth('a writer adds a product with own fields, and changes it', server, async visit => {
        const { visitor, page } = await come(visit, 'fielder');
        await page.goto('/');
        await page.getByRole('link', { name: 'Add a product' }).click();
        await control(page, 'Name').fill('Sencha');
        await control(page, 'Price').fill('9.20');
        assert.equal(await control(page, 'Published').isChecked(), true, 'the default');
        assert.equal(await page.getByLabel('Last changed').count(), 0, 'the server sets it');
        await page.getByText('In kilograms, with packaging').waitFor();
        await page.getByText('Not visible to customers.').waitFor();

        const faults = [
            ['Article number', 'x'.repeat(33), 'at most 32 characters', 'FH-2'],
            ['Weight', '-1', '0 or more', '0.1'],
            ['Quantity', '1.5', 'a whole number', '7'],
            ['Page of the maker', 'javascript:alert(1)', 'an address such as', 'https://example.com/sencha'],
            ['Specifications', '{"a": }', 'must be JSON', '{"a": [1, "b"]}'],
        ];
        for (const [label, wrong] of faults) {
            await control(page, label).fill(wrong);
        }
        const tags = page.locator('#field-tags input');
        for (let i = 0; i < 33; i++) {
            await tags.fill(`tag ${i}`);
            await tags.press('Enter');
        }
        await press(page, 'Save');
        await page.locator('.field-error', { hasText: 'Tags must have at most 32 entries' }).waitFor();
        for (let i = 0; i < 33; i++) {
            await tags.press('Backspace');
        }
        for (const tag of ['green tea', ' loose ', 'green tea']) {
            await tags.fill(tag);
            await tags.press('Enter');
        }
        for (const [label, , fault, right] of faults) {
            await page.locator('.field-error', { hasText: fault }).filter({ hasText: label }).waitFor();
            await control(page, label).fill(right);
        }
        await control(page, 'Colour').selectOption('dark blue');
        await control(page, 'Vegan').selectOption('Yes');
        await control(page, 'Published').uncheck();
        await control(page, 'Harvested').fill('2026-05-01');
        await control(page, 'Last seen').fill('2026-05-02T08:15');
        await control(page, 'State').fill('new');
        await control(page, 'elements').fill('S');
        await control(page, 'Built by').fill('machine');
        await press(page, 'Save');
        await visitor.hears('The product is added.');
        const id = new URL(page.url()).searchParams.get('id');
        const { createdAt, updatedAt, ...made } = await read(id);
        assert.deepEqual(made, {
            id,
            name: 'Sencha',
            price: 9.2,
            category: '',
            inStock: true,
            sku: 'FH-2',
            tags: ['green tea', 'loose'],
            weight: 0.1,
            quantity: 7,
            color: 'dark blue',
            published: false,
            vegan: true,
            homepage: 'https://example.com/sencha',
            harvested: '2026-05-01',
            seen: '2026-05-02T08:15:00.000Z',
            specs: { a: [1, 'b'] },
            status: 'new',
            elements: 'S',
            constructor: 'machine',
        });

        await page.getByRole('link', { name: 'Edit' }).click();
        await page.locator('#field-tags li').nth(1).waitFor();
        assert.deepEqual(await page.locator('#field-tags li bdi').allTextContents(), ['green tea', 'loose']);
        await control(page, 'Vegan').selectOption('–');
        await control(page, 'Quantity').fill('');
        await control(page, 'Description').fill('Fresh.\n\nGrassy.');
        await press(page, 'Save');
        await visitor.hears('The product is saved.');
        await page.getByText('Grassy.').waitFor();
        const changed = await read(id);
        assert.deepEqual([changed.vegan, changed.quantity, changed.description], [undefined, undefined, 'Fresh.\n\nGrassy.']);
    });

    story('what nobody touches stays as it is, and what the server refuses stands at its field', server, async visit => {
        const { visitor, user, page } = await come(visit, 'careful');
        const odd = { ...TEA, sku: 'odd-1', brand: ' blanks ', description: 'two\r\nlines ', specs: { b: 1, a: 1e21 } };
        const { id } = await make(user, odd);
        const { id: bare } = await make(user, { name: 'Other', price: 1, sku: 'odd-2' });
        await page.goto(`/edit.html?id=${bare}`);
        assert.equal(await control(page, 'Built by').inputValue(), '', 'it lacks what all objects have');
        const before = await read(id);
        await page.goto(`/edit.html?id=${id}`);
        await control(page, 'Price').fill('8');
        const sent = page.waitForRequest(request => request.method() === 'PATCH');
        await press(page, 'Save');
        assert.deepEqual((await sent).postDataJSON(), { price: 8 });
        await visitor.hears('The product is saved.');
        const { updatedAt, ...after } = await read(id);
        assert.deepEqual({ ...after, updatedAt: before.updatedAt }, { ...before, price: 8, updatedAt: before.updatedAt });

        /* A choice that the line of its field has no longer. */
        await page.route(`**/api/products/${id}`, async route => {
            const response = await route.fetch();
            const { data, ...more } = await response.json();
            await route.fulfill({ response, json: { ...more, data: { ...data, color: 'purple' } } });
        });
        await page.goto(`/edit.html?id=${id}`);
        assert.equal(await control(page, 'Colour').inputValue(), 'purple');
        await control(page, 'Price').fill('9');
        const again = page.waitForRequest(request => request.method() === 'PATCH');
        await press(page, 'Save');
        assert.deepEqual((await again).postDataJSON(), { price: 9 });
        await visitor.hears('The product is saved.');
        await page.unroute(`**/api/products/${id}`);

        await page.goto(`/edit.html?id=${id}`);
        await control(page, 'Built by').fill('x'.repeat(21));
        await press(page, 'Save');
        await page.locator('.field-error', { hasText: 'Built by must have at most 20 characters' }).waitFor();
        await control(page, 'Built by').fill('hand');
        await control(page, 'Quantity').fill('9001');
        await press(page, 'Save');
        await page.locator('.field-error', { hasText: 'Quantity must be from 0 to 9,000' }).waitFor();
        await control(page, 'Quantity').fill('9000');
        await control(page, 'Article number').fill('odd-2');
        visitor.expect(`PATCH /api/products/${id} 400`);
        await press(page, 'Save');
        await page.locator('.field-error', { hasText: 'Article number is already taken by another product' }).waitFor();
    });

    story('the product’s page shows own fields, and private ones to writers only', server, async visit => {
        const { user, page } = await come(visit, 'shower');
        const { id } = await make(user, { ...TEA, sku: 'show-1' });
        const { id: bare } = await make(user, { name: 'Bare', price: 1 });
        const value = (at, label) => at.locator('dt', { hasText: label }).locator('+ dd');
        const customer = await visit(url);
        for (const at of [page, customer.page]) {
            await at.goto(`/product.html?id=${id}`);
            await at.getByRole('heading', { name: 'Assam', level: 1 }).waitFor();
            assert.equal(await value(at, 'Article number').textContent(), 'show-1');
            assert.equal(await value(at, 'Description').innerText(), TEA.description);
            assert.deepEqual(await value(at, 'Tags').getByRole('listitem').allTextContents(), TEA.tags);
            assert.equal(await value(at, 'Weight').textContent(), '0.125');
            assert.equal(await value(at, 'Published').textContent(), 'No');
            assert.equal(await value(at, 'Page of the maker').getByRole('link').getAttribute('href'), TEA.homepage);
            assert.equal(await value(at, 'Harvested').textContent(), '21 Jun 2026');
            assert.deepEqual(JSON.parse(await value(at, 'Specifications').textContent()), TEA.specs);
            assert.equal(await value(at, 'Title of the book').textContent(), 'Of leaves');
            assert.equal(await at.locator('dt', { hasText: 'Vegan' }).count(), 0, 'it lacks that');
            await at.goto(`/product.html?id=${bare}`);
            await at.getByRole('heading', { name: 'Bare', level: 1 }).waitFor();
            assert.equal(await at.locator('dt', { hasText: 'Built by' }).count(), 0);
            await at.goto(`/product.html?id=${id}`);
        }
        await page.locator('dt', { hasText: 'Cost' }).waitFor();

        /* Readers do not see what is sold out here. */
        const { id: hidden } = await make(user, { name: 'Hidden', price: 1, inStock: false, category: 'Hidden' });
        await page.goto(`/product.html?id=${hidden}`);
        await page.getByRole('heading', { name: 'Hidden' }).waitFor();
        await page.goto('/work.html?category=Hidden');
        await page.getByRole('button', { name: 'Hidden', exact: true }).waitFor();
        customer.expect(`GET /api/products/${hidden} 404`);
        await customer.page.goto(`/product.html?id=${hidden}`);
        await customer.hears('not found');
    });

    storyInBoth('the writers’ table has own fields as columns, and edits them in place', server, async visit => {
        const { visitor, user, page } = await come(visit, 'columnist');
        const made = await make(user, { ...TEA, sku: 'col-1', name: 'Columns', category: 'Columns' });
        await make(user, { name: 'Bare', price: 1, category: 'Columns' });
        await page.goto('/work.html?category=Columns');
        const cell = (row, name) => page.getByRole('row').filter({ has: page.getByRole('button', { name: row, exact: true }) }).locator(`[data-name=${name}]`);
        await cell('Columns', 'sku').getByText('col-1').waitFor();
        const shown = await page.getByRole('columnheader').locator('visible=true').allTextContents();
        assert.deepEqual(shown.filter(Boolean), ['Name', 'Category', 'Price', 'Stock', 'Rating', 'Article number', 'Brand', 'Tags', 'Added']);
        await page.locator('#column-choice summary').click();
        const columns = page.locator('#columns');
        await control(columns, 'Colour').check();
        await control(columns, 'Last seen').check();
        assert.equal(await columns.getByLabel('Description').count(), 0, 'lists lack it');
        await page.keyboard.press('Escape');

        await cell('Columns', 'color').click();
        await page.locator('#cell-color').selectOption('red');
        await press(page, 'Save');
        await visitor.hears('The product is saved.');
        await cell('Columns', 'tags').click();
        for (const tag of TEA.tags) {
            await press(page, `Remove ${tag}`);
        }
        await page.locator('#cell-tags input').fill('one');
        await page.locator('#cell-tags input').press('Enter');
        await page.locator('#cell-tags input').fill('two');
        await press(page, 'Save');
        await page.locator('#cell-tags').waitFor({ state: 'detached' });
        await cell('Columns', 'tags').getByText('two').waitFor();
        await cell('Bare', 'sku').click();
        await page.locator('#cell-sku').fill('col-1');
        await page.locator('#cell-sku').press('Escape');

        await page.getByRole('button', { name: 'Columns', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Columns' });
        assert.equal(await control(dialog, 'Description').inputValue(), TEA.description);
        await control(dialog, 'Description').fill('Another.');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await visitor.hears('The product is saved.');

        await page.getByLabel('Select Columns').check();
        await page.getByRole('button', { name: 'Price …' }).click();
        await page.getByLabel('Change by').fill('10');
        await page.getByRole('button', { name: 'Change them' }).click();
        await visitor.hears('1 product is changed.');
        const { color, tags, description, price, seen } = await read(made.id);
        assert.deepEqual([color, tags, description, price, seen], ['red', ['one', 'two'], 'Another.', 8.69, TEA.seen]);

        /* A detail that somebody else changes is a change, too. */
        await page.getByRole('button', { name: 'Columns', exact: true }).click();
        await control(dialog, 'Description').fill('Mine.');
        await server.api('PUT', `/products/${made.id}`, { description: 'Theirs.' }, user.token, url);
        visitor.expect(`PATCH /api/products/${made.id} 412`);
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog', { name: 'Somebody else' }).getByText('Theirs.').waitFor();
        await press(page, 'Save the choice');
        await visitor.hears('The product is saved.');
        assert.equal((await read(made.id)).description, 'Mine.');
    });

    story('what was deleted comes back with all its fields, and what cannot come back is named', server, async visit => {
        const { visitor, user, page } = await come(visit, 'reviver');
        const made = await make(user, { ...TEA, sku: 'back-1', name: 'Comes back', category: 'Back' });
        const away = await make(user, { name: 'Stays away', price: 1, sku: 'back-2', category: 'Back' });
        await stopClock(page);
        await page.goto('/work.html?category=Back');
        await page.getByLabel('Select all products on this page').check();
        await page.getByRole('group', { name: 'Selected products' }).getByRole('button', { name: 'Delete' }).click();
        await page.getByText('10 seconds').waitFor();
        await page.mouse.move(0, 0);
        await page.clock.runFor(10_500);
        await visitor.hears('2 products are deleted.');
        await make(user, { name: 'Other', price: 1, sku: 'back-2', category: 'Other' });
        await page.keyboard.press('u');
        await visitor.hears('1 product is as it was before.');
        await page.getByRole('alert').getByText(`${away.id}: another product has its value by now`).waitFor();
        const { data } = await server.api('GET', '/products?category=Back', undefined, user.token, url);
        const { updatedAt, ...back } = await read(made.id);
        const { updatedAt: then, cost, ...before } = made;
        assert.deepEqual([data.map(({ id }) => id), back], [[made.id], before]);
    });

    story('the import page knows own fields by name and label, and proposes lines for other columns', server, async visit => {
        const { visitor, page } = await come(visit, 'shipper');
        const text =
            'Name;Price;ARTICLE number;Tags;Größe (cm);Rabatt;Bild;EAN;Verkauf ab;lang;Flags;weight\n' +
            `A;1;imp-1;x|y;12,5;ja;https://example.com/a.jpg;0401;2026-01-02;${'lang '.repeat(50)};a|b;0.5\n` +
            'B;2;imp-2;;13;nein;;0402;2026-01-03;;c;\n';
        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        await page.locator('#file').setInputFiles({ name: 'own.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
        await page.getByLabel('Field of the column ARTICLE number').waitFor();
        const field = name => page.getByLabel(`Field of the column ${name}`, { exact: true }).inputValue();
        assert.deepEqual(
            await Promise.all(['ARTICLE number', 'Tags', 'weight', 'Größe (cm)'].map(field)),
            ['sku', 'tags', 'weight', ''],
        );
        await page.getByText('Make fields for the columns').click();
        assert.equal(
            await page.locator('#new-fields').textContent(),
            [
                'CatalogField groesseCm number label="Größe (cm)"',
                'CatalogField rabatt boolean label="Rabatt"',
                'CatalogField bild url label="Bild"',
                'CatalogField ean string label="EAN"',
                'CatalogField verkaufAb date label="Verkauf ab"',
                'CatalogField lang text',
                'CatalogField flags strings label="Flags"',
            ].join('\n'),
        );
        await page.getByLabel('Field of the column EAN').selectOption('State');
        assert.doesNotMatch(await page.locator('#new-fields').textContent(), /EAN/);
        await press(page, 'Check the file');
        await press(page, 'Import 2 rows');
        await visitor.page.getByRole('heading', { name: '2 rows are imported' }).waitFor();
        const { data } = await server.api('GET', '/products?name=A&fields=sku,tags,weight,status', undefined, undefined, url);
        assert.deepEqual(data, [{ sku: 'imp-1', tags: ['x', 'y'], weight: 0.5, status: '0401' }]);
    });

    storyAtNight('the pages with own fields are accessible and fit the width of a phone', server, async visit => {
        const { user, page } = await come(visit, 'viewer');
        const { id } = await make(user, { ...TEA, sku: 'look-1', brand: 'Donaudampfschifffahrtsgesellschaftsteehandlung' });
        await page.goto(`/product.html?id=${id}`);
        await page.getByText('Specifications').waitFor();
        await inspect(page, 'own-product');
        await page.goto(`/edit.html?id=${id}`);
        await control(page, 'Weight').fill('x');
        await press(page, 'Save');
        await page.getByText('must be a number').waitFor();
        await inspect(page, 'own-edit');
        await page.goto('/work.html?category=Tea');
        await page.getByText('look-1').waitFor();
        await inspect(page, 'own-work');
        await page.locator('[data-name=tags]').nth(1).click();
        await page.locator('#cell-tags').waitFor();
        await inspect(page, 'own-work-in-place');
        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        const buffer = Buffer.from('Name,Price,Größe,Farbe\nA,1,5,rot\n');
        await page.locator('#file').setInputFiles({ name: 'own.csv', mimeType: 'text/csv', buffer });
        await page.getByText('Make fields for the columns').click();
        await inspect(page, 'own-import');
    });
}
