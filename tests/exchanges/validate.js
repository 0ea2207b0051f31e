/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares recorded requests and answers with the descriptions of their servers: node validate.js DIR
 * DIR has what t/lib/CatalogTest/Exchange.pm writes. Names each test file and request that differs, and ends with 1 if any does.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const SHOWN = 40; /* faults */

/* Codes of errors that a schema expresses: a request that got one must not be valid. */
const EXPRESSED = new Set(['required', 'type', 'null', 'too_short', 'too_long', 'too_small', 'too_large', 'blank', 'choice']);

/* Faults that no schema expresses: what the description says of them in words. Each reads a query as [name, value] pairs. */
const OCTETS_MOST = 8192;
const OCTETS_FREE = 64; /* what the server may write besides what was sent: a limit, a count */
const IN_WORDS = {
    'parameters too_long': query => canonicalLength(query) + OCTETS_FREE > OCTETS_MOST,
    ' required': (query, body, properties) => !Object.keys(properties).some(name => Object.hasOwn(body, name)),
    'login required': (query, body) => !['login', 'username', 'email'].some(name => Object.hasOwn(body, name)),
    ' too_long': () => true, /* the stored product with what was sent */
    'set required': (query, body) => (body.set ? Object.keys(body.set).length === 0 : body.adjust === undefined && body.delete !== true),
    'where required': (query, body) => [...new URLSearchParams(body.where)].every(([name, value]) => name === '' || value === ''),
    'prefix type': query => query.some(([name]) => name === 'prefix'), /* of the values of a field of numbers */
    'sort required': query => !query.some(([name]) => name === 'q'),
    'q blank': query => !/[\p{L}\p{N}]/u.test((query.find(([name]) => name === 'q')?.[1] ?? '').normalize('NFKD')),
};

/* Lists of values, of which one must not be empty: the description says so in words. */
const LIST = /\[(in|all)\]$/;

const IGNORED_MOST = 20; /* names in Catalog-Ignored */

/* What is no integer counts as absent, and too large a limit as the largest: they are forgiven, so not all that is served is valid. */
const FORGIVEN = new Set(['page', 'limit']);

/* Each validator reads few values, so its code is not worth optimizing. */
const newAjv = () => addFormats(new Ajv2020({ strict: false, validateSchema: false, allErrors: false, unicodeRegExp: false, meta: false, code: { optimize: false } }));

/* A copy in which objects have no member that is not described. */
function close(value) {
    if (Array.isArray(value)) {
        return value.map(close);
    }
    if (value === null || typeof value !== 'object') {
        return value;
    }
    const copy = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, close(member)]));
    return copy.type === 'object' && copy.properties && !('additionalProperties' in copy)
        ? { ...copy, additionalProperties: false }
        : copy;
}

/* The same, for an answer to a request with "fields": a product has none but those. */
function reduce({ components: { schemas } }) {
    const { required, ...Product } = schemas.Product;
    return { components: { schemas: { ...schemas, Product } } };
}

/* Compiles what refers to the same named schemas. Servers have many descriptions, most of which have these in common. */
class Schemas {
    static all = new Map();

    static of(document) {
        const text = JSON.stringify(document.components.schemas);
        if (!Schemas.all.has(text)) {
            Schemas.all.set(text, new Schemas(document.components.schemas));
        }
        return Schemas.all.get(text);
    }

    constructor(schemas) {
        const components = { components: { schemas } };
        this.open = newAjv().addSchema(components, 'description');
        this.part = newAjv().addSchema(close(reduce(components)), 'description');
        this.closed = newAjv().addSchema(close(components), 'description');
        this.validators = new Map();
    }

    compile(kind, schema) {
        const text = JSON.stringify(schema).replaceAll('"#/components/', '"description#/components/');
        const key = `${kind} ${text}`;
        if (!this.validators.has(key)) {
            const standalone = JSON.parse(text);
            this.validators.set(key, this[kind].compile(kind === 'open' ? standalone : close(standalone)));
        }
        return this.validators.get(key);
    }
}

