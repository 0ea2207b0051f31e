/* SPDX-License-Identifier: Apache-2.0 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBrief, story } from '../visitor.js';

export function stories(server) {
    const answered = (page, text) => page.locator('#answered').filter({ hasText: text }).waitFor();
    const send = (page, name) => page.getByRole('button', { name, exact: true }).click();

    story('api.html lists what the API has, and sends a request', server, async visit => {
        const { page } = await visit();
        const links = page.locator('#groups a');

        await page.goto('/api.html');
        await page.getByRole('heading', { name: /^mod_catalog \d/ }).waitFor();
        const { paths } = await (await fetch(`${server.url}/api/openapi.json`)).json();
        assert.equal(await links.count(), Object.values(paths).flatMap(Object.keys).length);
        await page.getByLabel('Filter').fill('patch /products');
        await page.getByText('1 operation', { exact: true }).waitFor();
        await page.getByLabel('Filter').fill('nothing like it');
        await page.getByText('0 operations', { exact: true }).waitFor();
        await page.getByLabel('Filter').fill('list products');
        await page.getByRole('link', { name: 'List products' }).press('Enter');
        await page.waitForURL('**/api.html#listProducts');
        const title = page.getByRole('heading', { name: 'List products', exact: true });
        await title.waitFor();
        assert.equal(await page.evaluate(() => document.activeElement.textContent), 'List products');
        assert.equal(await page.getByRole('link', { name: 'List products' }).getAttribute('aria-current'), 'page');

        await server.api('POST', '/products', { name: 'Described', price: 1 }, (await server.register('describer')).token);
        await page.getByText(/^\d+ more conditions$/).click();
        await page.locator('summary').filter({ hasText: /^name \d+$/ }).click();
        await page.getByLabel('name[prefix]').fill('described & more');
        await page.getByText('GET /api/products?name[prefix]=described%20%26%20more', { exact: true }).waitFor();
        await page.getByLabel('name[prefix]').fill('DESCRIBED');
        await page.getByLabel('limit', { exact: false }).first().fill('1');
        await page.keyboard.press('Enter');
        await answered(page, /^200 OK, \d+ bytes in [\d,]+ ms$/);
        await page.locator('#answer').getByText('"name": "Described"').waitFor();
        await page.getByText('Headers of the answer').click();
        await page.locator('#answer').getByText(/^x-request-id: /m).waitFor();
    });

    story('api.html shows the request as a command, and the answer beside the form', server, async visit => {
        const visitor = await visit(server.url, { permissions: ['clipboard-read', 'clipboard-write'] });
        const { page } = visitor;
        const user = await server.register('commander');
        const command = page.locator('pre').filter({ hasText: /^curl / });
        const run = text => execFileSync('sh', ['-c', text], { encoding: 'utf8', env: { ...process.env, TOKEN: user.token } });
        await visitor.arrive(user);
        await page.goto('/api.html#listProducts');
        await page.getByText('curl', { exact: true }).click();
        await page.getByText(/^\d+ more conditions$/).click();
        await page.locator('summary').filter({ hasText: /^name \d+$/ }).click();
        await page.getByLabel('name[prefix]').fill("Commander's");
        assert.equal(JSON.parse(run(`${await command.textContent()} -sS`)).pagination.total, 0);

        await page.goto('/api.html#createProduct');
        await page.getByText('curl', { exact: true }).click();
        await page.getByLabel('Body', { exact: true }).fill('{"name": "Commander\'s $HOME", "price": 1}');
        await page.getByRole('button', { name: 'Copy the command' }).click();
        await visitor.hears('The command is copied.');
        const copied = await page.evaluate(() => navigator.clipboard.readText());
        assert.equal(copied, await command.textContent());
        assert.match(copied, /-H "Authorization: Bearer \$TOKEN"/);
        assert.equal(JSON.parse(run(`${copied} -sS`)).data.name, "Commander's $HOME");

        await page.setViewportSize({ width: 1440, height: 900 });
        await send(page, 'Send the POST request');
        await answered(page, '201 Created');
        const [form, answer] = await Promise.all(['.exchange form', '.exchange .answer'].map(place => page.locator(place).boundingBox()));
        assert.ok(answer.x >= form.x + form.width && answer.y < form.y + 40, 'the answer is beside the form');
        await page.setViewportSize({ width: 800, height: 900 });
        const [above, below] = await Promise.all(['.exchange form', '.exchange .answer'].map(place => page.locator(place).boundingBox()));
        assert.ok(below.y >= above.y + above.height, 'or below it');
    });

    story('the browser keeps the description, and asks whether it has changed', server, async visit => {
        const { page } = await visit(server.installedUrl);
        const client = await page.context().newCDPSession(page);
        const sizes = [];
        await client.send('Network.enable');
        const requests = new Set();
        client.on('Network.requestWillBeSent', ({ requestId, request }) => request.url.endsWith('/openapi.json') && requests.add(requestId));
        client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => requests.has(requestId) && sizes.push(encodedDataLength));
        for (let visits = 0; visits < 2; visits++) {
            await page.goto('/catalogue/api.html', { waitUntil: 'networkidle' });
            await page.locator('#groups a').first().waitFor();
            await page.goto('about:blank');
        }
        console.log(`openapi.json over the wire: ${sizes.join(', then ')} bytes`);
        assert.ok(sizes[0] < 25_000, `compressed: ${sizes[0]}`);
        assert.ok(sizes[1] < 1000, `then not sent again: ${sizes[1]}`);
    });

    story('api.html shows what an operation takes and answers', server, async visit => {
        const { page } = await visit();
        const article = page.getByRole('article');

        await page.goto('/api.html#runBatch');
        await article.getByText('Requires a user who is signed in.').waitFor();
        await article.getByText('application/json', { exact: true }).first().click();
        await article.getByText('Operations', { exact: true }).first().click();
        await article.getByText('Whether one operation that fails takes all others back.').waitFor();
        await article.getByText('array of one of CreateOperation, UpdateOperation, DeleteOperation, 1 to 1000 elements').waitFor();
        await article.getByText('CreateOperation', { exact: true }).click();
        await article.getByText('What the product is called.').first().waitFor();
        await article.getByText('string, 1 to 200 characters, required').first().waitFor();
        await article.getByText('Batch failed', { exact: false }).first().click();
        assert.doesNotMatch(await article.textContent(), /\[object |undefined/);
        await page.goto('/api.html#listUsers');
        await article.getByText('Requires a user with the role admin.').waitFor();
    });

    story('api.html signs in, and writes only after a click', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const user = await server.register('integrator');
        const writes = [];

        page.on('request', request => request.url().endsWith('/api/products') && writes.push(request.method()));
        await page.goto('/api.html#createProduct');
        await page.getByText('You are not signed in, so the request will be refused.').waitFor();
        await page.getByRole('article').getByRole('link', { name: 'Sign in' }).click();
        await page.getByLabel('User name or e-mail address').fill(user.username);
        await page.getByLabel('Password', { exact: true }).fill(user.password);
        await send(page, 'Sign in');
        await page.waitForURL('**/api.html#createProduct');
        await page.getByLabel('Send the access token of integrator').waitFor();
        await page.getByText('Headers', { exact: true }).first().click();
        await page.getByLabel('Idempotency-Key').fill('once');
        await page.keyboard.press('Enter');
        await page.getByLabel('Body', { exact: true }).fill('{"name": "Teapot", "price": 19.99}');
        assert.deepEqual(writes, []);
        await send(page, 'Send the POST request');
        await answered(page, '201 Created');
        await page.locator('#answer').getByText('"name": "Teapot"').waitFor();
        await send(page, 'Send the POST request');
        await page.getByText('Headers of the answer').click();
        await page.locator('#answer').getByText('idempotency-replayed: true').waitFor();
        assert.deepEqual(writes, ['POST', 'POST']);

        visitor.expect('POST /api/products 400', 'POST /api/products 401', 'PUT /api/products/nothing 404');
        await page.getByLabel('Idempotency-Key').fill('');
        await page.getByLabel('Body', { exact: true }).fill('{"name": "Teapot", "price": -1}');
        await send(page, 'Send the POST request');
        await answered(page, '400 Bad Request');
        await page.locator('.alert').getByText('each is listed in errors.').waitFor();
        await page.locator('#answer').getByText('"field": "price"').waitFor();
        await page.getByLabel('Send the access token of integrator').uncheck();
        await send(page, 'Send the POST request');
        await answered(page, '401 Unauthorized');

        await page.goto('/api.html#updateProduct');
        await send(page, 'Send the PUT request');
        assert.equal(await page.locator('#answered').textContent(), ''); /* the id is missing */
        await page.getByLabel('id', { exact: false }).first().fill('nothing');
        await send(page, 'Send the PUT request');
        await answered(page, '404 Not Found');
    });

    story('api.html imports a file, and saves one', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;

        await visitor.arrive(await server.register('mover'));
        await page.goto('/api.html#importProducts');
        const buffer = Buffer.from('{"name": "Filed", "price": 3}\n{"name": "Also filed", "price": 4}\n');
        await page.getByLabel('File').setInputFiles({ name: 'products.ndjson', mimeType: '', buffer });
        assert.equal(await page.getByLabel('Type of the body').inputValue(), 'application/x-ndjson');
        await send(page, 'Send the POST request');
        await answered(page, '200 OK');
        await page.locator('#answer').getByText('"created": 2').waitFor();

        await page.goto('/api.html#exportProducts');
        await page.getByLabel('format').selectOption('csv');
        await page.getByLabel('name', { exact: false }).first().fill('Also filed');
        await send(page, 'Send the request');
        await answered(page, '200 OK');
        const downloading = page.waitForEvent('download');
        await page.getByRole('button', { name: 'Save as products.csv' }).click();
        const text = readFileSync(await (await downloading).path(), 'utf8');
        assert.match(text, /^id,name,price,.*\r\n[\w-]+,Also filed,4,.*\r\n$/);
    });

    story('no address of a page makes it fail, whatever is in it', server, async visit => {
        const visitor = await visit(); /* any exception fails the story */
        const { page } = visitor;
        const user = await server.register('addressee');
        const { data } = await server.api('POST', '/products', { name: 'Addressed', price: 1 }, user.token);
        const odd = ['%E0%A4%A', '%FF=%FF&%', '__proto__', '%22%5D'];
        const names = ['id', 'q', 'category', 'min', 'max', 'stock', 'rating', 'sort', 'limit', 'page', 'view', 'product', 'user', 'next', 'mails', 'since'];
        const visitAll = async pages => {
            for (const [i, name] of pages.entries()) {
                for (const text of isBrief ? [odd[i % odd.length]] : odd) {
                    await page.goto('about:blank');
                    await page.goto(`/${name}.html?${names.map(key => `${key}=${text}`).join('&')}#${text}`);
                    await page.locator('#account > li').first().waitFor();
                    await page.evaluate(hash => (location.hash = hash), `${text}%E0`);
                    await page.locator('#account > li').first().waitFor();
                }
            }
        };
        visitor.forgive(/^GET .* 40[04]$/);
        await page.goto('/api.html#%E0%A4%A');
        await page.getByRole('heading', { name: /^mod_catalog/ }).waitFor();
        await page.goto('/api.html#createProduct');
        await page.getByRole('heading', { name: 'Create a product' }).waitFor();
        await visitAll(['index', 'login', 'register', 'forgot', 'reset', 'confirm', 'api', '404']);
        server.promote(user);
        await visitor.arrive(user);
        await page.goto(`/product.html?id=${data.id}#%E0%A4%A`);
        await page.getByRole('button', { name: 'Delete' }).waitFor();
        await visitAll(['product', 'edit', 'work', 'import', 'account', 'users', 'server']);
    });
}
