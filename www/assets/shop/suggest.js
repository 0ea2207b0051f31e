/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions below a search field while the user types: words that complete the last word, and products. The field is
 * an editable combobox with a list (WAI-ARIA): the focus stays in the field, arrow keys choose, Enter takes the choice,
 * Escape closes. This module is loaded when a field gets the focus.
 */
import { connection, read } from '../lib/api.js';
import { bdi, el } from '../lib/dom.js';
import { at } from '../lib/shell.js';
import { t } from '../lib/text.js';

const PAUSE = 150; /* ms without a key after which the server is asked */
const MOST = 5;
const LAST_WORD = /[\p{L}\p{N}\p{M}]+$/u;

const complete = (text, word) => text.trim().replace(LAST_WORD, word);

class Suggestions {
    constructor(field) {
        this.field = field;
        this.list = el('div', { id: 'suggestions', class: 'menu', role: 'listbox', 'aria-label': t('list.suggestions'), hidden: true });
        this.list.addEventListener('mousedown', event => event.preventDefault()); /* keeps the focus in the field */
        field.form.append(this.list);
        field.form.addEventListener('submit', () => this.close());
        field.addEventListener('input', () => this.ask());
        field.addEventListener('blur', () => this.close());
        field.addEventListener('keydown', event => this.take(event));
        for (const [name, value] of [['role', 'combobox'], ['aria-autocomplete', 'list'], ['aria-controls', 'suggestions']]) {
            field.setAttribute(name, value);
        }
        this.choose(-1);
        this.close();
    }

    get options() {
        return [...this.list.querySelectorAll('[role=option]')];
    }

    close() {
        clearTimeout(this.pause);
        this.text = undefined;
        this.list.hidden = true;
        this.field.setAttribute('aria-expanded', 'false');
        this.field.removeAttribute('aria-activedescendant');
    }

    /* Drops the choice, which completed another text. */
    ask() {
        clearTimeout(this.pause);
        this.choose(-1);
        this.text = this.field.value;
        if (connection.value === 'up' && LAST_WORD.test(this.text.trim())) {
            this.pause = setTimeout(() => this.read(this.text), PAUSE);
        } else {
            this.close();
        }
    }

    /* Ignores an answer that arrives after another key. If there is no answer, the search works without suggestions. */
    async read(text) {
        const { data } = await read(`/products/suggest?${new URLSearchParams({ q: text, limit: MOST })}`).catch(() => ({}));
        if (this.text === text) {
            this.show(text, data);
        }
    }

    show(text, { words = [], products = [] } = {}) {
        const typed = text.trim().toLowerCase();
        const texts = words.map(word => complete(text, word)).filter(found => found.toLowerCase() !== typed);
        const groups = [
            this.group('list.suggestedSearches', texts.map(found => this.option(found, () => this.search(found)))),
            this.group('list.suggestedProducts', products.map(({ id, name }) => this.option(name, () => location.assign(at(`product.html?id=${id}`))))),
        ];
        this.list.replaceChildren(...groups.filter(Boolean));
        this.options.forEach((option, i) => (option.id = `suggestion-${i}`));
        this.choose(-1);
        this.list.hidden = !this.list.hasChildNodes();
        this.field.setAttribute('aria-expanded', String(!this.list.hidden));
    }

    group(key, options) {
        return options.length > 0 && el('div', { role: 'group', 'aria-label': t(key) }, ...options);
    }

    option(text, onclick) {
        const take = () => {
            this.close(); /* the browser may later show this page again as it was left */
            onclick();
        };
        return el('div', { role: 'option', onclick: take }, bdi(text));
    }

    search(text) {
        this.field.value = text;
        this.field.form.requestSubmit();
    }

    choose(index) {
        this.index = index;
        this.options.forEach((option, i) => option.setAttribute('aria-selected', String(i === index)));
        const option = this.options[index];
        if (option) {
            this.field.setAttribute('aria-activedescendant', option.id);
            option.scrollIntoView({ block: 'nearest' });
        } else {
            this.field.removeAttribute('aria-activedescendant');
        }
    }

    /* Moves the choice. Before the first option and after the last one, nothing is chosen. */
    move(step) {
        const places = this.options.length + 1;
        this.choose(((this.index + 1 + step + places) % places) - 1);
    }

    take(event) {
        const chosen = this.options[this.index];
        if (event.isComposing || event.keyCode === 229) {
            return; /* an input method takes the key; Safari reports this by its code */
        }
        if (this.list.hidden) {
            if (event.key === 'ArrowDown') {
                this.ask();
            }
            return;
        }
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
            this.move(event.key === 'ArrowDown' ? 1 : -1);
        } else if (event.key === 'Escape') {
            this.close();
        } else if (event.key === 'Enter' && chosen) {
            chosen.click();
        } else {
            return;
        }
        event.preventDefault();
    }
}

/* `before` is the text of the field when it got the focus. */
export function suggest(field, before) {
    const suggestions = new Suggestions(field);
    if (field.value !== before && document.activeElement === field) {
        suggestions.ask();
    }
}
