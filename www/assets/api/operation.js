/* SPDX-License-Identifier: Apache-2.0 */
import { el } from '../lib/dom.js';
import { t } from '../lib/text.js';
import { requestForm } from './form.js';
import { disclosure, json, prose, schemaView } from './schema.js';

/* Shows an operation of a description: its purpose, the users who may use it, its form, its body and its answers. */

export function methodName(method) {
    return el('span', { class: `method ${method.toLowerCase()}` }, method);
}

function section(id, title, ...content) {
    return el('section', { 'aria-labelledby': id }, el('h3', { id }, title), content.flat(Infinity));
}

function accessText({ isOpen, role }) {
    if (isOpen) {
        return t('api.anyone');
    }
    return role ? t('api.role', { role }) : t('api.user');
}

function mediaView(description, [type, media]) {
    return [
        el('p', {}, el('code', {}, type)),
        schemaView(description, media.schema),
        media.example === undefined ? null : disclosure(t('api.example'), json(media.example)),
    ];
}

function bodyView(description, { description: about, content }) {
    return section(
        'body-title',
        t('api.requestBody'),
        el('p', {}, prose(about)),
        Object.entries(content).map(([type, media]) =>
            disclosure(el('code', {}, type), mediaView(description, [type, media]).slice(1)),
        ),
    );
}

function headersView(description, headers) {
    const rows = Object.entries(headers).map(([name, header]) => [
        el('dt', {}, el('code', {}, name)),
        el('dd', {}, prose(description.resolve(header).description)),
    ]);
    return rows.length > 0 ? disclosure(t('api.headers'), el('dl', {}, rows)) : null;
}

function problemView({ description: about, value }) {
    return el('li', { lang: 'en' }, el('strong', {}, value.message), el('p', {}, prose(about)), json(value));
}

function answerView(description, [status, { description: about, headers = {}, content = {} }]) {
    const problems = Object.values(content).flatMap(media => description.examples(media));
    return disclosure(
        [el('strong', {}, status === 'default' ? t('api.otherStatus') : status), ' ', prose(about)],
        problems.length > 0 ? el('ul', { class: 'problems' }, problems.map(problemView)) : null,
        Object.entries(content).map(media => mediaView(description, media)),
        headersView(description, headers),
    );
}

export function operationView(description, operation) {
    return [
        el('p', { class: 'back' }, el('a', { href: '#' }, t('api.all'))),
        el('h2', { tabindex: '-1', lang: 'en' }, operation.summary),
        el('p', {}, [methodName(operation.method), ' ', el('code', {}, operation.path)]),
        operation.description && el('p', {}, prose(operation.description)),
        el('p', {}, accessText(description.access(operation))),
        section('send-title', t('api.send'), el('div', { class: 'exchange' }, requestForm(description, operation))),
        operation.requestBody && bodyView(description, operation.requestBody),
        section(
            'answers-title',
            t('api.answers'),
            Object.entries(operation.responses).map(answer => answerView(description, answer)),
        ),
    ].filter(Boolean);
}
