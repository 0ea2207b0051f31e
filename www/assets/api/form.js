/* SPDX-License-Identifier: Apache-2.0 */
import { API, ApiError, accessToken, currentUser, read } from '../lib/api.js';
import { field, input, select } from '../lib/controls.js';
import { el, saveFile, state } from '../lib/dom.js';
import { say, showError, signInLink } from '../lib/page.js';
import { formatWhole, t } from '../lib/text.js';
import { composeCurl, composeHeaders, composeUrl, exchange, fileName, readable, SHOWN } from './request.js';
import { code, disclosure, prose, typeView } from './schema.js';

/* The form that sends the request of an operation and shows the answer. */

const READING = ['GET'];
const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson' }; /* media types by file suffix */

/* ---- fields ---- */

const selectOf = choices => select(choices.map(String).map(choice => [choice, choice]));

function parameterControl(schema, { required, example = '' }) {
    const choices = schema.enum ?? (schema.type === 'boolean' ? [true, false] : null);
    return choices ? selectOf(['', ...choices]) : input({ required, placeholder: String(example), spellcheck: 'false' });
}

function parameterField(description, parameter, controls) {
    const control = parameterControl(description.resolve(parameter.schema), parameter);
    controls.push({ parameter, control });
    return field(
        `${parameter.in}-${parameter.name.replace(/\W/g, '-')}`,
        [el('code', {}, parameter.name), ' ', typeView(description, parameter.schema, parameter.required)],
        control,
        prose(parameter.description),
    );
}

/* Returns the fields of conditions. Those of each field of a product are collapsed under its name, and all names are
 * collapsed, because a shop has hundreds. */
function conditionFields(conditions, fieldOf) {
    const groups = Map.groupBy(conditions, ({ name }) => name.split('[')[0]);
    const views = [...groups].map(([name, group]) =>
        disclosure([el('code', {}, name), ' ', el('span', { class: 'type' }, formatWhole(group.length))], group.map(fieldOf)),
    );
    return conditions.length > 0 ? disclosure(t('api.conditions', { n: conditions.length }), el('div', { class: 'inner' }, views)) : null;
}

/* Returns the fields of parameters. Conditions with an operator in brackets, and headers, come last, because users
 * rarely need them. */
function parameterFields(description, operation, controls) {
    const all = description.parameters(operation);
    const hasBrackets = ({ name }) => name.includes('[');
    const isHeader = parameter => parameter.in === 'header';
    const fieldOf = parameter => parameterField(description, parameter, controls);
    const headers = all.filter(isHeader).map(fieldOf);
    return [
        all.filter(parameter => !hasBrackets(parameter) && !isHeader(parameter)).map(fieldOf),
        conditionFields(all.filter(hasBrackets), fieldOf),
        headers.length > 0 ? disclosure(t('api.headers'), headers) : null,
    ];
}

/* ---- the body ---- */

/* Returns an example of the body. JSON bodies have their examples in the schemas. */
function writeExample(description, { example, schema }) {
    example ??= description.resolve(schema).examples?.[0] ?? '';
    return typeof example === 'string' ? example : JSON.stringify(example, null, 4);
}

/* Returns { fields, read }. read() returns { type, body }. */
function bodyFields(description, { content, required }) {
    const types = Object.keys(content);
    const media = content[types[0]];
    const isFile = description.resolve(media.schema).type === 'string';
    const type = selectOf(types);
    const file = el('input', { class: 'form-control', type: 'file', accept: '.csv,.ndjson,.jsonl' });
    const text = el('textarea', { class: 'form-control', rows: '10', spellcheck: 'false', autocomplete: 'off' });

    text.value = writeExample(description, media);
    file.addEventListener('change', () => {
        const suffix = file.files[0]?.name.split('.').at(-1).toLowerCase();
        type.value = TYPES[suffix] ?? type.value;
    });
    return {
        fields: [
            types.length > 1 ? field('body-type', t('api.bodyType'), type) : null,
            isFile ? field('body-file', t('api.file'), file, t('api.fileHint')) : null,
            field('body', required ? t('api.body') : t('api.bodyOptional'), text),
        ],
        read: () => ({ type: type.value, body: file.files[0] ?? (text.value || undefined) }),
    };
}

/* ---- the token ---- */

/* Returns { field, isWanted }. */
function tokenField(operation, { isOpen }) {
    const user = currentUser();
    if (!user) {
        const link = el('a', { href: signInLink(location.hash) }, t('shell.signIn'));
        const hint = isOpen ? t('api.signedOut') : [t('api.signedOutRefused'), ' ', link];
        return { field: el('p', { class: 'form-text field' }, hint), isWanted: () => false };
    }
    const box = el('input', { class: 'form-check-input', type: 'checkbox', id: 'token', checked: operation.security.length > 0 });
    const label = el('label', { for: 'token' }, t('api.token', { name: user.username }));
    return { field: el('div', { class: 'form-check field' }, box, label), isWanted: () => box.checked };
}

/* ---- the answer ---- */