class Description {
    constructor(text) {
        const document = JSON.parse(text);
        this.document = document;
        this.schemas = Schemas.of(document);
        this.validators = { open: new Map(), closed: new Map(), part: new Map() };
        this.operations = [];
        for (const item of Object.values(document.paths).flatMap(Object.values)) {
            item.responses = Object.fromEntries(Object.entries(item.responses).map(([status, response]) => [status, this.resolve(response)]));
        }
        for (const [path, item] of Object.entries(document.paths)) {
            const pattern = new RegExp(`^${path.replace(/[.]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}/?$`);
            const rank = path.includes('{') ? 1 : 0;
            for (const [method, operation] of Object.entries(item)) {
                this.operations.push({ method: method.toUpperCase(), path, pattern, rank, operation });
            }
        }
        this.operations.sort((one, other) => one.rank - other.rank);
        this.statuses = new Set(this.operations.flatMap(({ operation }) => Object.keys(operation.responses)));
    }

    resolve(value) {
        if (!value?.$ref) {
            return value;
        }
        const [, , kind, name] = value.$ref.split('/');
        return this.document.components[kind][name];
    }

    find(method, path) {
        return this.operations.find(row => row.method === method && row.pattern.test(path));
    }

    /* The fault of a value, or null. closed: members that are not described are faults; part: so, but of some fields of products. */
    check(kind, schema, value) {
        const validators = this.validators[kind];
        if (!validators.has(schema)) {
            validators.set(schema, this.schemas.compile(kind, schema));
        }
        const validate = validators.get(schema);
        return validate(value) ? null : this.schemas[kind].errorsText(validate.errors, { dataVar: '' });
    }

    messages(response) {
        const examples = response?.content?.['application/json']?.examples ?? {};
        return Object.values(examples).map(example => this.resolve(example).value.message);
    }
}

/* The server normalizes passwords before it counts their characters. */
const prepare = (name, value) => typeof value === 'string' && /password$/i.test(name) ? value.normalize('NFC') : value;
const parseJson = bytes => JSON.parse(Buffer.from(bytes, 'latin1').toString('utf8'), prepare);
const isJson = type => /^application\/(.+\+)?json$/.test(type);
const mediaType = text => (text ?? '').split(';')[0].trim().toLowerCase();

/* ---- answers ---- */

/* The header names one of the problems that the status has, or that of a status that another module has chosen. */
function checkProblem(description, responses, x) {
    const name = x.answered['catalog-problem'];
    if (!name) {
        return ['the failure has no Catalog-Problem'];
    }
    const known = [responses[x.status], responses.default].flatMap(response =>
        Object.keys(response?.content?.['application/json']?.examples ?? {}),
    );
    return name !== 'about:blank' && !known.includes(name) ? [`"${name}" is no problem of status ${x.status} that is described`] : [];
}

function checkFailure(description, responses, x, body) {
    const message = body.message ?? body.title;
    const declared = responses[x.status];
    if (!declared && description.statuses.has(String(x.status)) && !description.messages(responses.default).includes(message)) {
        return [`the status ${x.status} ("${message}") is not described`];
    }
    const words = [...description.messages(declared), ...description.messages(responses.default)];
    return declared && !words.includes(message) ? [`"${message}" is no failure of status ${x.status} that is described`] : [];
}

function checkHeaders(description, response, x) {
    const known = Object.keys(description.document.components.headers);
    const declared = new Set(Object.keys(response.headers ?? {}).map(name => name.toLowerCase()));
    return known
        .filter(name => name.toLowerCase() in x.answered && !declared.has(name.toLowerCase()))
        .map(name => `the header ${name} is not described`);
}

