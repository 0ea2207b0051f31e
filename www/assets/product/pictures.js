/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pictures of a product: they are added, described, put in order and removed, each at once and beside the form, whose other fields may be
 * unsaved meanwhile. What another user has done to them meanwhile is shown, not overwritten.
 */
import { newKey, send } from '../lib/api.js';
import { each, el, follow, settle, state } from '../lib/dom.js';
import { showError } from '../lib/page.js';
import { t } from '../lib/text.js';
import { ask } from './editor.js';
import { addPicture, arrangePictures, Changed, readProduct } from './store.js';

const TYPES = 'image/jpeg,image/png,image/webp,image/avif,image/gif';
const MOST_LETTERS = 200; /* of a description */

let hasPictures = false;

/* Asks the server whether products have pictures, once a page. */
export async function learnPictures() {
    hasPictures = 'images' in (await send('GET', '/')).data.links;
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

    /* Runs change() and shows the product that it resolves to; again: for "Try again". */
    async function store(change, done, again) {
        try {
            trouble.replaceChildren();
            shown.value = await change();
            news.value = done;
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

    const arrange = (images, done) => store(() => arrangePictures(shown.value, images.map(({ id, alt = '' }) => ({ id, alt }))), done, () => arrange(images, done));

    function describe(id, alt) {
        const images = imagesOf(shown.value);
        const isNew = images.find(image => image.id === id).alt !== alt;
        isNew && arrange(images.map(image => (image.id === id ? { ...image, alt } : image)), t('picture.described'));
    }

    async function move(id, by, button) {
        const images = [...imagesOf(shown.value)];
        const at = images.findIndex(image => image.id === id);
        images.splice(at + by, 0, ...images.splice(at, 1));
        await arrange(images, t('picture.moved', { n: at + by + 1 }));
        const stays = button.checkVisibility() ? button : [...button.parentElement.querySelectorAll('button')].find(other => other.checkVisibility());
        (stays ?? chooser).focus(); /* another user may have removed it */
    }

    async function remove(id) {
        const images = imagesOf(shown.value);
        if ((await askRemoval(images.find(image => image.id === id))) === 'yes') {
            await arrange(images.filter(image => image.id !== id), t('picture.removed'));
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

    /* Adds the files from files[i] on, one after the other, as "Try again" does; key: of that one. */
    async function add(files, i = 0, key = newKey()) {
        if (i === files.length) {
            return;
        }
        const { name } = files[i];
        news.value = t('picture.adding', { i: i + 1, n: files.length, name });
        await store(() => addPicture(shown.value, files[i], key), t('picture.added', { n: i + 1 }), () => add(files, i, key));
        if (trouble.hasChildNodes()) {
            trouble.prepend(el('p', { class: 'field-error' }, t('picture.fault', { name })));
        } else {
            await add(files, i + 1);
        }
    }

    const chooser = el('input', { type: 'file', id: 'pictures-file', accept: TYPES, multiple: true });
    chooser.addEventListener('change', async () => {
        const files = [...chooser.files];
        chooser.value = '';
        await add(files);
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