/* Reads the server's explanation of a problem. */
async function explain({ status, headers }) {
    const name = new Headers(headers).get('Catalog-Problem');
    if (status < 400 || !name) {
        return null;
    }
    const { meaning, remedy } = (await read(`/problems/${name}`)).data;
    return el('p', { class: 'alert alert-danger' }, prose(`${meaning} ${remedy}`));
}

function download(blob, name) {
    const save = () => saveFile(blob, name);
    return el('p', {}, el('button', { type: 'button', class: 'btn btn-outline-primary', onclick: save }, t('api.save', { name })));
}

async function answerView(answer) {
    const { text, isWhole } = await readable(answer.blob);
    const name = fileName(answer.headers);
    const headers = answer.headers.map(([header, value]) => `${header}: ${value}`).join('\n');
    return [
        await explain(answer),
        disclosure(t('api.answerHeaders'), code(headers)),
        name || !isWhole ? download(answer.blob, name ?? 'answer') : null,
        isWhole ? null : el('p', {}, t('api.cut', { shown: SHOWN, n: answer.blob.size })),
        text && code(text),
    ];
}

/* ---- the form ---- */

/* Returns the button that sends the request. A request that changes something is sent only by a click, not by Enter in
 * a field. */
function sendButton(method, send) {
    if (READING.includes(method)) {
        return el('button', { class: 'btn btn-primary' }, t('api.sendReading'));
    }
    const look = method === 'DELETE' ? 'btn-danger' : 'btn-primary';
    return el('button', { type: 'button', class: `btn ${look}`, onclick: send }, t('api.sendWriting', { method }));
}

export function requestForm(description, operation) {
    const controls = [];
    const body = operation.requestBody && bodyFields(description, operation.requestBody);
    const token = tokenField(operation, description.access(operation));
    const isBusy = state(false);
    const summary = state({ text: '' });
    const line = el('code', {});
    const curl = el('code', {});
    const result = el('div', { id: 'answer' });
    let abort;

    const filled = () => controls.map(({ parameter, control }) => ({ ...parameter, value: control.value.trim() }));
    const url = () => composeUrl(API, operation.path, filled());
    const headersWith = (bearer, { type, body: content }) => ({
        ...composeHeaders(filled()),
        ...(content !== undefined && { 'Content-Type': type }),
        ...(bearer && { Authorization: `Bearer ${bearer}` }),
    });

    /* Shows the request that will be sent. The token is replaced, because it is secret and too long. */
    function showLine() {
        const sent = body?.read() ?? {};
        const address = new URL(url(), location).href;
        line.replaceChildren(`${operation.method} ${url()}`);
        curl.replaceChildren(composeCurl(operation.method, address, headersWith(token.isWanted() && '$TOKEN', sent), sent.body));
    }

    async function compose() {
        const sent = body?.read() ?? {};
        const bearer = token.isWanted() ? await accessToken() : null;
        return { headers: headersWith(bearer, sent), body: sent.body, signal: abort.signal };
    }

    async function copyCurl() {
        const isCopied = await navigator.clipboard.writeText(curl.textContent).then(() => true, () => false);
        say(t(isCopied ? 'api.copied' : 'api.notCopied'));
    }

    async function run() {
        const answer = await exchange(operation.method, url(), await compose());
        const status = `${answer.status} ${answer.statusText}`.trim();
        const text = t('api.answered', { status, n: answer.blob.size, time: answer.milliseconds });
        result.replaceChildren(el('div', {}, await answerView(answer)));
        summary.value = { text, look: answer.status < 400 ? 'good' : 'bad' };
    }

    function showFailure(error) {
        summary.value = { text: '' };
        if (error instanceof ApiError) {
            showError(result, error);
        } else {
            summary.value = { text: t(error.name === 'AbortError' ? 'api.stopped' : 'error.silent'), look: 'bad' };
        }
    }

    async function send() {
        if (isBusy.value || !form.reportValidity()) {
            return;
        }
        abort = new AbortController();
        isBusy.value = true;
        summary.value = { text: t('api.sent') };
        result.replaceChildren();
        await run().catch(showFailure);
        isBusy.value = false;
    }

    function submit(event) {
        event.preventDefault();
        if (READING.includes(operation.method)) {
            send();
        }
    }

    const stop = el(
        'button',
        { type: 'button', class: 'btn', hidden: () => !isBusy.value, onclick: () => abort.abort() },
        t('api.stop'),
    );
    const form = el(
        'form',
        { oninput: showLine, onsubmit: submit },
        parameterFields(description, operation, controls),
        body?.fields,
        token.field,
        el('p', {}, line),
        disclosure('curl', el('pre', { tabindex: '0' }, curl), el('button', { type: 'button', class: 'btn', onclick: copyCurl }, t('api.copy'))),
        el('p', { class: 'buttons' }, sendButton(operation.method, send), stop),
    );
    const answered = el('p', { id: 'answered', role: 'status', class: () => summary.value.look }, () => summary.value.text);

    showLine();
    return [form, el('div', { class: 'answer' }, answered, result)];
}