function checkBody(description, response, x) {
    const type = mediaType(x.answered['content-type']);
    if (!response.content) {
        return x.answer ? ['the answer has a body'] : [];
    }
    if (x.method === 'HEAD' || x.answered['content-encoding']) {
        return [];
    }
    if (x.status === 206 && type === 'multipart/byteranges') {
        return []; /* several ranges of what is described */
    }
    if (!response.content[type]) {
        return [`the type ${type || 'none'} is not described`];
    }
    if (type !== 'application/json' || x.answer === '') {
        return x.answer === '' && type === 'application/json' ? ['the answer has no body'] : [];
    }
    const kind = x.status < 300 && /[?&]fields(=|\[|%5b)/i.test(x.path) ? 'part' : 'closed';
    const fault = description.check(kind, response.content[type].schema, parseJson(x.answer));
    return fault ? [`the answer${fault}`] : [];
}

function checkAnswer(description, row, x) {
    const { responses } = row.operation;
    const status = responses[x.status] ? x.status : 'default';
    const response = responses[status];
    if (x.status < 400 && status === 'default') {
        return [`the status ${x.status} is not described`];
    }
    const faults = checkBody(description, response, x);
    if (faults.length === 0 && x.status >= 400 && x.method !== 'HEAD' && !x.answered['content-encoding']) {
        faults.push(...checkFailure(description, responses, x, parseJson(x.answer)), ...checkProblem(description, responses, x));
    }
    return [...faults, ...checkHeaders(description, response, x)];
}

/* ---- requests ---- */

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i; /* RFC 8259 */

/* The JSON value of a parameter's text, or of a list's texts. */
function readValue(schema, text) {
    if (Array.isArray(text)) {
        return text.map(item => readValue(schema.items, item));
    }
    if (schema.oneOf) {
        return schema.oneOf.map(one => readValue(one, text)).find(value => typeof value !== 'string') ?? text;
    }
    if (schema.type === 'number' || schema.type === 'integer') {
        return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    if (schema.type === 'boolean') {
        return { true: true, false: false }[text] ?? text;
    }
    if (schema.type === 'array') {
        return text.match(/(\\.|[^,\\]|\\$)+|(?<=,|^)(?=,|$)/gs)?.map(item => readValue(schema.items, item.replace(/\\(.)/gs, '$1'))) ?? [];
    }
    return text;
}

function parameters(description, row) {
    const found = (row.operation.parameters ?? []).map(parameter => description.resolve(parameter));
    return new Map(found.filter(parameter => parameter.in === 'query').map(parameter => [parameter.name, parameter]));
}

/* A list that is there several times, or is called "sort[]", has one value in each; so it becomes one [name, values]. */
function joinLists(known, query) {
    const listOf = name => [name, name.replace(/\[\]$/, '')].find(list => known.get(list)?.schema.type === 'array');
    const joined = [];
    for (const [name, value] of query) {
        const list = listOf(name);
        const row = list && joined.find(([other]) => other === list);
        if (row) {
            row[1] = [row[1], value].flat();
        } else {
            joined.push(list ? [list, name === list ? value : [value]] : [name, value]);
        }
    }
    return joined;
}

function checkQuery(description, row, x, query) {
    const known = parameters(description, row);
    const readsNames = 'Catalog-Ignored' in (row.operation.responses[x.status]?.headers ?? {});
    const ignored = (x.answered['catalog-ignored'] ?? '').split(', ').map(decode);
    const isNamed = name => ignored.includes(name.slice(0, 64)) || ignored.length === IGNORED_MOST;
    const seen = new Set();
    const faults = [];
    for (const [name, value] of joinLists(known, query)) {
        const parameter = known.get(name);
        if (FORGIVEN.has(name)) {
            continue;
        }
        if (!parameter) {
            readsNames && !isNamed(name) && faults.push(`the parameter ${name} is not described`);
            continue;
        }
        if (seen.has(name)) {
            faults.push(`the parameter ${name} is there twice`);
        }
        seen.add(name);
        const fault = description.check('open', parameter.schema, readValue(parameter.schema, value));
        fault && faults.push(`the parameter ${name}${fault}`);
    }
    for (const [name, { required }] of known) {
        required && !seen.has(name) && faults.push(`the parameter ${name} is missing`);
    }
    return faults;
}

function decode(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return text;
    }
}

/* As the server reads it: what is not percent-encoded UTF-8 stays as it was sent. */
function readQuery(text) {
    const words = text.split('&').map(word => /^([^=]*)(?:=(.*))?$/s.exec(word).slice(1));
    return words.filter(([name]) => name !== '').map(pair => pair.map(part => decode((part ?? '').replace(/\+/g, ' '))));
}

const canonicalLength = query =>
    query.reduce((sum, pair) => sum + pair.reduce((part, word) => part + encodeURIComponent(word).length + 1, 0), 0);

function checkContent(description, row, x) {
    const { requestBody } = row.operation;
    const type = mediaType(x.headers['content-type']);
    if (!requestBody || (x.body ?? '') === '') {
        return requestBody?.required ? ['there is no body'] : [];
    }
    const media = requestBody.content[type];
    if (!media) {
        return [`the body's type ${type} is not described`];
    }
    if (x.headers['content-encoding']) {
        return [];
    }
    const value = isJson(type) ? parseJson(x.body) : x.body;
    const fault = description.check('open', media.schema, value);
    return fault ? [`the body${fault}`] : [];
}

const needsToken = operation => operation.security.length > 0 && !operation.security.some(choice => Object.keys(choice).length === 0);

function checkRequest(description, row, x, query) {
    const faults = [...checkQuery(description, row, x, query), ...checkContent(description, row, x)];
    if (needsToken(row.operation) && !x.headers.authorization && !x.headers.cookie) {
        faults.push('it needs no token');
    }
    return faults;
}

/* What was sent, and what the description has of it. */
function readBody(description, row, x) {
    const media = row.operation.requestBody?.content[mediaType(x.headers['content-type'])];
    return media && isJson(mediaType(x.headers['content-type'])) ? [parseJson(x.body), description.resolve(media.schema).properties ?? {}] : [{}, {}];
}

/* Not about a row of a file, a product as it is stored, or conditions within a text. */
const isAboutForm = ({ row, id, field }) => row === undefined && id === undefined && !field.startsWith('where.');

/* PUT /products/sku=KT-1 creates a product with the value, about which the body says nothing. */
const isOfPath = (x, { field }) => readPath(x.path).includes(`/${field}=`);

/* A refusal must have a reason that the description expresses, or says in words. */
function checkRefusal(description, row, x, query, answer) {
    const errors = x.status === 400 && !answer.results ? (answer.errors ?? []) : [];
    const isEmptyList = ({ field, code }) =>
        code === 'too_short' && LIST.test(field) && query.every(([name, value]) => name.replace(/\[\]$/, '') !== field || /^,*$/.test(value));
    const said = errors.filter(({ field, code }) => IN_WORDS[`${field} ${code}`]);
    const isOfAnyType = ({ field }) => !('type' in (readBody(description, row, x)[1][field] ?? { type: '' })); /* JSON, whose size no schema limits */
    const isDuration = ({ field }) => readBody(description, row, x)[1][field]?.format === 'duration'; /* whose bounds no schema expresses */
    const expressed = errors.filter(error => !said.includes(error) && !isOfAnyType(error) && !isDuration(error) && !isEmptyList(error));
    const faults = said
        .filter(({ field, code }) => !IN_WORDS[`${field} ${code}`](query, ...readBody(description, row, x)))
        .map(({ field, code }) => `refused, although ${field} is not ${code}`);
    const isExpressed = expressed.length > 0 && expressed.every(error => isAboutForm(error) && !isOfPath(x, error) && EXPRESSED.has(error.code));
    if (isExpressed && checkRequest(description, row, x, query).length === 0) {
        faults.push(`refused for ${expressed.map(({ code }) => code).join(', ')}, although its description allows it`);
    }
    return faults;
}

/* Of a batch, operations fail one by one. */
const failedInPart = (x, answer) => answer.results?.some(({ status }) => status >= 400);

/* ---- exchanges ---- */

/* As httpd reads it: decoded, without "//" and dots. */
function readPath(path) {
    const parts = [];
    for (const part of decode(path).split('/')) {
        if (part === '..') {
            parts.pop();
        } else if (part !== '' && part !== '.') {
            parts.push(part);
        }
    }
    return `/${parts.join('/')}`;
}

/* httpd refuses some requests before it knows whose they are: they get no id. */
const isOfHttpd = x => !('x-request-id' in x.answered) && mediaType(x.answered['content-type']) === 'text/html';

function checkExchange(description, x) {
    const [path, text] = x.path.split('?');
    const row = description.find(x.method === 'HEAD' ? 'GET' : x.method, readPath(path));
    const isReplayed = 'idempotency-replayed' in x.answered; /* perhaps of a route that has been closed since */
    if (x.method === 'OPTIONS') {
        return []; /* every path has it, so it is described nowhere */
    }
    if (!row || isOfHttpd(x)) {
        return x.status < 300 && !isReplayed ? ['the route is not described'] : [];
    }
    const query = readQuery(text ?? '');
    const faults = checkAnswer(description, row, x);
    const isRead = mediaType(x.answered['content-type']) === 'application/json' && x.answer !== '' && !x.answered['content-encoding'];
    const answer = isRead ? parseJson(x.answer) : {};
    if (x.status < 400 && !isReplayed && !failedInPart(x, answer)) {
        /* An address with characters that are no part of one is stored percent-encoded. */
        const faulty = checkRequest(description, row, x, query).filter(fault => !fault.endsWith('must match format "uri"'));
        faults.push(...faulty.map(fault => `served, although ${fault}`));
    }
    return [...faults, ...checkRefusal(description, row, x, query, answer)];
}

function readDirectory(directory) {
    const lines = readdirSync(directory)
        .filter(name => name.endsWith('.ndjson'))
        .sort()
        .flatMap(name => readFileSync(join(directory, name), 'utf8').split('\n').filter(line => line !== ''))
        .map(line => JSON.parse(line));
    const names = new Map(lines.filter(line => line.description).map(line => [`${line.server} ${line.mount} ${line.sender}`, line.description]));
    return { names, exchanges: lines.filter(line => line.method), large: lines.filter(line => line.large).length };
}

const begin = performance.now();
const { names, exchanges, large } = readDirectory(process.argv[2]);
const descriptions = new Map();
const faults = new Map(); /* to the first exchange that has it */
let undescribed = 0;

for (const x of exchanges) {
    const name = names.get(`${x.server} ${x.mount} ${x.sender}`) ?? names.get(`${x.server} ${x.mount} `);
    if (!name) {
        undescribed++;
        continue;
    }
    if (!descriptions.has(name)) {
        descriptions.set(name, new Description(readFileSync(join(process.argv[2], `${name}.json`), 'utf8')));
    }
    let found;
    try {
        found = checkExchange(descriptions.get(name), x);
    } catch (error) {
        found = [`it cannot be checked: ${error.stack}`];
    }
    for (const fault of found) {
        const where = `${x.test}: ${x.method} ${x.path.slice(0, 200)} ${x.status}: ${fault}`;
        faults.set(where, x);
    }
}

const shown = [...faults].slice(0, SHOWN);
for (const [where, x] of shown) {
    console.log(`exchanges: ${where}\n    sent: ${(x.body ?? '').slice(0, 300)}\n    got: ${x.answer.slice(0, 300)}`);
}
if (faults.size > shown.length) {
    console.log(`exchanges: and ${faults.size - shown.length} more`);
}
const seconds = ((performance.now() - begin) / 1000).toFixed(1);
console.log(
    `exchanges: ${exchanges.length} requests and answers, ${descriptions.size} descriptions, ${faults.size} faults, ` +
        `not compared: ${large} with more than 100,000 octets, ${undescribed} of servers that had crashed or serve no description; ${seconds} s`,
);
process.exitCode = faults.size > 0 || exchanges.length === undescribed ? 1 : 0;
