/* SPDX-License-Identifier: Apache-2.0 */
/* The servers under test: httpd as `make run` starts it, and a real SMTP server. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const top = fileURLToPath(new URL('../../', import.meta.url));
const PATIENCE = 90_000; /* ms in which a mail comes, on a busy machine too */

function isBound(socket, bind) {
    return new Promise(resolve => {
        socket.once('error', () => resolve(false));
        bind(() => resolve(true));
    });
}

/*
 * A free port. The kernel gives higher ones to clients, and a UDP socket, open until this process ends, reserves the number against
 * other files of stories.
 */
async function freePort() {
    for (;;) {
        const port = randomInt(10_000, 30_000);
        const mark = createSocket('udp4').unref();
        const probe = createServer();
        const isFree =
            (await isBound(mark, done => mark.bind(port, '127.0.0.1', done))) &&
            (await isBound(probe, done => probe.listen(port, '127.0.0.1', done)));
        if (isFree) {
            await new Promise(resolve => probe.close(resolve));
            return port;
        }
    }
}

/*
 * fetch() on a connection of its own: httpd may close one that was kept at the moment at which a request is written to it, after a pause
 * of some seconds such as steps in a browser take on a busy machine.
 */
export const ask = (url, { headers, ...options }) => fetch(url, { ...options, headers: { ...headers, Connection: 'close' } });

/* Starts a program that ends with this one. Resolves to it and to the first match in its output. */
function run(command, pattern, env = {}) {
    const options = { cwd: top, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] };
    const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], options);
    return new Promise((resolve, reject) => {
        child.on('error', reject);
        child.on('exit', code => reject(new Error(`${command.join(' ')} ended with ${code}`)));
        createInterface(child.stdout).on('line', line => {
            const match = pattern.exec(line);
            match && resolve({ child, match });
        });
    });
}

function end(child) {
    return new Promise(resolve => {
        child.on('exit', resolve);
        child.kill('SIGTERM');
    });
}

/* A picture in PPM: something round before a wall. */
function paint(width, height, hue) {
    const pixels = Buffer.alloc(width * height * 3);
    const radius = Math.min(width, height) * 0.36;
    const tone = [0, 1, 2].map(i => 0.55 + 0.35 * Math.cos(((hue + 120 * i) * Math.PI) / 180));
    for (let y = 0, at = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const far = Math.hypot(x - width / 2, y - height * 0.55) / radius;
            const light = far < 1 ? 0.35 + 0.5 * Math.sqrt(1 - far * far) : 0.8 + 0.2 * (1 - y / height);
            tone.forEach(part => (pixels[at++] = Math.min(255, 255 * light * (far < 1 ? part : 0.5 + part / 2))));
        }
    }
    return Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), pixels]);
}

/* An empty page at an origin of its own. localhost, a name below it and 127.0.0.1 are three sites. */
function foreignPage(host) {
    return new Promise((resolve, reject) => {
        const server = createWebServer((request, response) =>
            response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
        ).on('error', reject);
        server.listen(0, '127.0.0.1', () => {
            server.unref();
            resolve(`http://${host}:${server.address().port}`);
        });
    });
}

/* A mail with its text in clear. */
function textOf(mail) {
    const [head, body] = mail.split(/\r\n\r\n(.*)/s);
    return /^Content-Transfer-Encoding: base64/m.test(head) ? `${head}\r\n\r\n${Buffer.from(body, 'base64')}` : mail;
}

