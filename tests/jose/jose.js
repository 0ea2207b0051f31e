// SPDX-License-Identifier: Apache-2.0
// Makes and checks tokens with an independent implementation. Reads one JSON request per line on stdin; writes one answer per
// line on stdout, the result or { error: ... }. Keys come on stdin, so that none is on a command line.
//   a key is one of { secret: text }, { private: PEM }, { public: PEM }, { jwk: {...} }, { jwks: URL }
import { createInterface } from 'node:readline';
import * as jose from 'jose';

const bytes = text => new TextEncoder().encode(text);

async function importKey(key, alg) {
    if (key.secret !== undefined) return bytes(key.secret);
    if (key.private) return jose.importPKCS8(key.private, alg);
    if (key.public) return jose.importSPKI(key.public, alg);
    if (key.jwk) return jose.importJWK(key.jwk, alg);
    return jose.createRemoteJWKSet(new URL(key.jwks));
}

const actions = {
    async generate({ alg }) {
        const { privateKey, publicKey } = await jose.generateKeyPair(alg, { extractable: true });
        return {
            private: await jose.exportPKCS8(privateKey),
            public: await jose.exportSPKI(publicKey),
            jwk: await jose.exportJWK(publicKey),
        };
    },

    // header.crit may name anything; payload, if given, is signed as it is.
    async sign({ header, claims, payload, key }) {
        const crit = Object.fromEntries((header.crit ?? []).map(name => [name, true]));
        const token = await new jose.CompactSign(bytes(payload ?? JSON.stringify(claims)))
            .setProtectedHeader(header)
            .sign(await importKey(key, header.alg), { crit });
        return { token };
    },

    async verify({ token, key, options }) {
        const imported = await importKey(key, options.algorithms[0]);
        const { payload, protectedHeader } = await jose.jwtVerify(token, imported, options);
        return { claims: payload, header: protectedHeader };
    },

    async encrypt({ header, payload, key }) {
        const token = await new jose.CompactEncrypt(bytes(payload))
            .setProtectedHeader(header)
            .encrypt(await importKey(key, header.alg));
        return { token };
    },
};

for await (const line of createInterface({ input: process.stdin })) {
    const { action, ...request } = JSON.parse(line);
    const failure = error => ({ error: `${error.code ?? error.name}: ${error.message}` });
    const answer = await actions[action](request).catch(failure);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
}
