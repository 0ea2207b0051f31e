#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Keeps a copy of the products of a catalogue in step with it, in the file COPY: docs/how-to/in-step.md.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { API, KEY, COPY, PORT = 8090, SECONDS = 60 } = process.env;

async function get(path) {
    const response = await fetch(API + path, { headers: { Authorization: `Bearer ${KEY}` } });
    if (response.ok) return response;
    throw Object.assign(new Error(`${path}: ${await response.text()}`), { status: response.status });
}

const getChanges = async (since, more = '') => (await get(`/changes?since=${since}&limit=1000${more}`)).json();

async function readCopy() {
    const text = await readFile(COPY, 'utf8').catch(error => { if (error.code !== 'ENOENT') throw error; });
    return text && JSON.parse(text);
}

// The products and the number of the change from which to go on are stored together, or neither is.
async function storeCopy(copy) {
    await writeFile(`${COPY}.new`, JSON.stringify(copy), { flush: true });
    await rename(`${COPY}.new`, COPY);
}

// The number is read before the products: what is changed meanwhile is read twice, never missed.
async function makeCopy() {
    const { next } = await getChanges('end');
    const rows = (await (await get('/products/export?format=ndjson')).text()).split('\n').filter(Boolean).map(row => JSON.parse(row));
    await storeCopy({ next, products: Object.fromEntries(rows.map(product => [product.id, product])) });
    console.log(`made a new copy of ${rows.length} products`);
}

async function applyChanges(copy) {
    for (;;) {
        const { data, next } = await getChanges(copy.next, '&include=product');
        if (!data.length) return;
        for (const { id, product } of data) if (product) copy.products[id] = product; else delete copy.products[id];
        copy.next = next;
        await storeCopy(copy);
    }
}

async function comeInStep() {
    const copy = await readCopy();
    // next is 0 where nothing had been changed yet: since=0 is the beginning of what is left of the history, so no 410 would tell what is lost
    await (copy?.next ? applyChanges(copy) : makeCopy()).catch(error => {
        if (error.status !== 410) throw error;
        return makeCopy(); // the history has no longer what comes next, or is that of a restored database
    });
}

// A message of CatalogWebhook only says that it is time to look: nothing in it is used, and without it the next look does as well.
let wake;
createServer((request, response) => { wake(); request.resume(); response.writeHead(204).end(); }).listen(PORT, 'localhost');
for (;;) {
    const message = new Promise(resolve => { wake = resolve; });
    await comeInStep().catch(error => console.error(error.message));
    await Promise.race([message, sleep(SECONDS * 1000)]);
}
