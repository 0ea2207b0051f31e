// SPDX-License-Identifier: Apache-2.0
// better-sqlite3 with statements prepared once, on a file in WAL mode, for which it defaults to synchronous=NORMAL. With
// SYNCHRONOUS=FULL in the environment, a write is on disk before its answer.
import Database from 'better-sqlite3';

const db = new Database(process.env.DATABASE, { timeout: 5000 });
db.pragma('journal_mode = WAL');
db.pragma(`synchronous = ${process.env.SYNCHRONOUS ?? 'NORMAL'}`);

const columns = 'id, name, price, category, inStock, rating, createdAt';
const one = db.prepare(`SELECT ${columns} FROM products WHERE id = ?`);
const list = db.prepare(`SELECT ${columns} FROM products ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`);
const count = db.prepare('SELECT COUNT(*) FROM products').pluck();
const create = db.prepare('INSERT INTO products VALUES (?, ?, ?, ?, ?, ?, ?)');

export const get = (id) => one.get(id);
export const page = (limit, offset) => [list.all(limit, offset), count.get()];
export const insert = (values) => create.run(values);
