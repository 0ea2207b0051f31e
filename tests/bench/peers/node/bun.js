// SPDX-License-Identifier: Apache-2.0
// Bun's own server with routes, one process, and the verifier of @fastify/jwt, which caches verified tokens.
import { createVerifier } from 'fast-jwt';

import { claims, create, isProduct, key, notFound, one, page, port, unauthorized } from './catalogue.js';

const verify = createVerifier({ key, algorithms: ['HS256'], allowedIss: claims.issuer, allowedAud: claims.audience, cache: true });

function isAuthentic(request) {
    const [scheme, token] = (request.headers.get('Authorization') ?? '').split(' ');
    try {
        return scheme === 'Bearer' && Boolean(verify(token));
    } catch {
        return false;
    }
}

async function list(request) {
    return Response.json(await page(Object.fromEntries(new URL(request.url).searchParams)));
}

async function post(request) {
    if (!isAuthentic(request)) {
        return Response.json(unauthorized, { status: 401 });
    }
    const product = await request.json().catch(() => null);
    return isProduct(product ?? undefined)
        ? Response.json(await create(product), { status: 201 })
        : Response.json({ success: false, message: 'Validation failed' }, { status: 400 });
}

async function get(request) {
    const found = await one(request.params.id);
    return found ? Response.json(found) : Response.json(notFound, { status: 404 });
}

Bun.serve({ hostname: '127.0.0.1', port, routes: { '/api/products/:id': { GET: get }, '/api/products': { GET: list, POST: post } } });
