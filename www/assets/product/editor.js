/* SPDX-License-Identifier: Apache-2.0 */
/* The form for editing a whole product or a single field, and the choice between two versions of a product. */
import { bdi, el } from '../lib/dom.js';
import { manage } from '../lib/form.js';
import { say } from '../lib/page.js';
import { formatTime, pieces, t } from '../lib/text.js';
import { control, fill, textOf } from './control.js';
import { NEW, readDrafts, writeDraft } from './drafts.js';
import { differences, FIELDS, isSame, readTyped, sectionsOf, typedOf, valueIn, writableNames } from './fields.js';
import { Changed, create, readProduct, update } from './store.js';

/* ---- dialogs ---- */

/* Shows a dialog that is not in the page yet. Resolves to the value of the button that closes it, or to '' after
 * Escape. */
export function ask(dialog) {
    document.body.append(dialog);
    dialog.returnValue = '';
    dialog.showModal();
    return new Promise(resolve =>
        dialog.addEventListener('close', () => {
            dialog.remove();
            resolve(dialog.returnValue);
        }),
    );
}

/* Resolves to 'keep' or 'drop' for the draft, or to '' if the user continues to edit. */
export function askToLeave() {
    const button = (value, key, look = '') => el('button', { class: `btn ${look}`, value, autofocus: value === '' }, t(key));
    return ask(
        el(
            'dialog',
            { 'aria-labelledby': 'leave-title' },
            el('h2', { id: 'leave-title' }, t('draft.leave')),
            el('p', {}, t('draft.leaveText')),
            el(
                'form',
                { method: 'dialog', class: 'actions' },
                button('', 'draft.goOn', 'btn-primary'),
                button('keep', 'draft.keep'),
                button('drop', 'draft.drop', 'btn-outline-danger'),
            ),
        ),
    );
}

/* ---- two versions ---- */

const versionText = (name, product) => FIELDS[name].show(valueIn(product, name)) || t('compare.nothing');

function versionCell(name, product, side, isChosen) {
    const text = versionText(name, product);
    const label = `${FIELDS[name].label}, ${t(`compare.${side}`)}: ${text}`;
    const input = el('input', { type: 'radio', name, value: side, checked: isChosen, 'aria-label': label });
    return el('td', {}, el('label', { class: 'option' }, input, bdi(text)));
}

/*
 * Shows the user's version next to the version that another user has stored. For a field changed only by the other
 * user, the other value is preselected. Resolves to the values that the user chose from his or her own version.
 * Resolves to null if the user chooses nothing now.
 */
async function compare({ base, mine, theirs, text = 'compare.text', choose = 'compare.save' }) {
    const touched = differences(mine, base);
    const fields = Object.keys(differences(mine, theirs));
    const form = el(
        'form',
        { method: 'dialog' },
        el(
            'table',
            { class: 'table versions' },
            el('thead', {}, el('tr', {}, ['compare.field', 'compare.mine', 'compare.theirs'].map(key => el('th', { scope: 'col' }, t(key))))),
            el(
                'tbody',
                {},
                fields.map(name =>
                    el(
                        'tr',
                        {},
                        el('th', { scope: 'row' }, bdi(FIELDS[name].label)),
                        versionCell(name, mine, 'mine', name in touched),
                        versionCell(name, theirs, 'theirs', !(name in touched)),
                    ),
                ),
            ),
        ),
        el(
            'div',
            { class: 'actions' },
            el('button', { class: 'btn btn-primary', value: 'save' }, t(choose)),
            el('button', { class: 'btn', value: '' }, t('compare.later')),
        ),
    );
    const dialog = el(
        'dialog',
        { class: 'wide-dialog', 'aria-labelledby': 'compare-title' },
        el('h2', { id: 'compare-title' }, pieces('compare.title', { name: bdi(theirs.name) })),
        el('p', {}, t(text)),
        form,
    );
    const answer = await ask(dialog);
    const chosen = new FormData(form);
    const isMine = name => chosen.get(name) === 'mine';
    return answer === 'save' ? Object.fromEntries(fields.filter(isMine).map(name => [name, valueIn(mine, name) ?? null])) : null;
}

