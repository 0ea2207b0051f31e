/* SPDX-License-Identifier: Apache-2.0 */
/* Files of products: import, and export of what the list shows. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isFirefox, story, storyAtNight, storyInBoth } from '../visitor.js';
import { inspect } from './looks.js';

const MANY = 100_000; /* rows */
const MOST_MEMORY = 200e6; /* octets of the tab */

const csv = (name, text, mimeType = 'text/csv') => ({ name, mimeType, buffer: Buffer.from(text) });

function rows(category, count) {
    const lines = Array.from({ length: count }, (_, i) => `${category} number ${i},${i + 0.5},${category}`);
    return `name,price,category\n${lines.join('\n')}\n`;
}

async function countOf(server, category) {
    return (await server.api('GET', `/products?category=${category}&limit=1`)).pagination.total;
}

async function comeToImport(server, visit, username) {
    const visitor = await visit();
    await visitor.arrive(await server.register(username));
    await visitor.page.goto('/import.html');
    await visitor.page.getByRole('button', { name: 'Choose a file' }).waitFor();
    return visitor;
}

/* BiDi leaves the first dialog of a page open in Firefox, which then opens no other. */
async function choose(page, file, button = 'Choose a file') {
    if (isFirefox) {
        await page.locator('#file').setInputFiles(file);
        return;
    }
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: button }).click();
    await (await chooser).setFiles(file);
}

async function drop(page, { name, mimeType, buffer }) {
    const data = await page.evaluateHandle(
        ([text, fileName, type]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], fileName, { type }));
            return transfer;
        },
        [buffer.toString(), name, mimeType],
    );
    await page.dispatchEvent('#drop', 'dragover', { dataTransfer: data });
    await page.dispatchEvent('#drop', 'drop', { dataTransfer: data });
}

const press = (page, name) => page.getByRole('button', { name }).click();
const title = (page, name) => page.getByRole('heading', { name }).waitFor();

async function savedText(page, action) {
    const download = page.waitForEvent('download');
    await action();
    const file = await download;
    const octets = readFileSync(await file.path());
    return { name: file.suggestedFilename(), text: octets.toString('utf8'), octets };
}

/* Keeps the next answer to an import from the page. */
async function loseAnswer(page) {
    const client = await page.context().newCDPSession(page);
    client.on('Fetch.requestPaused', async ({ requestId }) => {
        await client.send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' });
        await client.detach();
    });
    await client.send('Fetch.enable', { patterns: [{ urlPattern: '*/products/import?*', requestStage: 'Response' }] });
}

