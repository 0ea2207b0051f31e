// SPDX-License-Identifier: Apache-2.0
// The catalogue that Fastify, Express and Bun serve. DRIVER in the environment is one of the modules sqlite, pgsql, mysql, bun-sqlite,
// bun-own and bun-sql, which have the statements; plain.js sets none. DATABASE is the file or the URL.
import { randomUUID } from 'node:crypto';

const database = process.env.DRIVER && await import(`./${process.env.DRIVER}.js`);

// JSON omits an undefined field, which costs less than deleting it.
function productOf({ id, name, price, category, inStock, rating, createdAt }) {
    return { id, name, price, category, inStock: Boolean(inStock), rating: rating ?? undefined, createdAt };
}

export async function one(id) {
    const row = await database.get(id);
    return row && { success: true, data: productOf(row) };
}

function positive(text, otherwise) {
    const number = Number(text);
    return Number.isInteger(number) && number > 0 ? number : otherwise;
}

export const page = (query) => pageOf(query, database.page);

// read(limit, offset) returns the rows and the total.
export async function pageOf(query, read) {
    const page = positive(query.page, 1);
    const limit = Math.min(positive(query.limit, 10), 100);
    const [rows, total] = await read(limit, (page - 1) * limit);
    const data = rows.map(productOf);
    return { success: true, data, pagination: { page, limit, total, pages: Math.ceil(total / limit) } };
}

// Fastify has a schema for this.
export function isProduct({ name, price, category = '', inStock = true, rating = 0 } = {}) {
    return typeof name === 'string' && name.length >= 1 && name.length <= 200 && Number.isFinite(price) && price >= 0
        && typeof category === 'string' && category.length <= 100 && typeof inStock === 'boolean'
        && Number.isFinite(rating) && rating >= 0 && rating <= 5;
}

// body: already validated. own: further fields, which bun-own.js stores.
export async function create({ name, price, category = '', inStock = true, rating, ...own }) {
    const product = { id: randomUUID(), name, price, category, inStock, rating, createdAt: new Date().toISOString(), ...own };
    await database.insert([product.id, name, price, category, inStock ? 1 : 0, rating ?? null, product.createdAt], own);
    return { success: true, data: product, message: 'Product created' };
}

export const notFound = { success: false, message: 'Product not found' };
export const unauthorized = { success: false, message: 'Authentication required' };
export const port = Number(process.env.PORT);
export const key = process.env.KEY;
export const claims = { issuer: 'mod_catalog', audience: 'catalog' };