/*
 * Saves the values of `wanted` that differ from `base`, the product with which the user began. Resolves to the product
 * after that. Resolves to null if another user has changed the product and the user saves nothing now.
 */
export async function save(base, wanted) {
    const changes = differences(wanted, base);
    try {
        return Object.keys(changes).length > 0 ? await update(base, changes) : base;
    } catch (error) {
        return resolveConflict(error, base, { ...base, ...wanted });
    }
}

/* Lets the user choose between two versions. There is nothing to choose if the stored values are those that the user
 * wanted, because an answer was lost. */
async function resolveConflict(error, base, mine) {
    if (!(error instanceof Changed)) {
        throw error;
    }
    const theirs = error.product;
    const isStored = Object.keys(differences(mine, theirs)).length === 0;
    const chosen = isStored ? {} : await compare({ base, mine, theirs });
    return chosen && save(theirs, chosen);
}

/* ---- the form ---- */

function draftNotice(draft, drop) {
    return el(
        'div',
        { class: 'alert alert-warning', role: 'status' },
        el('p', {}, t('draft.restored', { time: formatTime(draft.time) })),
        el('button', { type: 'button', class: 'btn', onclick: drop }, t('draft.drop')),
    );
}

/* Returns a message about changes in other tabs. `text` and `button` are keys; the button is optional. */
function newsNotice(text, button, onclick) {
    return el(
        'div',
        { class: 'alert alert-warning', role: 'alert' },
        el('p', {}, t(text)),
        button && el('button', { type: 'button', class: 'btn', onclick }, t(button)),
    );
}

/* Returns the controls of the fields, in sections with titles if there are several. */
function controls(names, prefix) {
    const sections = sectionsOf(names);
    const make = some => some.map(name => control(name, prefix + name));
    return sections.length > 1
        ? sections.map(part => el('fieldset', { class: 'plain section' }, el('legend', {}, t(part.key)), make(part.names)))
        : make(names);
}

/*
 * Creates a form for the fields of the product, which is null for a new one, or for the fields in `names`. Keeps the
 * input as the owner's draft until it is saved, and continues an existing draft. Calls saved(product) after saving,
 * loaded(product) when the form has a new version of the product, and cancel(), if given, from a button. `prefix`
 * begins the ids and names of controls, because a field from CatalogField may be named like an element of the page or a
 * property of forms.
 *
 * Returns { form, controlOf(name), isEdited(), drop(), catchUp() }. drop() deletes the draft. Call catchUp() after
 * another tab may have changed the product.
 */