/* The last part of conf/catalog.conf, as an administrator uncomments it, with the pages below another root. */
function pagesAsInstalled(root) {
    const [, part] = readFileSync(join(top, 'conf/catalog.conf'), 'utf8').split('# ---- The pages ----\n');
    const lines = part.split('# ---- ')[0].split('\n');
    return lines
        .filter(line => /^#(?! \S)/.test(line))
        .map(line => line.slice(1))
        .join('\n')
        .replaceAll('/usr/share/mod_catalog', `${root}/usr/share/mod_catalog`);
}

function host(port, lines, more = '') {
    return `
Listen 127.0.0.1:${port}
<VirtualHost 127.0.0.1:${port}>
    <Location "/api">
        ${lines}
    </Location>
    ${more}
</VirtualHost>
`;
}

/* Browsers accept a cookie for other sites only with Secure, and so over HTTPS. */
function overseas(home, friend) {
    return [
        `CatalogAllowOrigin ${friend}\n        CatalogCookieSameSite None`,
        `SSLEngine On\n    SSLCertificateFile "${home}/cert.pem"\n    SSLCertificateKeyFile "${home}/cert.key"`,
    ];
}

function makeCertificate(home) {
    const files = ['-keyout', join(home, 'cert.key'), '-out', join(home, 'cert.pem')];
    const options = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'];
    execFileSync('openssl', ['req', ...options, '-addext', 'subjectAltName=IP:127.0.0.1', ...files], { stdio: 'ignore' });
}

/* Fields of each type, some of which have names that elements of a page, forms and objects have, too. */
const SHOP = `
        CatalogField sku         string   unique max=32 label="Article number"
        CatalogField description text     search detail label="Description"
        CatalogField brand       string   index facet search label="Brand"
        CatalogField tags        strings  index facet label="Tags"
        CatalogField weight      number   index min=0 label="Weight" help="In kilograms, with packaging"
        CatalogField quantity    integer  index min=0 max=9000 label="Quantity"
        CatalogField color       choice   facet values="red|green|dark blue" label="Colour"
        CatalogField published   boolean  index default=true label="Published"
        CatalogField vegan       boolean  label="Vegan"
        CatalogField homepage    url      label="Page of the maker"
        CatalogField harvested   date     label="Harvested"
        CatalogField seen        time     label="Last seen"
        CatalogField specs       json     detail label="Specifications"
        CatalogField cost        number   private min=0 label="Cost"
        CatalogField status      string   label="State"
        CatalogField title       string   label="Title of the book"
        CatalogField elements    string
        CatalogField children    boolean  label="For children"
        CatalogField constructor string   max=20 label="Built by"
        CatalogField updatedAt   modified index label="Last changed"
        CatalogImages            On
        CatalogImageCache        "\${DATA}/images"
        CatalogVisible           inStock=true
        CatalogCurrency          EUR
        CatalogImages            On
        CatalogImageCache        "\${DATA}"
        CatalogAudience          shop
        CatalogDatabase          sqlite3 "\${DATA}/shop.db"`;

/* Virtual hosts at other ports. Without limits, which the tests would reach, and time for lists on a busy machine. */
function settings(ports, friends, home, root) {
    return (
        'LoadModule ssl_module "${MODULES}/mod_ssl.so"\nCatalogQueryTimeout 60\n' +
        '<Location "/api">\n    CatalogRateLimit Off\n</Location>\n' +
        host(ports.editors, 'CatalogWriteRole editor') +
        host(ports.abroad, `CatalogAllowOrigin ${friends.join(' ')}`) +
        host(ports.overseas, ...overseas(home, friends[0])) +
        host(ports.plain, 'CatalogIndex none\n        CatalogAudience plain\n        CatalogDatabase sqlite3 "${DATA}/plain.db"') +
        host(ports.shop, SHOP) +
        host(ports.installed, 'CatalogCurrency EUR', pagesAsInstalled(root))
    );
}

export class Server {
    async start(module) {
        const port = await freePort();
        const ports = {};
        for (const name of ['editors', 'abroad', 'overseas', 'plain', 'shop', 'installed']) {
            ports[name] = await freePort();
        }

        this.module = module;
        this.home = mkdtempSync('/tmp/catalog-browser.');
        this.url = `http://127.0.0.1:${port}`;
        this.editorsUrl = `http://127.0.0.1:${ports.editors}`;
        this.abroadUrl = `http://127.0.0.1:${ports.abroad}/api`;
        this.overseasUrl = `https://127.0.0.1:${ports.overseas}/api`; /* its cookie is for pages of other sites, too */
        this.plainUrl = `http://127.0.0.1:${ports.plain}`; /* has no index of anything, and a database of its own */
        this.shopUrl = `http://127.0.0.1:${ports.shop}`; /* has fields of its own, and a database of its own */
        this.installedUrl = `http://127.0.0.1:${ports.installed}`; /* at /catalogue/, from make install; prices in EUR */
        this.friend = await foreignPage('localhost');
        this.neighbour = await foreignPage('127.0.0.1');
        this.stranger = await foreignPage('127.0.0.1');
        this.foreigner = await foreignPage('foreigner.localhost');
        this.maildir = join(this.home, 'mail');
        const smtp = await run(
            ['/usr/bin/python3', 'tests/smtp/server.py', '--maildir', this.maildir],
            /^(\d+)$/,
        );
        this.smtp = smtp.child;
        const root = join(this.home, 'root');
        this.ownDirectory = join(root, 'usr/share/mod_catalog/www/own'); /* of installedUrl */
        chmodSync(this.home, 0o755); /* for the server's children */
        execFileSync(join(top, 'tools/install'), ['build'], { cwd: top, env: { ...process.env, DESTDIR: root } });
        makeCertificate(this.home);
        writeFileSync(join(this.home, 'include.conf'), settings(ports, [this.friend, this.neighbour], this.home, root));
        this.#makeCache(join(this.home, 'data/images'), join(this.home, 'data'));
        this.env = {
            PORT: port,
            DATA: join(this.home, 'data'),
            MPM: process.env.MPM || 'event',
            SMTP: `smtp://127.0.0.1:${smtp.match[1]}`,
            INCLUDE: join(this.home, 'include.conf'),
            LD_PRELOAD: join(dirname(resolve(this.module)), 'tests/preload/argon2.so'), /* hashes passwords quickly */
        };
        await this.resume();
    }

    /* The directory for pictures, which belongs to the server's children. */
    #makeCache(directory, data) {
        const owner = process.getuid() === 0 ? ['-o', 'www-data', '-g', 'www-data'] : [];
        execFileSync('install', ['-d', ...owner, data, directory]);
    }

    async resume() {
        this.httpd = (await run(['tools/run', this.module], /^mod_catalog serves/, this.env)).child;
    }

    /* Starts the shop of `make demo`, whose products can have pictures here. Resolves to { url, admin: a user, stop() }. */
    async startDemo() {
        const PORT = await freePort();
        const [DATA, INCLUDE] = ['demo', 'demo.conf'].map(name => join(this.home, name));
        const images = join(DATA, 'images');
        const lines = `<Location "/api">\n    CatalogImages On\n    CatalogImageCache "${images}"\n    CatalogRateLimit Off\n</Location>\n`;
        this.#makeCache(images, DATA);
        writeFileSync(INCLUDE, `Include "${join(top, 'conf/examples/demo/shop.conf')}"\n${lines}`);
        const env = { ...this.env, PORT, DATA, INCLUDE, SHOP: 'conf/examples/demo' };
        const { child, match } = await run(['tools/run', this.module], /^ {2}admin +(\S+)$/, env);
        return { url: `http://127.0.0.1:${PORT}`, admin: { username: 'admin', password: match[1] }, stop: () => end(child) };
    }

    async pause() {
        await end(this.httpd);
        this.httpd = null;
    }

    async stop() {
        await Promise.all([this.httpd, this.smtp].filter(child => child).map(end));
        const log = readFileSync(join(this.env.DATA, 'logs/error_log'), 'utf8').split('\n');
        rmSync(this.home, { recursive: true });
        assert.deepEqual(
            log.filter(line => /:(error|crit|alert|emerg)\]|exit signal/.test(line)),
            [],
        );
    }

    /* Sets up what a test needs but does not check. */
    async api(method, path, body, token, url = this.url) {
        const headers = {
            'Content-Type': 'application/json',
            ...(token && { Authorization: `Bearer ${token}` }),
        };
        const response = await ask(`${url}/api${path}`, {
            method,
            headers,
            body: JSON.stringify(body),
        });
        if (!response.ok) {
            throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
        }
        return response.json();
    }

    /* Sends a picture of a product of the shop: a JPEG of that size, in tones of a hue. Returns what the server says of it. */
    async addPicture(product, { width, height, hue = 0, alt = '' }, token, url = this.shopUrl) {
        const from = join(this.home, 'picture.ppm');
        const to = join(this.home, 'picture.jpg');
        const zoom = [4, 2, 1].find(times => width % times === 0 && height % times === 0);
        writeFileSync(from, paint(width / zoom, height / zoom, hue)); /* small, as vips enlarges it sooner than it is painted */
        execFileSync('vips', ['zoom', from, to, `${zoom}`, `${zoom}`]);
        const response = await ask(`${url}/api/products/${product.id}/images?${new URLSearchParams({ alt })}`, {
            method: 'POST',
            headers: { 'Content-Type': 'image/jpeg', Authorization: `Bearer ${token}` },
            body: readFileSync(to),
        });
        assert.equal(response.status, 201, await response.clone().text());
        return (await response.json()).data;
    }

    async register(username, url = this.url) {
        const user = { username, email: `${username}@example.com`, password: `the password of ${username}` };
        const answer = await this.api('POST', '/register', user, undefined, url);
        return { ...user, id: answer.user.id, token: answer.token };
    }

    /* Runs catalogctl. database: its file's name. */
    ctl(words, database = 'catalog.db') {
        const where = ['--driver', 'sqlite3', '--params', join(this.env.DATA, database)];
        execFileSync(join(dirname(this.module), 'catalogctl'), [...where, ...words], { cwd: top });
    }

    /* Writes the static pages of the first catalogue to the directory. They are to be served at /p/. */
    exportPages(directory) {
        execFileSync(join(top, 'conf/examples/static-pages'), ['--brand', 'Fernhill Tea', `${this.url}/api`, this.url, directory]);
    }

    /* Makes the user an administrator, which ends the user's sessions. */
    promote({ username }, database) {
        this.ctl(['user', 'role', username, 'admin'], database);
    }

    /* Puts a mail to the user into the queue that was given up, for that reason. Returns its id. */
    bury(user, error = 'the server answered 550 to the message') {
        return this.#queue(user, 'dead', error);
    }

    /* Puts a mail to the user into the queue that waits for another attempt, until 2100. Returns its id. */
    putOff(user, error) {
        return this.#queue(user, 'pending', error);
    }

    #queue({ id }, status, error) {
        const mail = `01a206e3-5c16-7420-9973-${randomBytes(6).toString('hex')}`;
        const insert = `
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as db:
    db.execute("INSERT INTO outbox (id, template, user_id, state, attempts, next_at, created_at, error)"
        " VALUES (?, 'confirm', ?, ?, 3, 4102444800000, 1763717400000, ?)", sys.argv[2:])`;
        execFileSync('/usr/bin/python3', ['-c', insert, join(this.env.DATA, 'catalog.db'), mail, id, status, error]);
        return mail;
    }

    /* Waits for a new mail to the address with a link to that page; returns a link only once. */
    async mailedLink(address, page) {
        return /http:\S+/.exec(await this.mailedText(address, page))[0];
    }

    /* The same, with the text of the mail. */
    mailedText(address, page) {
        return this.mailed(address, text => text.includes(`${this.url}/${page}#`));
    }

    /* Waits for a new mail to the address of which that is true, and returns it once. */
    async mailed(address, isWanted) {
        const end = Date.now() + PATIENCE;
        const read = file => textOf(readFileSync(join(this.maildir, file), 'utf8'));
        const isTheirs = text => text.startsWith(`X-RcptTo: ${address}\r\n`) && isWanted(text);

        this.seen ??= new Set();
        while (Date.now() < end) {
            const files = readdirSync(this.maildir).filter(file => file.endsWith('.eml') && !this.seen.has(file));
            const name = files.sort().findLast(file => isTheirs(read(file)));
            if (name) {
                this.seen.add(name);
                return read(name);
            }
            await new Promise(resolve => setTimeout(resolve, 100));
        }
        throw new Error(`no such mail to ${address}`);
    }
}
