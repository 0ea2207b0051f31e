/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the code of docs/front-ends.md, which run.pl has written to front-ends.js, as two tabs of a browser: node recipes.js URL-OF-THE-MOUNT */
import assert from 'node:assert/strict';
import { webcrypto } from 'node:crypto';

const [, , url] = process.argv;
const ORIGIN = 'http://localhost:5173';

/* ---- what a browser has and Node.js lacks ---- */

const jar = new Map();
const asked = []; /* [method, path, status] */
const plain = globalThis.fetch;

globalThis.fetch = async (target, { credentials, headers = {}, ...rest } = {}) => {
    const cookies = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = { Origin: ORIGIN, ...headers, ...(credentials === 'include' && cookies && { Cookie: cookies }) };
    const response = await plain(target, { ...rest, headers: sent });
    asked.push([rest.method ?? 'GET', target.slice(url.length), response.status]);
    assert.equal(response.headers.get('Access-Control-Allow-Origin'), ORIGIN, 'a page of the origin may read the answer');
    for (const cookie of response.headers.getSetCookie?.() ?? [response.headers.get('Set-Cookie')].filter(Boolean)) { /* Debian 12 lacks it */
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
        /Max-Age=0/.test(cookie) ? jar.delete(name) : jar.set(name, value);
    }
    return response;
};

globalThis.crypto ??= webcrypto;

let held = Promise.resolve();
const locks = {
    request: (name, run) => {
        const result = held.then(run);
        held = result.catch(() => {});
        return result;
    },
};
Object.defineProperty(globalThis, 'navigator', { value: { locks }, configurable: true });

const [one, two] = await Promise.all(['one', 'two'].map(tab => import(`./front-ends.js?${tab}`)));
const countOf = path => asked.filter(([, asks]) => asks === path).length;
const later = () => new Promise(resolve => setTimeout(resolve, 50));

/* ---- the recipe ---- */

async function testPreflight() {
    const response = await plain(`${url}/products`, {
        method: 'OPTIONS',
        headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'PATCH', 'Access-Control-Request-Headers': 'traceparent' },
    });
    assert.match(response.headers.get('Access-Control-Allow-Headers'), /\bPrefer\b.*\btraceparent\b/);
    assert.match(response.headers.get('Access-Control-Expose-Headers'), /\bX-Total-Count\b.*\bCatalog-Problem\b/);
}

async function testSession() {
    assert.equal(await one.accessToken(), undefined, 'a visitor has no token');
    await one.accessToken();
    assert.equal(countOf('/auth/refresh'), 1, 'which is asked for once');
    const name = `front-${process.pid}`;
    await one.send('POST', '/users', { body: { username: name, email: `${name}@example.com`, password: 'correct horse' } });
    const wrong = await one.signIn(name, 'wrong horse').catch(problem => problem);
    assert.deepEqual([wrong.name, wrong.status], ['invalid-credentials', 401]);
    assert.equal((await one.signIn(name, 'correct horse')).username, name);
    await later();
    assert.equal(await two.accessToken(), await one.accessToken(), 'the other tab has the token');

    /* Both tabs are loaded again. */
    const tabs = await Promise.all(['three', 'four'].map(tab => import(`./front-ends.js?${tab}`)));
    const before = countOf('/auth/refresh');
    const tokens = await Promise.all(tabs.map(tab => tab.accessToken()));
    assert(tokens.every(Boolean), 'both are signed in again');
    assert(countOf('/auth/refresh') - before <= 2);
    await later();
    assert.equal(await one.accessToken(), await two.accessToken(), 'and all agree');
    assert.equal((await one.send('GET', '/auth/sessions')).data.length, 1, 'on one session');
}

async function testFailures() {
    const problem = await one.send('POST', '/products', { body: { name: '', price: -1, colour: 'red' } }).catch(error => error);
    assert(problem instanceof one.Problem);
    assert.deepEqual([problem.name, problem.codes], ['validation-failed', { name: 'too_short', price: 'too_small', colour: 'unknown' }]);
    const unknown = await one.read('unknown').catch(error => error);
    assert.equal(unknown.name, 'product-not-found');
}

async function testLists() {
    for (const [name, price, category] of [['Green tea', 5, 'tea, loose'], ['Pot', 30, 'pots'], ['Lid', 5, 'pots'], ['Tray', 9, 'tea']]) {
        await one.send('POST', '/products', { body: { name, price, category } });
    }
    const { data, total } = await one.list({ 'category[in]': ['tea, loose', 'pots'], sort: ['-price', 'name'], limit: 2 });
    assert.deepEqual([data.map(({ name }) => name), total], [['Pot', 'Green tea'], 3]);
    assert.equal((await one.list({ category: 'tea, loose' })).total, 1);
    assert.equal((await one.list({ category: 'tea, loose', q: undefined, 'price[lt]': null })).total, 1, 'what is not set is left out');
    assert.equal(`${one.queryOf({ q: '', inStock: false, page: 0 })}`, 'q=&inStock=false&page=0', 'what is set is sent');
    assert.throws(() => one.queryOf({ 'category[in]': [] }), { name: 'RangeError', message: 'category[in] has no value' });
}

