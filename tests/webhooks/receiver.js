// SPDX-License-Identifier: Apache-2.0
// Receives webhooks, and verifies each with the published library of Standard Webhooks, as a receiver in production would:
//   node receiver.js SECRET-FILE LOG [PORT]
// Prints its port once it listens. Each request is a line of LOG: { path, headers, body, verified (the body as the library returns
// it), error, at (seconds) }. What a path answers is the first part of its name, such as /500/a; POST /-/PATH changes it to what
// the body says:
//   ok · a status, perhaps with Retry-After (503:2) · redirect · slow:SECONDS · hang · reset · large · drip (a status, then a body without end)
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const [secretFile, log, port = 0] = process.argv.slice(2);
const webhook = new Webhook(readFileSync(secretFile, 'utf8').trim().split('\n')[0]);
const chosen = new Map();

const answers = {
    ok: response => response.writeHead(204).end(),
    redirect: (response, _, url) => response.writeHead(302, { Location: `http://${url}/ok/redirected` }).end(),
    slow: (response, seconds) => setTimeout(() => response.writeHead(200).end('{}'), seconds * 1000),
    hang: () => {},
    reset: response => response.socket.resetAndDestroy?.() ?? response.socket.destroy(),
    large: response => response.writeHead(200).end('x'.repeat(10_000_000)),
    drip: response => { response.writeHead(200); setInterval(() => response.write('x'), 100).unref(); },
};

function answer(response, how, host) {
    const [name, argument] = how.split(':');
    if (answers[name]) return answers[name](response, argument, host);
    response.writeHead(Number(name), argument ? { 'Retry-After': argument } : {}).end('refused');
}

function verify(body, headers) {
    try {
        return { verified: webhook.verify(body, headers) };
    } catch (error) {
        return { error: `${error.name}: ${error.message}` };
    }
}

const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', piece => pieces.push(piece));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
        const body = Buffer.concat(pieces).toString();
        const { url: path, headers, method } = request;
        if (path.startsWith('/-/')) {
            chosen.set(path.slice(2), body);
            response.writeHead(204).end();
            return;
        }
        appendFileSync(log, `${JSON.stringify({ path, method, headers, body, at: Date.now() / 1000, ...verify(body, headers) })}\n`);
        answer(response, chosen.get(path) ?? path.split('/')[1], headers.host);
    });
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
