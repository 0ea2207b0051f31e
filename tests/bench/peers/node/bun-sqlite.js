// SPDX-License-Identifier: Apache-2.0
// bun:sqlite with statements prepared once, on a file in WAL mode. A write is on disk before its answer.
import { Database } from 'bun:sqlite';

const db = new Database(process.env.DATABASE);
db.run('PRAGMA busy_timeout = 5000');
db.run('PRAGMA journal_mode = WAL');
db.run('PRAGMA synchronous = FULL');

const columns = 'id, name, price, category, inStock, rating, createdAt';
const one = db.query(`SELECT ${columns} FROM products WHERE id = ?`);
const list = db.query(`SELECT ${columns} FROM products ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`);
const count = db.query('SELECT COUNT(*) AS n FROM products');
const create = db.query('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)');

export const get = (id) => one.get(id);
export const page = (limit, offset) => [list.all(limit, offset), count.get().n];
export const insert = (values) => create.run(...values);
