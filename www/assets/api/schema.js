/* SPDX-License-Identifier: Apache-2.0 */
import { el } from '../lib/dom.js';
import { t } from '../lib/text.js';

/* Shows parts of a description (description.js). Its own texts are in English. */

/* Returns a text in which backquotes mark code. */
export function prose(text = '') {
    const parts = text.split('`').map((part, i) => (i % 2 === 0 ? part : el('code', {}, part)));
    return el('span', { lang: 'en' }, parts);
}

export function code(text) {
    return el('pre', { tabindex: '0' }, el('code', {}, text));
}

export function json(value) {
    return code(typeof value === 'string' ? value : JSON.stringify(value, null, 4));
}

export function disclosure(summary, ...content) {
    return el('details', {}, el('summary', {}, summary), content.flat(Infinity));
}

/* Returns the type of a schema, and whether it is required. */
export function typeView(description, schema, isRequired) {
    return el(
        'span',
        { class: 'type' },
        el('span', { lang: 'en' }, description.type(schema)),
        isRequired ? `, ${t('api.required')}` : '',
    );
}

/* Returns a member. `seen` has the names of the schemas around it, which are not shown again. */
function memberView(description, { name, schema, isRequired }, seen) {
    const { description: about } = description.resolve(schema);
    return el(
        'li',
        {},
        [el('code', {}, name), ' ', typeView(description, schema, isRequired)],
        about && el('p', {}, prose(about)),
        inside(description, schema, seen),
    );
}

function inside(description, schema, seen) {
    const resolved = description.resolve(schema);
    const inner = resolved.items ?? schema;
    const name = inner.$ref;
    return seen.includes(name) ? null : membersView(description, inner, name ? [...seen, name] : seen);
}

function membersView(description, schema, seen) {
    const members = description.members(schema);
    const choices = description.choices(schema);
    if (choices.length > 0) {
        return choices.map(choice =>
            disclosure(el('span', { lang: 'en' }, description.type(choice)), membersView(description, choice, seen)),
        );
    }
    return members.length > 0
        ? el(
              'ul',
              { class: 'schema' },
              members.map(member => memberView(description, member, seen)),
          )
        : null;
}

/* Returns a schema: its type, and its members with types and meanings. */
export function schemaView(description, schema) {
    const { description: about } = description.resolve(schema);
    return [el('p', {}, typeView(description, schema)), about && el('p', {}, prose(about)), membersView(description, schema, [])];
}
