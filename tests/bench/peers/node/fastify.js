// SPDX-License-Identifier: Apache-2.0
// Fastify with schemas for requests and responses, and its own JWT plugin, which caches verified tokens.
import jwt from '@fastify/jwt';
import Fastify from 'fastify';

import { claims, create, key, notFound, one, page, port, unauthorized } from './catalogue.js';

const product = {
    type: 'object',
    properties: {
        id: { type: 'string' }, name: { type: 'string' }, price: { type: 'number' }, category: { type: 'string' },
        inStock: { type: 'boolean' }, rating: { type: 'number' }, createdAt: { type: 'string' },
    },
};
const numbers = (...names) => ({ type: 'object', properties: Object.fromEntries(names.map((n) => [n, { type: 'integer' }])) });
const answer = (data, more) => ({
    type: 'object', properties: { success: { type: 'boolean' }, data, message: { type: 'string' }, ...more },
});
const failure = answer({});
const body = {
    type: 'object',
    required: ['name', 'price'],
    properties: {
        name: { type: 'string', minLength: 1, maxLength: 200 },
        price: { type: 'number', minimum: 0 },
        category: { type: 'string', maxLength: 100 },
        inStock: { type: 'boolean' },
        rating: { type: 'number', minimum: 0, maximum: 5 },
    },
};

const app = Fastify({ logger: false });
await app.register(jwt, {
    secret: key,
    verify: { algorithms: ['HS256'], allowedIss: claims.issuer, allowedAud: claims.audience, cache: true },
});

const getOptions = { schema: { response: { 200: answer(product), '4xx': failure } } };
app.get('/api/products/:id', getOptions, async (request, reply) => {
    const found = await one(request.params.id);
    if (!found) {
        reply.code(404);
    }
    return found ?? notFound;
});

const pagination = numbers('page', 'limit', 'total', 'pages');
const listOptions = { schema: { response: { 200: answer({ type: 'array', items: product }, { pagination }) } } };
app.get('/api/products', listOptions, (request) => page(request.query));

async function authenticate(request, reply) {
    try {
        await request.jwtVerify();
    } catch {
        return reply.code(401).send(unauthorized);
    }
}
const createOptions = { onRequest: authenticate, schema: { body, response: { 201: answer(product), '4xx': failure } } };
app.post('/api/products', createOptions, (request, reply) => {
    reply.code(201);
    return create(request.body);
});

await app.listen({ host: '127.0.0.1', port });
