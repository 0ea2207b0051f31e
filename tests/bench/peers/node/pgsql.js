// SPDX-License-Identifier: Apache-2.0
// node-postgres: a pool of its default size, and named statements, which each connection prepares once. With
// COUNTER=1 in the environment, the total is read from the counter that triggers keep.
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE });
const columns = 'id, name, price, category, inStock AS "inStock", rating, createdAt AS "createdAt"';
const total = process.env.COUNTER ? 'SELECT n FROM products_counter' : 'SELECT COUNT(*) AS n FROM products';

const one = { name: 'one', text: `SELECT ${columns} FROM products WHERE id = $1` };
const list = { name: 'list', text: `SELECT ${columns} FROM products ORDER BY createdAt DESC, id DESC LIMIT $1 OFFSET $2` };
const count = { name: 'count', text: total };
const create = { name: 'create', text: 'INSERT INTO products VALUES ($1, $2, $3, $4, $5, $6, $7)' };

export const get = async (id) => (await pool.query({ ...one, values: [id] })).rows[0];
export async function page(limit, offset) {
    const [products, counted] = await Promise.all([pool.query({ ...list, values: [limit, offset] }), pool.query(count)]);
    return [products.rows, Number(counted.rows[0].n)]; // a bigint is text
}
export const insert = (values) => pool.query({ ...create, values });
