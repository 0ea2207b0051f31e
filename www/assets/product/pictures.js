/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of a product: they are added, described, put in order and removed, each at once and beside the form, whose other fields may be
 * unsaved meanwhile. What the user does while the last change is on its way waits for that. What another user has done to them meanwhile is shown,
 * not overwritten.
 */
import { currentUser, newKey } from '../lib/api.js';
import { each, el, follow, settle, state } from '../lib/dom.js';
import { showError } from '../lib/page.js';
import { t } from '../lib/text.js';
import { ask } from './editor.js';
import { addPicture, arrangePictures, Changed, learnPictures as askForPictures, readProduct } from './store.js';

const TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';
const MOST_LETTERS = 200; /* of a description */

/* Refusals of a file, after which the next one may be taken. */
const OF_FILE = [400, 413, 415];

let hasPictures = false;

/* Asks the server whether products have pictures, once a page. */
export async function learnPictures() {
    hasPictures = await askForPictures();
}

const imagesOf = product => product.images ?? [];
const smallest = ({ url, sizes = [] }) => sizes[0]?.url ?? url;

function askRemoval(image) {
    const button = (value, key, look) => el('button', { class: `btn ${look}`, value, autofocus: value === '' }, t(key));
    return ask(
        el(
            'dialog',
            { 'aria-labelledby': 'picture-title' },
            el('h2', { id: 'picture-title' }, t('picture.removeTitle')),
            el('p', {}, el('img', { class: 'thumb', src: smallest(image), alt: image.alt ?? '' })),
            el('p', {}, t('product.deleteText')),
            el('form', { method: 'dialog', class: 'actions' }, button('yes', 'picture.remove', 'btn-danger'), button('', 'form.keep', '')),
        ),
    );
}