export function stories(server) {
    storyInBoth('a writer imports a file that is chosen, and one that is dropped, whose columns have other names', server, async visit => {
        const visitor = await comeToImport(server, visit, 'importer');
        const { page } = visitor;
        await choose(page, csv('cups.csv', 'name,price,category,colour\nFirst cup,1,chosen,red\n"Second, blue",2.5,chosen,blue\n'));
        await page.getByText('cups.csv, 1 KB').waitFor();
        assert.equal(await page.getByLabel('Field of the column category').inputValue(), 'category');
        assert.equal(await page.getByLabel('Field of the column colour').inputValue(), '');
        await page.getByText('First cup · Second, blue').waitFor();
        await press(page, 'Check the file');
        await title(page, 'The file can be imported');
        await page.getByText('2 rows: 2 new, 0 changed, 0 unchanged. Nothing is stored yet.').waitFor();
        assert.equal(await countOf(server, 'chosen'), 0);
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        await page.getByRole('link', { name: 'To the products' }).click();
        await page.getByRole('link', { name: 'Second, blue' }).waitFor();

        await page.getByRole('link', { name: 'Import', exact: true }).click();
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        await drop(page, csv('lamps.csv', 'Kosten,Was,Preis\n7,Floor lamp,8\n9,Desk lamp,10\n'));
        await page.getByText('Still without a column: Name.').waitFor();
        await press(page, 'Check the file');
        assert.equal(await page.getByRole('heading', { level: 2 }).count(), 0);
        await page.getByLabel('Field of the column Was').selectOption('Name');
        await page.getByLabel('Field of the column Kosten').selectOption('Price');
        assert.equal(await page.getByLabel('Field of the column Preis').inputValue(), '', 'a field is one column’s');
        await press(page, 'Check the file');
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        const { data } = await server.api('GET', '/products?limit=2');
        assert.deepEqual(data.map(({ name, price }) => [name, price]), [['Desk lamp', 9], ['Floor lamp', 7]]);

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('changed.csv', `id,price\n${data[0].id},11\n${data[1].id},7\n`));
        await page.getByText('changed.csv').waitFor();
        assert.ok(await page.getByLabel('Rows with a product’s number').isChecked());
        await press(page, 'Check the file');
        await page.getByText('2 rows: 0 new, 1 changed, 1 unchanged.').waitFor();
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        assert.equal((await server.api('GET', `/products/${data[0].id}`)).data.price, 11);

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('other.csv', '"na"me,price\nx,1\n'), /^Choose/);
        await visitor.hears('cannot be read as CSV');
        assert.ok(await page.getByRole('button', { name: 'Check the file' }).isHidden());
        await choose(page, csv('lines.ndjson', '{"name":"A line","price":3}\n', ''), /^Choose/);
        await press(page, 'Check the file');
        await page.getByText('1 row: 1 new').waitFor();
    });

    storyInBoth('a column ID is ours only if its cells are our ids; a file may say its delimiter and its encoding', server, async visit => {
        const visitor = await comeToImport(server, visit, 'numbered');
        const { page } = visitor;
        visitor.forgive(/^POST \/api\/products\/import 400$/); /* the sample of a file with a faulty row, if the page comes to it */
        const update = page.getByLabel('Rows with a product’s number');
        await choose(page, csv('shop.csv', 'ID,Name,Price,Category\n4711,Own number,1,numbered\n4712,Another one,2,numbered\n'));
        await page.getByText('4711 · 4712').waitFor();
        assert.equal(await page.getByLabel('Field of the column ID').inputValue(), '', 'numbers are no ids of ours');
        assert.ok(!(await update.isChecked()));
        await press(page, 'Check the file');
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        const { data } = await server.api('GET', '/products?category=numbered');
        assert.deepEqual(data.map(({ name }) => name), ['Another one', 'Own number']);

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('ours.csv', `ID,Price\n${data[0].id.toUpperCase()},3\n,4\n`));
        await page.getByText('ours.csv').waitFor();
        assert.equal(await page.getByLabel('Field of the column ID').inputValue(), 'id');
        assert.ok(await update.isChecked());

        const text = '\ufeffsep=;\r\nName;Price;Category\r\n"Ä; ö";1;sixteen\r\n;;\r\nB, ü;2;sixteen\r\n';
        await choose(page, { name: 'sheet.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'utf16le') }, /^Choose/);
        await page.getByText('Ä; ö · B, ü').waitFor();
        assert.equal(await page.getByLabel('Between the cells').inputValue(), 'semicolon');
        await press(page, 'Check the file');
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        const sheet = await server.api('GET', '/products?category=sixteen');
        assert.deepEqual(sheet.data.map(({ name }) => name), ['B, ü', 'Ä; ö']);
    });

    storyInBoth('the page finds out what is between the cells and whether columns have names; the user may know better', server, async visit => {
        const visitor = await comeToImport(server, visit, 'spreadsheet');
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        const between = page.getByLabel('Between the cells');
        const header = page.getByLabel('The first row has the names of the columns');
        await choose(page, csv('blatt.csv', '\ufeffProdukt;Preis;Kategorie\r\n"Tee, grün; fein";1,50;delimited\r\nTasse, blau;2.5;delimited\r\n'));
        await page.getByText('Tee, grün; fein · Tasse, blau').waitFor();
        assert.equal(await between.inputValue(), 'semicolon');
        assert.ok(await header.isChecked());
        assert.equal(await page.getByLabel('Field of the column Kategorie').inputValue(), 'category');
        await press(page, 'Check the file');
        await page.getByRole('cell', { name: 'Price must be a number with a decimal point and no comma, such as 19.99.' }).waitFor();
        if (!isFirefox) {
            const { text } = await savedText(page, () => press(page, 'Save the faulty row'));
            assert.equal(text.split('\r\n')[0], '"What is wrong";"Produkt";"Preis";"Kategorie"');
            assert.match(text.split('\r\n')[1], /^"[^"]*";"Tee, grün; fein";1,50;delimited$/);
        }
        await press(page, 'Import 1 row');
        await title(page, '1 row is imported');
        assert.equal(await countOf(server, 'delimited'), 1);

        /* A comma in each price makes as many columns as the semicolon; it is a decimal mark. */
        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('prices.csv', 'Teller;12,50\nTasse;3\nKanne;4\n'));
        await page.getByText('12,50 · 3 · 4').waitFor();
        assert.equal(await between.inputValue(), 'semicolon');
        const decimal = page.getByLabel('Numbers are written as');
        assert.equal(await decimal.inputValue(), 'comma');
        assert.ok(!(await header.isChecked()), 'a number is no name of a column');
        await header.check();
        await page.getByLabel('Field of the column Teller').selectOption('Name');
        await page.getByRole('cell', { name: 'Tasse · Kanne', exact: true }).waitFor();
        await between.selectOption('comma');
        await page.getByText('Teller;12 · Tasse;3 · Kanne;4').waitFor();
        await between.selectOption('tab');
        await page.getByLabel('Field of the column Teller;12,50').waitFor();
        await between.selectOption('semicolon');
        await page.getByText('12,50 · 3 · 4').waitFor();
        await page.getByLabel('Field of the column 1').selectOption('Name');
        await page.getByLabel('Field of the column 2').selectOption('Price');
        await press(page, 'Check the file');
        await title(page, 'The file can be imported');
        await decimal.selectOption('point');
        await page.getByRole('heading', { name: 'The file can be imported' }).waitFor({ state: 'detached' });
        await press(page, 'Check the file');
        await title(page, '1 faulty row');
        if (!isFirefox) {
            const { text } = await savedText(page, () => press(page, 'Save the faulty row'));
            assert.match(text, /^"What is wrong";"name";"price"\r\n"Price [^"]*";Teller;12,50\r\n$/);
        }
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('tabs.tsv', 'name\tprice\nTin, box\t5\n', 'text/tab-separated-values'));
        await page.locator('#columns').getByText('Tin, box').waitFor();
        assert.equal(await between.inputValue(), 'tab');
        await press(page, 'Check the file');
        await press(page, 'Import 1 row');
        await title(page, '1 row is imported');
        const { data } = await server.api('GET', '/products?limit=3');
        assert.deepEqual(data.map(({ name, price }) => [name, price]), [['Tin, box', 5], ['Kanne', 4], ['Tasse', 3]]);
    });

    story('a file of a German spreadsheet is read as it is written; the user may know better', server, async visit => {
        const visitor = await comeToImport(server, visit, 'german');
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        const [between, decimal, encoding] = ['Between the cells', 'Numbers are written as', 'Encoding'].map(label => page.getByLabel(label));
        const style = () => Promise.all([between, decimal, encoding].map(control => control.inputValue()));
        const windows = text => Buffer.from(text.replaceAll('–', '\x96'), 'latin1');
        const lines = ['Bezeichnung;Preis;Warengruppe;Vorrätig', 'Teekännchen;1.299,50;german;ja', 'Schüssel – groß;x;german;ja', 'Löffel;2,50;german;nein'];
        await choose(page, { name: 'mappe.csv', mimeType: 'text/csv', buffer: windows(lines.join('\r\n')) });
        await page.getByText('Teekännchen · Schüssel – groß · Löffel').waitFor();
        assert.deepEqual(await style(), ['semicolon', 'comma', 'windows-1252']);
        assert.equal(await page.getByLabel('Field of the column Vorrätig').inputValue(), 'inStock');

        await encoding.selectOption('utf-8');
        await visitor.hears('The file has characters that its encoding does not have.');
        assert.ok(await page.getByRole('button', { name: 'Check the file' }).isHidden());
        await encoding.selectOption('windows-1252');
        await press(page, 'Check the file');
        await title(page, '1 faulty row');
        await page.getByRole('cell', { name: 'Price must be a number with a decimal comma, such as 19,99.' }).waitFor();
        await page.getByRole('cell', { name: 'Schüssel – groß;x;german;ja' }).waitFor();

        /* The faulty row is in the encoding of the file, with what is wrong. */
        const { name, octets } = await savedText(page, () => press(page, 'Save the faulty row'));
        const reason = '"Price must be a number with a decimal comma, such as 19,99."';
        const saved = `"What is wrong";"Bezeichnung";"Preis";"Warengruppe";"Vorrätig"\r\n${reason};Schüssel – groß;x;german;ja\r\n`;
        assert.deepEqual(octets, windows(saved));
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, { name, mimeType: 'text/csv', buffer: windows(saved.replace(';x;', ';12;')) });
        await page.locator('#columns').getByText('Schüssel – groß').waitFor();
        assert.deepEqual(await style(), ['semicolon', 'point', 'windows-1252']);
        await press(page, 'Check the file');
        await press(page, 'Import 1 row');
        await title(page, '1 row is imported');
        const { data } = await server.api('GET', '/products?category=german&sort=price');
        assert.deepEqual(data.map(product => [product.name, product.price, product.inStock]), [
            ['Löffel', 2.5, false],
            ['Schüssel – groß', 12, true],
            ['Teekännchen', 1299.5, true],
        ]);

        /* A byte order mark leaves nothing to choose, and one octet that is no UTF-8 does not make others wrong. */
        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('marked.csv', '\ufeffname,price\nKännchen,1.25\n'));
        await page.locator('#columns').getByText('Kännchen').waitFor();
        assert.ok(await encoding.isHidden());
        assert.equal(await decimal.inputValue(), 'point');
        const damaged = Buffer.concat([Buffer.from('name,price\nKännchen,1\nSch'), Buffer.from([0xfc]), Buffer.from('ssel,2\n')]);
        await choose(page, { name: 'damaged.csv', mimeType: 'text/csv', buffer: damaged }, /^Choose/);
        await visitor.hears('The file has characters that its encoding does not have.');
        assert.equal(await encoding.inputValue(), 'utf-8');
        assert.ok(await encoding.isVisible());
        await choose(page, { name: 'lacking.csv', mimeType: 'text/csv', buffer: windows('name,price\nDöschen,1\nx\x81,2\nz,3\n') }, /^Choose/);
        await page.locator('#columns').getByText('Döschen').waitFor(); /* of this file, not of the one before */
        await press(page, 'Check the file');
        await page.getByText('From row 2 on the file cannot be read.').waitFor();
    });

    story('a workbook is not read, and the page says how to save it; many faults of a column are one line', server, async visit => {
        const visitor = await comeToImport(server, visit, 'bookkeeper');
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        for (const [name, octets] of [['stock.xlsx', [80, 75, 3, 4, 20, 0]], ['old.xls', [208, 207, 17, 224, 161]]]) {
            await choose(page, { name, mimeType: '', buffer: Buffer.from(octets) }, /^Choose/);
            await visitor.hears(`${name} is a workbook.`);
            assert.ok(await page.getByRole('button', { name: 'Check the file' }).isHidden());
        }
        await page.evaluate(() => {
            const { arrayBuffer } = Blob.prototype;
            Blob.prototype.arrayBuffer = () => {
                Blob.prototype.arrayBuffer = arrayBuffer;
                return Promise.reject(new DOMException('a folder', 'NotReadableError'));
            };
        });
        await drop(page, csv('shop', ''));
        await visitor.hears('shop cannot be read. Choose a file, not a folder');
        const rows = Array.from({ length: 150 }, (_, i) => `Many ${i},x,${i < 3 ? 9 : 4}`);
        await choose(page, csv('many.csv', `name,price,rating\n${rows.join('\n')}\n`), /^Choose/);
        assert.equal(await page.getByText('is a workbook').count(), 0);
        await press(page, 'Check the file');
        await title(page, '150 faulty rows');
        const lines = await page.locator('.reasons > li').allInnerTexts();
        assert.deepEqual(lines.map(text => text.split('\n').filter(Boolean)), [
            ['Column price', 'Price must be a number with a decimal point and no comma, such as 19.99. 150 rows'],
            ['Column rating', 'Rating must be from 0 to 5. 3 rows'],
        ]);
        await inspect(page, 'import-reasons');
    });

    story('a sample shows what the first rows would store, as the page reads them', server, async visit => {
        const visitor = await visit(server.shopUrl);
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        await visitor.arrive(await server.register('sampler', server.shopUrl));
        await page.goto('/import.html');
        await page.getByRole('button', { name: 'Choose a file' }).waitFor();
        const lines = ['Name;Preis;Vorrätig;Tags;Published;Weight', 'Teekännchen;1.299,50;nein;rot|blau;ja;0,5', 'Tasse;x;ja;;;', 'Löffel;2,50;1;;0;1'];
        await choose(page, { name: 'mappe.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n'), 'latin1') });
        const sample = page.getByRole('region', { name: 'What will be stored' });
        const check = page.getByRole('button', { name: 'Check the file' });
        await check.waitFor();
        const place = await check.boundingBox();
        await sample.getByRole('row').nth(2).waitFor();
        assert.deepEqual(await check.boundingBox(), place, 'what comes late moves nothing that one clicks on');
        const cells = async () => (await sample.getByRole('row').allInnerTexts()).map(text => text.split('\t').map(cell => cell.trim()));
        assert.deepEqual(await cells(), [
            ['Name', 'Price', 'In stock', 'Tags', 'Weight', 'Published'],
            ['Teekännchen', '1,299.50', 'Sold out', 'rot, blau', '0.5', 'Yes'],
            ['Löffel', '2.50', 'In stock', '', '1', 'No'],
        ]);
        await page.getByText('Faulty among the first 3 rows: 1. Row 2: Price must be a number with a decimal comma, such as 19,99.').waitFor();
        await inspect(page, 'import-sample');

        /* It follows what the user chooses, and is gone where nothing can be stored. */
        await page.getByLabel('Field of the column Weight').selectOption('Leave it out');
        await sample.getByRole('columnheader', { name: 'Weight' }).waitFor({ state: 'detached' });
        await page.getByLabel('Numbers are written as').selectOption('point');
        await page.getByText('Faulty among the first 3 rows: 3. Row 1: Price must be a number with a decimal point').waitFor();
        assert.ok(await sample.isHidden());
        await page.getByLabel('Field of the column Name').selectOption('Leave it out');
        await page.getByText('Still without a column: Name.').waitFor();
        assert.ok(await page.locator('#by-sample').isHidden());
    });

    storyInBoth('an import is that of the user who has begun it, whoever signs in in another tab', server, async visit => {
        const visitor = await comeToImport(server, visit, 'starter');
        const second = await server.register('follower');
        const { page } = visitor;
        await choose(page, csv('begun.csv', rows('begun', 2)));
        await press(page, 'Check the file');
        await title(page, 'The file can be imported');
        const other = await visitor.replaceUser(second);
        await visitor.hears(`In another tab you have signed in as ${second.username}.`);
        await press(page, 'Import 2 rows');
        await visitor.hears('another user has signed in');
        assert.equal(await countOf(server, 'begun'), 0);
        assert.ok(await other.locator('.account').isVisible(), 'who has signed in stays so');
    });

    story('an import can be taken back, but for what somebody has changed since', server, async visit => {
        const visitor = await comeToImport(server, visit, 'regretful');
        const { page } = visitor;
        const { token } = await server.register('regretless');
        const { data: old } = await server.api('POST', '/products', { name: 'Old', price: 1, category: 'regretted' }, token);
        const made = Array.from({ length: 250 }, (_, i) => `,Regretted ${i},${i},regretted`);
        await choose(page, csv('regretted.csv', `id,name,price,category\n${made.join('\n')}\n${old.id},Old,2,regretted\n`));
        await press(page, 'Check the file');
        await press(page, 'Import 251 rows');
        await title(page, '251 rows are imported');
        await page.getByText('You can take the import back here, and after that on the page “Changes”.').waitFor();
        const { data } = await server.api('GET', '/products?category=regretted&limit=3');
        await server.api('PUT', `/products/${data[0].id}`, { price: 1000 }, token);
        await server.api('DELETE', `/products/${data[1].id}`, undefined, token);

        await press(page, 'Take the import back');
        const dialog = page.getByRole('dialog', { name: 'Take the import of 251 rows back?' });
        await dialog.getByText('those that it changed get their former values back').waitFor();
        await inspect(page, 'import-undo');
        await dialog.getByRole('button', { name: 'Keep' }).click();
        await title(page, '251 rows are imported');
        assert.equal(await countOf(server, 'regretted'), 250);

        visitor.forgive(/^POST \/api\/changes\/batches\/\d+\/undo 503$/);
        let sent = 0;
        await page.route('**/undo', route => {
            sent += 1;
            return sent === 1 ? route.fulfill({ status: 503, body: '{}' }) : route.continue();
        });
        await press(page, 'Take the import back');
        await dialog.getByRole('button', { name: 'Take the import back' }).click();
        await press(page, 'Try again');
        await title(page, '249 products are as they were before.');
        await page.getByText('2 products stay as they are.').waitFor();
        const lines = await page.getByRole('list', { name: 'Products that are still there' }).getByRole('listitem').allTextContents();
        assert.ok(lines.includes('Regretted 249: somebody has changed it since'), lines.join());
        assert.ok(await visitor.isFocused(page.locator('#result-title')));
        await inspect(page, 'import-undone');
        const left = await server.api('GET', '/products?category=regretted');
        assert.deepEqual(left.data.map(({ name, price }) => [name, price]), [['Regretted 249', 1000], ['Old', 1]]);
    });

    story('an import whose undo the server has done and forgotten is taken back', server, async visit => {
        const visitor = await comeToImport(server, visit, 'forgiven');
        const { page } = visitor;
        await choose(page, csv('forgotten.csv', 'name,price,category\nOne,1,forgotten\nTwo,2,forgotten\n'));
        await press(page, 'Check the file');
        await press(page, 'Import 2 rows');
        await title(page, '2 rows are imported');
        const job = '00000000-0000-7000-8000-000000000000';
        let sent = 0;
        await page.route('**/undo', async route => {
            sent += 1;
            const response = await route.fetch();
            await route.fulfill(sent > 1 ? { response } : { status: 202, json: { success: true, data: { id: job } } });
        });
        const takeBack = async () => {
            await press(page, 'Take the import back');
            await page.getByRole('dialog').getByRole('button', { name: 'Take the import back' }).click();
        };
        visitor.expect(`GET /api/products/batch/${job} 404`);
        await takeBack();
        await page.getByRole('alert').waitFor();
        visitor.forgive(/^POST \/api\/changes\/batches\/\d+\/undo 409$/);
        await takeBack();
        await title(page, '2 products are as they were before.');
        assert.equal(await countOf(server, 'forgotten'), 0);
    });

    story('without a history, taking an import back deletes what it has created', server, async visit => {
        const visitor = await comeToImport(server, visit, 'unkept');
        const { page } = visitor;
        const { token } = await server.register('unkeeper');
        const { data: old } = await server.api('POST', '/products', { name: 'Old', price: 1, category: 'unkept' }, token);
        const made = Array.from({ length: 250 }, (_, i) => `,Unkept ${i},${i},unkept`);
        await page.route('**/products/import?*', async route => {
            const response = await route.fetch();
            const { 'catalog-batch': batch, ...headers } = response.headers();
            await route.fulfill({ response, headers });
        });
        await choose(page, csv('unkept.csv', `id,name,price,category\n${made.join('\n')}\n${old.id},Old,2,unkept\n`));
        await press(page, 'Check the file');
        await press(page, 'Import 251 rows');
        await title(page, '251 rows are imported');
        await page.getByText('While this page is open, you can take the import back.').waitFor();
        const { data } = await server.api('GET', '/products?category=unkept&limit=3');
        await server.api('PUT', `/products/${data[0].id}`, { price: 1000 }, token);
        await server.api('DELETE', `/products/${data[1].id}`, undefined, token);

        await press(page, 'Take the import back');
        const dialog = page.getByRole('dialog', { name: 'Delete the 250 products that were imported?' });
        await dialog.getByText('Products that somebody has changed since then are kept. What the import changed in 1 product that was there before is not taken back.').waitFor();

        /* The server is away for a moment; what was deleted is not counted twice. */
        visitor.expect('POST /api/products/batch 503');
        let sent = 0;
        const refuseOne = async route => { /* of the last portion, for a reason that passes */
            const response = await route.fetch();
            const { results, ...answer } = await response.json();
            await route.fulfill({ response, json: { ...answer, results: results.map((result, i) => (i === 1 ? { ...result, status: 503 } : result)) } });
        };
        await page.route('**/products/batch', route => {
            sent += 1;
            return sent === 2 ? route.fulfill({ status: 503, body: '{}' }) : sent === 4 ? refuseOne(route) : route.continue();
        });
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await press(page, 'Try again');
        await title(page, '247 imported products are deleted');
        await page.getByText('1 product has been changed since the import and was kept. 1 product could not be deleted; you can try again. 1 product had been deleted already.').waitFor();
        assert.deepEqual(await page.getByRole('list', { name: 'Products that are still there' }).getByRole('listitem').allTextContents(), ['Unkept 249']);
        const left = await server.api('GET', '/products?category=unkept');
        assert.deepEqual(left.data.map(({ name, price }) => [name, price]), [['Unkept 249', 1000], ['Old', 2]]);
    });

    story('faulty lines of NDJSON are saved with their reasons, mended and imported', server, async visit => {
        const visitor = await comeToImport(server, visit, 'liner');
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        const lines = ['{"name":"Good","price":1}', '{"name":"Bad \\"ü\\"","price":-1}', '', '{"name":', '[1]', '{}', ' { "price" : "5,5" }'];
        await choose(page, csv('lines.ndjson', `\ufeff${lines.join('\n')}`, ''));
        await page.getByText('lines.ndjson').waitFor();
        assert.ok(await page.getByLabel('Between the cells').isHidden());
        await press(page, 'Check the file');
        await title(page, '5 faulty rows');
        const shown = await page.locator('#result tbody tr').allTextContents();
        assert.match(shown[0], /^2Price must be 0 or more\.\{"name":"Bad/);
        assert.match(shown[1], /^3The row must be a JSON object: .+\.\{"name":$/);
        assert.equal(shown[2], '4The row must be a JSON object.[1]');
        assert.match(shown[4], /^6Name is required\.Price must be a number with/);
        const first = await savedText(page, () => press(page, 'Save the 5 faulty rows'));
        assert.equal(first.name, 'faulty-rows.ndjson');
        const saved = first.text.split('\r\n');
        assert.equal(saved[0], '{"whatIsWrong":"Price must be 0 or more.","name":"Bad \\"ü\\"","price":-1}');
        assert.match(saved[1], /^\{"whatIsWrong":"The row must be a JSON object: .+","name":$/);
        assert.equal(saved[2], '[1]');
        assert.equal(saved[3], '{"whatIsWrong":"Name is required. Price is required."}');
        assert.match(saved[4], /^\{"whatIsWrong":"Name is required\. Price must be a number [^"]+","price" : "5,5" \}$/);

        const mended = saved.map(line => line.replace('-1', '2').replace('[1]', '').replace('"5,5"', '5'));
        await page.reload();
        await choose(page, csv(first.name, mended.join('\n'), ''));
        await press(page, 'Check the file');
        await title(page, '3 faulty rows');
        const second = await savedText(page, () => press(page, 'Save the 3 faulty rows'));
        assert.equal(second.text.match(/whatIsWrong/g).length, 3, 'new reasons take the place of those before');
        assert.equal(second.text.split('\r\n')[2], '{"whatIsWrong":"Name is required.","price" : 5 }');
        await press(page, 'Import 1 row');
        await title(page, '1 row is imported');
        assert.equal((await server.api('GET', '/products?limit=1')).data[0].name, 'Bad "ü"');
    });

    story('faulty rows are shown with their reasons, saved as a file, mended and imported', server, async visit => {
        const visitor = await comeToImport(server, visit, 'mender');
        const { page } = visitor;
        visitor.expect('POST /api/products/import 400');
        const lines = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? `Good ${i},1,mended` : `"Bad, ${i}",-1,mended`));
        await choose(page, csv('mixed.csv', `name,price,category\r\n${lines.join('\r\n')}\r\n\r\nshort\r\nLast,x,mended`));
        await press(page, 'Check the file');
        await title(page, 'The file has faulty rows');
        await page.getByText('The other 150 rows are good. Nothing is stored yet.').waitFor();
        await title(page, '152 faulty rows');
        const shown = page.locator('#result tbody tr');
        assert.equal(await shown.count(), 100);
        assert.match(await shown.first().textContent(), /^2Price must be 0 or more\."Bad, 1",-1,mended$/);
        await page.getByText('The first 100 are shown; the file has all of them.').waitFor();

        const { name, text } = await savedText(page, () => press(page, 'Save the 152 faulty rows'));
        assert.equal(name, 'faulty-rows.csv');
        const saved = text.split('\r\n');
        assert.equal(saved.length, 154);
        assert.equal(saved[0], '"What is wrong","name","price","category"');
        assert.equal(saved[1], '"Price must be 0 or more.","Bad, 1",-1,mended');
        assert.match(saved[151], /^"The row must have as many cells as the file has columns: 3, not 1\.",short$/);
        assert.equal(saved[152], '"Price must be a number with a decimal point and no comma, such as 19.99.",Last,x,mended');

        await press(page, 'Import 150 rows');
        await title(page, '150 rows are imported');
        assert.equal(await countOf(server, 'mended'), 150);
        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv(name, text.replaceAll('-1,', '1,').replace(',short', ',short,1,mended').replace(',x,', ',5,')));
        await press(page, 'Check the file');
        await press(page, 'Import 152 rows');
        await title(page, '152 rows are imported');
        assert.equal(await countOf(server, 'mended'), 302);

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('broken.csv', 'name,price,category\nOne,1,broken\n"T"wo,2,broken\nThree,3,broken\n'));
        await press(page, 'Check the file');
        await page.getByText('From row 2 on the file cannot be read.').waitFor();
        await press(page, 'Import 1 row');
        await title(page, '1 row is imported');
        assert.equal(await countOf(server, 'broken'), 1);
    });

    story('who stops an import is told what is stored; a lost answer stores nothing twice', server, async visit => {
        const visitor = await comeToImport(server, visit, 'stopper');
        const { page } = visitor;
        const count = 9000;
        const stores = url => url.pathname.endsWith('/import') && !url.searchParams.has('dryRun');
        await choose(page, csv('many.csv', rows('stopped', count)));
        const stopFirst = async route => {
            await page.getByRole('button', { name: 'Stop', exact: true }).click();
            await page.getByRole('button', { name: 'Stopping …' }).waitFor();
            await route.continue();
        };
        await page.route(stores, stopFirst, { times: 1 });
        await press(page, 'Check the file');
        await press(page, 'Import 9,000 rows');
        await title(page, 'The import is stopped');
        const stored = await countOf(server, 'stopped');
        assert.ok(stored > 0 && stored < count, `${stored} rows`);
        const format = new Intl.NumberFormat('en').format;
        await page.getByText(`${format(stored)} of ${format(count)} good rows are stored.`).waitFor();

        visitor.expect('POST /api/products/import failed');
        await loseAnswer(page);
        await press(page, 'Continue');
        await page.getByText('The last part may be stored as well').waitFor();
        await title(page, '9,000 rows are imported'); /* by itself, when the server answers again */
        assert.equal(await countOf(server, 'stopped'), count);

        await page.getByRole('link', { name: 'Import another file' }).click();
        await choose(page, csv('many.csv', rows('unchecked', 3000)));
        await page.getByText('many.csv').waitFor();
        await page.route('**/products/import?*dryRun=true*', async route => {
            await page.getByRole('button', { name: 'Stop', exact: true }).click();
            await route.abort();
        }, { times: 1 });
        await press(page, 'Check the file');
        await visitor.hears('You have stopped the check. Nothing is stored.');
        assert.ok(await visitor.isFocused(page.getByRole('button', { name: 'Check the file' })));
        assert.equal(await countOf(server, 'unchecked'), 0);
    });

    storyAtNight('a long file takes little memory', server, async visit => {
        const { page } = await comeToImport(server, visit, 'hauler');
        const count = Number(process.env.ROWS ?? MANY);
        const client = await page.context().newCDPSession(page);
        await client.send('Performance.enable');
        const memory = async () => {
            const { metrics } = await client.send('Performance.getMetrics');
            return metrics.find(({ name }) => name === 'JSHeapUsedSize').value;
        };
        const path = join(server.home, 'long.csv');
        writeFileSync(path, rows('hauled', count));
        await choose(page, path);
        let most = 0;
        await press(page, 'Check the file');
        await page.getByRole('button', { name: /^Import/ }).waitFor();
        let part = 0;
        await page.route('**/products/import?*', async route => {
            part++;
            if (part === 2) {
                await page.waitForTimeout(1100); /* earlier the page tells no rate */
            } else if (part === 3) {
                await page.getByText(/^[\d,]+ of [\d,]+ rows · [\d,]+ a second · (one second|\d+ (seconds|minutes)) left$/).waitFor();
            }
            await route.continue();
        });
        await press(page, /^Import/);
        const heading = page.getByRole('heading', { name: 'rows are imported' });
        for (let isDone = false; !isDone; ) {
            most = Math.max(most, await memory());
            isDone = await heading.isVisible();
        }
        console.log(`${count} rows: at most ${Math.round(most / 1e6)} MB of JavaScript objects`);
        assert.ok(most < MOST_MEMORY, `${most}`);
        assert.equal(await countOf(server, 'hauled'), count);
    });

    story('an export has what the search and the filters show, in their order', server, async visit => {
        const { token } = await server.register('exporter');
        for (const [name, price] of [['Tall shelf', 30], ['Low shelf', 20], ['Shelf, =1+1', 10.5], ['Shelf to sell', 90]]) {
            await server.api('POST', '/products', { name, price, category: 'exported' }, token);
        }
        const { page } = await visit();
        await page.goto('/?q=shelf&category=exported&max=50&sort=price');
        await page.getByRole('link', { name: 'Tall shelf' }).waitFor();
        const save = name => savedText(page, async () => {
            await page.getByText('Save as a file').click();
            await page.getByRole('link', { name }).click();
        });
        const lines = await save('NDJSON for programs');
        assert.equal(lines.name, 'products.ndjson');
        const names = lines.text.trim().split('\n').map(line => JSON.parse(line).name);
        assert.deepEqual(names, ['Shelf, =1+1', 'Low shelf', 'Tall shelf']);
        const again = await save('CSV to be imported again');
        assert.match(again.text, /^id,name,price,.*\r\n[^,]+,"Shelf, =1\+1",10.5,exported/);
        await page.getByLabel('Search products').fill('tall');
        await page.locator('#count').filter({ hasText: '1 product' }).waitFor();
        const sheet = await save('CSV for a spreadsheet');
        assert.match(sheet.text, /^\ufeffid,name,price,.*\r\n[^,]+,Tall shelf,30,exported,[^\r]*\r\n$/);
        await page.getByText('Save as a file').press('Enter');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Escape');
        assert.ok(await page.getByRole('link', { name: 'NDJSON' }).isHidden());

        /* The marks of a German spreadsheet. */
        const { page: other } = await visit(server.url, { locale: 'de-DE' });
        await other.goto('/?category=exported&sort=price');
        await other.getByRole('link', { name: 'Low shelf' }).waitFor();
        const marks = await savedText(other, async () => {
            await other.locator('#export summary').click();
            await other.locator('[data-sheet]').click();
        });
        assert.match(marks.text, /^\ufeffid;name;price;.*\r\n[^;]+;"Shelf,' =1\+1";"10,5";exported;/);
    });

    story('who may not write is told so instead', server, async visit => {
        const visitor = await visit(server.editorsUrl);
        await visitor.signIn(await server.register('onlooker', server.editorsUrl));
        assert.equal(await visitor.page.getByRole('link', { name: 'Import', exact: true }).count(), 0);
        await visitor.page.goto('/import.html');
        await visitor.hears('Your role (User) does not allow you to change products.');
        assert.ok(await visitor.page.locator('#form').isHidden());
    });
}
