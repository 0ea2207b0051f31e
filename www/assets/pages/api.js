/* SPDX-License-Identifier: Apache-2.0 */
import { Description } from '../api/description.js';
import { methodName, operationView } from '../api/operation.js';
import { prose } from '../api/schema.js';
import { API, send } from '../lib/api.js';
import { byId, el } from '../lib/dom.js';
import { setTitle, start } from '../lib/page.js';
import { t } from '../lib/text.js';

/* Returns the id of the operation in the address, such as api.html#createProduct. These ids need no encoding. */
const chosenId = () => location.hash.slice(1);

function operationLink({ method, path, operationId, summary }) {
    return el(
        'li',
        {},
        el(
            'a',
            { href: `#${operationId}`, lang: 'en' },
            [methodName(method), ' ', el('span', { class: 'summary' }, summary)],
            el('code', { class: 'path' }, path),
        ),
    );
}

function groupView({ name, description: about, operations }) {
    const id = `group-${name}`;
    return el(
        'section',
        { 'aria-labelledby': id },
        el('h2', { id, lang: 'en' }, name),
        el('p', { class: 'form-text' }, prose(about)),
        el('ul', {}, operations.map(operationLink)),
    );
}

function markChosen() {
    for (const link of byId('groups').querySelectorAll('a')) {
        if (link.hash === `#${chosenId()}`) {
            link.setAttribute('aria-current', 'page');
        } else {
            link.removeAttribute('aria-current');
        }
    }
}

function showList(description) {
    const groups = description.groups(byId('filter').value);
    const n = groups.reduce((sum, { operations }) => sum + operations.length, 0);
    byId('groups').replaceChildren(...groups.map(groupView));
    byId('filtered').textContent = t('api.count', { n });
    markChosen();
}

function overview({ document: { info, openapi } }) {
    const link = el('a', { href: `${API}/openapi.json` }, 'openapi.json');
    return [
        el('h2', { tabindex: '-1', lang: 'en' }, `${info.title} ${info.version}`),
        el('p', {}, prose(info.description)),
        el('p', {}, t('api.choose')),
        el('p', {}, link, ` (OpenAPI ${openapi})`),
    ];
}

function showChosen(description) {
    const operation = description.find(chosenId());
    byId('explorer').classList.toggle('chosen', Boolean(operation));
    byId('operation').replaceChildren(...(operation ? operationView(description, operation) : overview(description)));
    setTitle(operation ? `${operation.summary} · ${t('shell.api')}` : t('shell.api'));
    markChosen();
}

start(async () => {
    const description = new Description(await send('GET', '/openapi.json', { cache: 'no-cache' }));
    byId('filter').addEventListener('input', () => showList(description));
    addEventListener('hashchange', () => {
        showChosen(description);
        byId('operation').querySelector('h2').focus();
        scrollTo(0, 0);
    });
    showList(description);
    showChosen(description);
    byId('explorer').hidden = false;
});