function makeSection(product) {
    const shown = state(product);
    const news = state(''); /* what was done */
    const trouble = el('div');
    const list = el('ol', { class: 'pictures' });

    let last = Promise.resolve(); /* the change that is on its way */
    const inTurn = act => (last = last.then(act));

    /* Shows the product that change() resolves to; again: for "Try again". */
    async function store(change, done, again) {
        try {
            trouble.replaceChildren();
            shown.value = await change();
            news.value = done();
        } catch (error) {
            news.value = '';
            if (error instanceof Changed) {
                shown.value = error.product;
                news.value = t('picture.changed');
            } else {
                showError(trouble, error, again);
            }
        }
        settle();
    }

    /* next(images): the pictures as they are to be, made of those that there are when it is this change's turn; null: there is nothing to do. */
    const arrange = (next, done) => inTurn(async () => {
        const images = next([...imagesOf(shown.value)]);
        const change = () => arrangePictures(shown.value, images.map(({ id, alt = '' }) => ({ id, alt })));
        images && (await store(change, done, () => arrange(next, done)));
    });

    function describe(id, alt) {
        const isNew = image => image.id === id && (image.alt ?? '') !== alt;
        return arrange(images => (images.some(isNew) ? images.map(image => (isNew(image) ? { ...image, alt } : image)) : null), () => t('picture.described'));
    }

    /* Another change may have taken the picture, or its neighbour. */
    function swap(images, id, by) {
        const at = images.findIndex(image => image.id === id);
        if (at < 0 || !images[at + by]) {
            return null;
        }
        images.splice(at + by, 0, ...images.splice(at, 1));
        return images;
    }

    async function move(id, by, button) {
        await arrange(images => swap(images, id, by), () => t('picture.moved', { n: placeOf(id) + 1 }));
        const stays = button.checkVisibility() ? button : [...button.parentElement.querySelectorAll('button')].find(other => other.checkVisibility());
        (stays ?? chooser).focus(); /* another user may have removed it */
    }

    async function remove(id) {
        if ((await askRemoval(imagesOf(shown.value).find(image => image.id === id))) === 'yes') {
            await arrange(images => images.filter(image => image.id !== id), () => t('picture.removed'));
            chooser.focus();
        }
    }

    const placeOf = id => imagesOf(shown.value).findIndex(image => image.id === id);

    function item(image, first) {
        const { id } = first;
        const input = el('input', { class: 'form-control', id: `alt-${id}`, maxlength: MOST_LETTERS });
        follow(() => (input.value = image.value.alt ?? ''));
        const button = (key, label, act, props = {}) =>
            el('button', { type: 'button', class: 'btn', 'aria-label': () => t(label, { n: placeOf(id) + 1 }), ...props, onclick: ({ target }) => act(target) }, t(key));
        input.addEventListener('change', () => describe(id, input.value.trim()));
        return el(
            'li',
            {},
            el('img', { class: 'thumb', src: smallest(first), alt: () => image.value.alt ?? '' }),
            el(
                'div',
                { class: 'grows' },
                el('label', { class: 'form-label', for: `alt-${id}` }, () => t('picture.alt', { n: placeOf(id) + 1 })),
                input,
                el(
                    'div',
                    { class: 'actions' },
                    button('picture.forward', 'picture.forwardOne', target => move(id, -1, target), { hidden: () => placeOf(id) <= 0 }),
                    button('picture.back', 'picture.backOne', target => move(id, 1, target), { hidden: () => placeOf(id) === imagesOf(shown.value).length - 1 }),
                    button('picture.remove', 'picture.removeOne', () => remove(id), { class: 'btn btn-outline-danger' }),
                ),
            ),
        );
    }

    /* Names the file that was not added, and why. */
    function noteRefusal(name, error, again) {
        const reason = el('div');
        showError(reason, error, again);
        trouble.append(el('p', { class: 'field-error' }, t('picture.fault', { name })), reason);
    }

    /*
     * Adds the files, one after the other; n: how many were added before. One that is refused is named, and the others are added all the same. Where the
     * server takes none now, "Try again" begins with that one; key: of the first.
     */
    async function addAll(files, n = 0, key = newKey()) {
        let added = n;
        const owner = currentUser()?.id;
        for (const [i, file] of files.entries()) {
            const own = i === 0 ? key : newKey();
            news.value = t('picture.adding', { i: n + i + 1, n: n + files.length, name: file.name });
            try {
                shown.value = await addPicture(shown.value, file, own, owner);
                added += 1;
            } catch (error) {
                const isOfFile = OF_FILE.includes(error.status);
                noteRefusal(file.name, error, isOfFile ? undefined : () => add(files.slice(i), added, own));
                if (!isOfFile) {
                    break;
                }
            }
            settle();
        }
        news.value = added > 0 ? t('picture.added', { n: added }) : '';
    }

    const add = (...parts) => inTurn(() => {
        trouble.replaceChildren();
        return addAll(...parts);
    });

    const chooser = el('input', { type: 'file', id: 'pictures-file', accept: TYPES, multiple: true });
    chooser.addEventListener('change', () => {
        const files = [...chooser.files];
        chooser.value = '';
        add(files);
    });
    const drop = el(
        'div',
        { class: 'drop' },
        el('label', { class: 'form-label', for: 'pictures-file' }, t('picture.add')),
        chooser,
        el('p', { class: 'form-text' }, t('picture.about')),
    );
    drop.addEventListener('dragover', event => {
        event.preventDefault();
        drop.classList.add('over');
    });
    drop.addEventListener('dragleave', () => drop.classList.remove('over'));
    drop.addEventListener('drop', event => {
        event.preventDefault();
        drop.classList.remove('over');
        add([...event.dataTransfer.files]);
    });

    each(list, () => imagesOf(shown.value), ({ id }) => id, item);
    const section = el(
        'section',
        { class: 'section', 'aria-labelledby': 'pictures-title' },
        el('h2', { id: 'pictures-title' }, t('product.pictures')),
        trouble,
        el('p', { class: 'form-text', role: 'status' }, () => news.value),
        list,
        drop,
    );
    const catchUp = async () => {
        const now = await readProduct(product.id).catch(() => null);
        now && (shown.value = now);
    };
    return { elements: [section], catchUp };
}

/* The pictures of the product, null for a new one: { elements, catchUp() }, which is to be called after another tab may have changed it. */
export function makePictures(product) {
    if (!hasPictures) {
        return { elements: [], catchUp() {} };
    }
    return product ? makeSection(product) : { elements: [el('p', { class: 'form-text' }, t('picture.later'))], catchUp() {} };
}
