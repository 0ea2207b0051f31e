// SPDX-License-Identifier: Apache-2.0
// The catalogue that both frameworks serve: statements prepared once, on a database in WAL mode, for which better-sqlite3 defaults to
// synchronous=NORMAL. With SYNCHRONOUS=FULL in the environment, a write is on disk before its answer.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';

const db = new Database(process.env.FILE, { timeout: 5000 });
db.pragma('journal_mode = WAL');
db.pragma(`synchronous = ${process.env.SYNCHRONOUS ?? 'NORMAL'}`);

const columns = 'id, name, price, category, inStock, rating, createdAt';
const get = db.prepare(`SELECT ${columns} FROM products WHERE id = ?`);
const list = db.prepare(`SELECT ${columns} FROM products ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`);
const count = db.prepare('SELECT COUNT(*) FROM products').pluck();
const insert = db.prepare('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)');

// JSON omits an undefined field, which costs less than deleting it.
function productOf({ id, name, price, category, inStock, rating, createdAt }) {
    return { id, name, price, category, inStock: inStock === 1, rating: rating ?? undefined, createdAt };
}

export function one(id) {
    const row = get.get(id);
    return row && { success: true, data: productOf(row) };
}

function positive(text, otherwise) {
    const number = Number(text);
    return Number.isInteger(number) && number > 0 ? number : otherwise;
}

export function page(query) {
    const page = positive(query.page, 1);
    const limit = Math.min(positive(query.limit, 10), 100);
    const data = list.all(limit, (page - 1) * limit).map(productOf);
    const total = count.get();
    return { success: true, data, pagination: { page, limit, total, pages: Math.ceil(total / limit) } };
}

// body: already validated.
export function create({ name, price, category = '', inStock = true, rating }) {
    const product = { id: randomUUID(), name, price, category, inStock, rating, createdAt: new Date().toISOString() };
    insert.run(product.id, name, price, category, inStock ? 1 : 0, rating ?? null, product.createdAt);
    return { success: true, data: product, message: 'Product created' };
}

export const notFound = { success: false, message: 'Product not found' };
export const unauthorized = { success: false, message: 'Authentication required' };
export const port = Number(process.env.PORT);
export const key = process.env.KEY;
export const claims = { issuer: 'mod_catalog', audience: 'catalog' };