export function makeEditor({ owner, product = null, names = writableNames(), prefix = 'field-', saved, loaded, cancel }) {
    const slot = product?.id ?? NEW;
    let draft = readDrafts(owner)[slot] ?? null;
    let base = draft?.base ?? product;

    const notice = el('div');
    const news = el('div'); /* messages about changes in other tabs */
    const form = el(
        'form',
        { class: 'editor', method: 'post', hidden: true },
        news,
        notice,
        controls(names, prefix),
        el(
            'div',
            { class: 'actions' },
            el('button', { type: 'submit', class: 'btn btn-primary' }, t('edit.save')),
            cancel && el('button', { type: 'button', class: 'btn', onclick: cancel }, t('edit.cancel')),
        ),
    );

    const isEdited = () => 'edited' in form.dataset;
    const controlOf = name => form.elements.namedItem(prefix + name);
    const inputs = (some = names) => Object.fromEntries(some.map(name => [name, textOf(controlOf(name))]));
    const fillIn = typed => Object.entries(typed).forEach(([name, text]) => fill(controlOf(name), text));

    function keep(changes = {}) {
        const typed = { ...draft?.typed, ...inputs() };
        draft = { base, attempt: null, ...draft, typed, ...changes, time: new Date() };
        writeDraft(owner, slot, draft);
    }

    function drop() {
        draft = null;
        base = product;
        delete form.dataset.edited;
        writeDraft(owner, slot, null);
    }

    function restart() {
        drop();
        form.reset();
        fillIn(typedOf(product, names));
        notice.replaceChildren();
        controlOf(names[0]).focus();
    }

    async function store(typed) {
        const wanted = readTyped(typed, base);
        if (base) {
            return save(base, wanted);
        }
        const attempt = draft?.attempt ?? null;
        return create(wanted, attempt, sent => keep({ attempt: sent })).catch(error => resolveConflict(error, error.product, wanted));
    }

    /* ---- changes in other tabs ---- */

    const isFaulty = name => controlOf(name).hasAttribute('aria-invalid');

    /* Returns the names of the fields in which the input differs from the version. */
    function otherThan(version) {
        const mine = inputs();
        const texts = typedOf(version, names);
        return names.filter(name => mine[name] !== texts[name]);
    }

    /* Returns the fields, changed by both users, for which the user chose the other value. Returns null if the user
     * does not choose now. */
    async function chooseTheirs(now, touched) {
        const changed = differences(now, base);
        const both = touched.filter(name => name in changed && !isFaulty(name));
        const mine = { ...now, ...readTyped(inputs(both), now) };
        if (isSame(mine, now)) {
            return [];
        }
        const chosen = await compare({ base, mine, theirs: now, text: 'edit.choose', choose: 'edit.take' });
        return chosen && Object.keys(differences(mine, now)).filter(name => !(name in chosen));
    }

    /* Loads a new version of the product. Keeps the user's input in the fields that chooseTheirs() leaves to the
     * user. */
    async function load(now) {
        const touched = otherThan(base);
        const theirs = await chooseTheirs(now, touched);
        if (theirs) {
            base = product = now;
            fillIn(typedOf(now, names.filter(name => !touched.includes(name) || theirs.includes(name))));
            notice.replaceChildren();
            otherThan(now).length > 0 ? keep({ base }) : drop();
            news.replaceChildren();
            loaded?.(now);
            say(t('edit.loaded'));
        }
        return theirs !== null;
    }

    function addAsNew() {
        writeDraft(owner, NEW, { base: null, typed: inputs(), attempt: null, time: new Date() });
        drop();
        location.assign('edit.html');
    }

    function noteDeletion() {
        const isLost = isEdited() && !(NEW in readDrafts(owner));
        news.replaceChildren(isLost ? newsNotice('edit.gone', 'edit.asNew', addAsNew) : newsNotice('edit.gone'));
    }

    function noteChange(now) {
        if (isSame(now, base)) {
            news.replaceChildren();
        } else if (otherThan(base).length === 0 || otherThan(now).length === 0) {
            load(now);
        } else {
            keep(); /* the other tab may have deleted the draft */
            say('');
            const loadNow = async () => (await load(now)) && controlOf(names[0]).focus();
            news.replaceChildren(newsNotice('edit.changed', 'edit.load', loadNow));
        }
    }

    let isLooking = false;
    let isLate = false; /* true if catchUp() was called again meanwhile */

    async function catchUp() {
        isLate = isLooking;
        if (isLooking || !base) {
            return;
        }
        isLooking = true;
        const now = await readProduct(base.id).catch(error => (error.status === 404 ? null : undefined));
        isLooking = false;
        if (isLate) {
            catchUp();
        } else if (form.isConnected && now !== undefined) {
            now ? noteChange(now) : noteDeletion();
        }
    }

    fillIn(typedOf(product, names));
    if (draft) {
        fillIn(Object.fromEntries(Object.entries(draft.typed).filter(([name]) => names.includes(name))));
        names.length > 1 && notice.append(draftNotice(draft, restart));
        form.dataset.edited = '';
    }
    manage(
        form,
        Object.fromEntries(names.filter(name => FIELDS[name].check).map(name => [prefix + name, FIELDS[name].check])),
        async typed => {
            const stored = await store(Object.fromEntries(names.map(name => [name, typed[prefix + name]])));
            if (stored) {
                drop();
                await saved(stored);
            }
            return stored !== null;
        },
        name => prefix + name,
    );
    form.addEventListener('input', () => keep());
    return { form, controlOf, isEdited, drop, catchUp };
}