async function testChange() {
    const { data } = await one.send('POST', '/products', { body: { name: 'Kettle', price: 20 } });
    const [first, second] = await Promise.all([one.read(data.id), two.read(data.id)]);
    const shown = [];
    const done = await one.change(first, { price: 21 }, product => shown.push(product.price));
    assert.deepEqual([shown, done.isDone], [[21, 21], true]);
    const late = await two.change(second, { price: 22 }, product => shown.push(product.price));
    assert.deepEqual([shown, late.isDone], [[21, 21, 22, 21], false], 'the change of the other one is kept');
    const again = await two.change(late, { price: 22 }, () => {});
    assert.equal(again.isDone, true);
    const refused = await two.change(again, { price: -1 }, product => shown.push(product.price)).catch(error => error);
    assert.deepEqual([refused.codes, shown.slice(-2)], [{ price: 'too_small' }, [-1, 22]]);
}

/* The server still works on the part whose answer was lost. */
async function testBusyImport() {
    const through = globalThis.fetch;
    const keys = [];
    globalThis.fetch = async (target, options) => {
        keys.push(options.headers['Idempotency-Key']);
        const busy = { status: 409, headers: { 'Retry-After': '1', 'Catalog-Problem': 'idempotency-key-in-use' } };
        return keys.length === 1 ? new Response('{"message":"busy"}', busy) : through(target, options);
    };
    await one.importProducts([{ name: 'Late', price: 1, category: 'late' }]).finally(() => (globalThis.fetch = through));
    assert.equal(keys.length, 2, 'the part is sent again');
    assert.equal(keys[0], keys[1], 'with its key');
}

async function testImport() {
    const products = Array.from({ length: 10001 }, (_, i) => ({ name: `Row ${i}`, price: i, category: 'imported' }));
    const steps = [];
    await one.importProducts(products, { progress: rows => steps.push(rows) });
    assert.deepEqual(steps, [10000, 10001]);
    assert.equal((await one.list({ category: 'imported', limit: 1 })).total, 10001);
    await testBusyImport();
    const stopped = AbortSignal.abort();
    await assert.rejects(one.importProducts(products, { signal: stopped }), { name: 'AbortError' });
}

async function testProvider() {
    const { dataProvider: provider } = two;
    const pagination = { page: 1, perPage: 2 };
    const sort = { field: 'price', order: 'DESC' };
    const listed = await provider.getList('products', { pagination, sort, filter: { category: 'imported', 'price[lt]': 5000 } });
    assert.deepEqual([listed.data.map(({ price }) => price), listed.total], [[4999, 4998], 5000]);
    const byId = await provider.getList('products', { pagination, sort: { field: 'id', order: 'ASC' }, filter: { category: 'imported' } });
    assert.deepEqual(byId.data.map(({ price }) => price), [0, 1]);
    const ids = listed.data.map(({ id }) => id);
    assert.equal((await provider.getOne('products', { id: ids[0] })).data.price, 4999);
    assert.equal((await provider.getMany('products', { ids })).data.length, 2);
    assert.deepEqual((await provider.getMany('products', { ids: [] })).data, []);
    const related = await provider.getManyReference('products', { target: 'category', id: 'imported', pagination, sort, filter: {} });
    assert.equal(related.total, 10001);
    const { data } = await provider.create('products', { data: { name: 'Made', price: 1 } });
    const changed = { ...data, price: 2 };
    assert.equal((await provider.update('products', { id: data.id, data: changed, previousData: data })).data.price, 2);
    assert.equal((await provider.update('products', { id: data.id, data: changed, previousData: changed })).data.price, 2);
    assert.deepEqual((await provider.updateMany('products', { ids, data: { inStock: false } })).data, ids);
    assert.equal((await provider.getOne('products', { id: ids[1] })).data.inStock, false);
    assert.equal((await provider.delete('products', { id: data.id, previousData: changed })).data.id, data.id);
    assert.deepEqual((await provider.deleteMany('products', { ids })).data, ids);
    assert.deepEqual((await provider.getMany('products', { ids })).data, []);
}

await testPreflight();
await testSession();
await testFailures();
await testLists();
await testChange();
await testImport();
await testProvider();
await one.signOut();
await later();
assert.equal(await two.accessToken(), undefined, 'the other tab is signed out too');
console.log('the recipe of docs/front-ends.md signed in, listed, changed and imported');
process.exit(0); /* the channels between tabs are open */
