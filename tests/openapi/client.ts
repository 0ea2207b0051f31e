/* SPDX-License-Identifier: Apache-2.0 */
/* A client as a user would write it, with the types of /openapi.json: node client.js URL-OF-THE-MOUNT */
import assert from 'node:assert/strict';
import createClient, { type Middleware } from 'openapi-fetch';
import type { components, paths } from './catalog.js';

type Product = components['schemas']['Product'];

const [, , baseUrl] = process.argv;
assert(baseUrl, 'the URL of the mount');

let token = '';
const authenticate: Middleware = {
    onRequest({ request }) {
        token && request.headers.set('Authorization', `Bearer ${token}`);
        return request;
    },
};
const client = createClient<paths, 'application/json'>({ baseUrl });
client.use(authenticate);

async function signUp(): Promise<string> {
    const name = `typist-${process.pid}`;
    const body = { username: name, email: `${name}@example.com`, password: 'correct horse' };
    const { data, error } = await client.POST('/register', { body });
    assert(data, error?.message);
    const { refreshToken, user } = data;
    assert.equal(user.username, name);
    assert(refreshToken);
    token = data.token;

    const again = await client.POST('/register', { body });
    assert.equal(again.response.status, 409);
    assert.deepEqual(again.error?.errors?.map(({ field, code }) => [field, code]), [['username', 'taken'], ['email', 'taken']]);
    return refreshToken;
}

async function refresh(refreshToken: string): Promise<void> {
    const { data, error } = await client.POST('/auth/refresh', { body: { refreshToken } });
    assert(data, error?.message);
    assert.notEqual(data.refreshToken, refreshToken);
    token = data.token;
    const { data: me } = await client.GET('/auth/me');
    assert.equal(me?.data.mayWrite, true);
}

async function create(name: string, price: number): Promise<Product> {
    const { data, error } = await client.POST('/products', { body: { name, price, category: 'typed' } });
    assert(data, error?.message);
    return data.data;
}

async function list(): Promise<void> {
    await create('Red kettle', 19.99);
    await create('Red cup', 3);
    await create('Blue cup', 4);
    const { data, error } = await client.GET('/products', {
        params: {
            query: { category: 'typed', 'price[lt]': 10, 'name[in]': ['Red cup', 'Blue cup'], sort: ['-price', 'name'], fields: ['name', 'price'] },
        },
    });
    assert(data, error?.message);
    assert.deepEqual(data.data, [{ name: 'Blue cup', price: 4 }, { name: 'Red cup', price: 3 }]);
    assert.equal(data.pagination.total, 2);

    const words = await client.GET('/products', { params: { query: { q: 'red', category: 'typed', count: 'exact' } } });
    assert.deepEqual(words.data?.data.map(({ name }) => name), ['Red cup', 'Red kettle']);
    const wrong = await client.GET('/products', { params: { query: { sort: ['colour' as 'name'] } } });
    assert.equal(wrong.error?.errors?.[0]?.field, 'sort');
}

async function edit(): Promise<void> {
    const { id } = await create('Teapot', 30);
    const path = { id };
    const read = await client.GET('/products/{id}', { params: { path } });
    const tag = read.response.headers.get('ETag');
    assert(tag);
    const change = { params: { path, header: { 'If-Match': tag } }, body: { price: 27.5, rating: 4.5 } };
    const first = await client.PATCH('/products/{id}', change);
    assert.equal(first.data?.data.price, 27.5);
    const second = await client.PATCH('/products/{id}', change);
    assert.equal(second.response.status, 412);
    assert.equal(second.error?.message, 'Precondition failed');
    const cleared = await client.PUT('/products/{id}', { params: { path }, body: { rating: null } });
    assert.equal(cleared.data?.data.rating, undefined);
    const gone = await client.DELETE('/products/{id}', { params: { path } });
    assert.equal(gone.data?.success, true);
}

/* Fields of the shop's own have types of their own, and what is unique names a product. */
async function useOwnFields(): Promise<void> {
    const body = { name: 'Own', price: 1, sku: `T-${process.pid} x`, weight: 2.5, color: 'dark blue' as const, tags: ['a,b', 'typed'], box: { w: [1, null] }, about: 'Long' };
    const { data: made, error } = await client.POST('/products', { body });
    assert(made, error?.message);
    const color: string | undefined = made.data.color; /* also one that the line does not have any more */
    const tags: string[] | undefined = made.data.tags;
    const weight: number | undefined = made.data.weight;
    assert.deepEqual([color, tags, weight, made.data.box, made.data.quantity], ['dark blue', ['a,b', 'typed'], 2.5, { w: [1, null] }, undefined]);

    const query = { 'tags[all]': ['typed', 'a,b'], 'weight[gte]': 2, 'color[in]': ['red' as const, 'dark blue' as const], 'quantity[exists]': false, sort: ['-weight' as const], facets: ['color' as const, 'tags' as const] };
    const { data: found } = await client.GET('/products', { params: { query } });
    assert.deepEqual(found?.data.map(({ name, about }) => [name, about]), [['Own', undefined]]);
    assert.deepEqual(found?.facets?.color, [{ value: 'dark blue', count: 1 }]);
    assert.deepEqual(found?.facets?.tags?.map(({ value }) => value).sort(), ['a,b', 'typed']);

    const path = { id: `sku=${body.sku}` };
    const named = await client.GET('/products/{id}', { params: { path } });
    assert.equal(named.data?.data.about, 'Long');
    const taken = await client.POST('/products', { body });
    assert.deepEqual(taken.error?.errors?.map(({ field, code }) => [field, code]), [['sku', 'taken']]);
    const cleared = await client.PATCH('/products/{id}', { params: { path }, body: { weight: null, tags: [], used: true } });
    assert.deepEqual([cleared.data?.data.weight, cleared.data?.data.tags, cleared.data?.data.used], [undefined, undefined, true]);

    const changed = await client.POST('/products/batch', { body: { where: 'color=dark+blue&used=true', set: { quantity: 3 }, adjust: { price: { percent: 50 } }, expect: 1 } });
    assert.deepEqual(changed.data && 'matched' in changed.data && [changed.data.matched, changed.data.changed], [1, 1]);
    const { data: fields } = await client.GET('/fields');
    assert.deepEqual(fields?.data.find(({ name }) => name === 'color')?.values, ['red', 'green', 'dark blue']);
    const { data: values } = await client.GET('/fields/{name}/values', { params: { path: { name: 'color' } } });
    assert.deepEqual(values?.data, [{ value: 'dark blue', count: 1 }]);
}

await refresh(await signUp());
await list();
await edit();
await useOwnFields();
console.log('the client signed up, refreshed, listed, edited, and used fields of the shop\'s own');
