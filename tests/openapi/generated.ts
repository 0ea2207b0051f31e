/* SPDX-License-Identifier: Apache-2.0 */
/* The client that hey-api makes of /openapi.json, with its defaults: node generated.js URL-OF-THE-MOUNT */
import assert from 'node:assert/strict';
import { client } from './hey/client.gen.js';
import { createProduct, getProduct, listProducts, getAccount, register, updateProduct } from './hey/sdk.gen.js';
import type { FieldError, Product } from './hey/types.gen.js';

const [, , baseUrl] = process.argv;
assert(baseUrl, 'the URL of the mount');

let token = '';
client.setConfig({ baseUrl, auth: () => token });

async function signUp(): Promise<void> {
    const name = `hey-${process.pid}`;
    const { data, error } = await register({ body: { username: name, email: `${name}@example.com`, password: 'correct horse' } });
    assert(data, error?.message);
    token = data.token;
    const me = await getAccount();
    const role: 'user' | 'editor' | 'admin' | undefined = me.data?.data.role;
    assert.equal(role, 'user');
}

async function create(name: string, price: number, category: string): Promise<Product> {
    const { data, error } = await createProduct({ body: { name, price, category, rating: null } });
    assert(data, error?.message);
    return data.data;
}

/* Members of a product need no checks, and arrays no serializer. */
async function list(): Promise<void> {
    const cup = await create('Cup', 3, 'hey, you');
    await create('Bowl', 3, 'hey');
    const { data, response } = await listProducts({
        query: { 'category[in]': ['hey, you', 'hey'], sort: ['-price', 'name'], fields: ['name', 'category'], count: 'exact' },
    });
    assert.deepEqual(data?.data.map(product => product.name.toUpperCase()), ['BOWL', 'CUP']);
    assert.equal(response?.headers.get('X-Total-Count'), '2');
    const one = await getProduct({ path: { id: cup.id }, query: { fields: ['name', 'price'] } });
    assert.deepEqual(one.data?.data, { name: 'Cup', price: 3 });
}

async function fail(): Promise<void> {
    const { id } = await create('Pot', 1, '');
    const { error, response } = await updateProduct({ path: { id }, body: { price: -1 } });
    const code: FieldError['code'] | undefined = error?.errors?.[0]?.code;
    assert.equal(code, 'too_small');
    assert.equal(response?.headers.get('Catalog-Problem'), 'validation-failed');
}

async function useOwnFields(): Promise<void> {
    const sku = `HEY-${process.pid}`;
    const made = await createProduct({ body: { name: 'Own', price: 1, sku, color: 'green', tags: ['hey, you', 'x'], seen: '2026-11-21T10:30:00+01:00' } });
    const color: string | undefined = made.data?.data.color;
    assert.deepEqual([color, made.data?.data.tags], ['green', ['hey, you', 'x']], made.error?.message);
    const { data } = await listProducts({ query: { 'tags[in]': ['hey, you', 'none'], 'color': 'green', sort: ['-seen'] } });
    assert.deepEqual(data?.data.map(product => product.sku), [sku]);
    const one = await getProduct({ path: { id: `sku=${sku}` } });
    assert.equal(one.data?.data.name, 'Own');
    const { error } = await updateProduct({ path: { id: `sku=${sku}` }, body: { sku: 'hey' } });
    assert.deepEqual(error?.errors?.map(({ field, code }) => [field, code]), [['sku', 'format']]);
}

await signUp();
await list();
await fail();
await useOwnFields();
console.log('the generated client signed up, listed, was refused, and used fields of the shop\'s own');
