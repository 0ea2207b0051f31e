/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control for a list of texts, such as tags. Each text is a chip with a button to remove it, before a field for the
 * next text. The value of the control has one text per line, like a text area. Enter adds the typed text, which may
 * contain any character.
 *
 * Text typed without Enter is part of the value but not a chip: a chip added when the focus leaves would move the
 * button that is being clicked.
 */
import { bdi, el } from '../lib/dom.js';
import { t } from '../lib/text.js';
import { isCounted, judgeValue, suggestValues } from './known.js';

const linesOf = text => text.split('\n').map(line => line.trim()).filter(line => line !== '');

class Chips extends HTMLElement {
    static formAssociated = true;
    static observedAttributes = ['aria-invalid', 'aria-describedby'];

    #internals = this.attachInternals();
    #texts = [];
    #list = el('ul', { class: 'tags' });
    #entry = el('input', { type: 'text', autocomplete: 'off' });
    #news = el('span', { class: 'visually-hidden', role: 'status' }); /* must exist before it gets text, otherwise
                                                                       * screen readers ignore the text */

    connectedCallback() {
        if (this.#entry.isConnected) {
            return;
        }
        this.#entry.setAttribute('aria-label', this.getAttribute('data-label'));
        this.append(this.#list, this.#entry, this.#news);
        isCounted(this.dataset.field) && this.append(suggestValues(this.dataset.field, this.#entry));
        this.addEventListener('click', ({ target }) => target === this && this.focus());
        this.#entry.addEventListener('keydown', event => this.#press(event));
        this.#entry.addEventListener('input', event => this.#type(event));
        this.#entry.addEventListener('paste', event => this.#paste(event));
    }

    attributeChangedCallback(name, before, value) {
        value === null ? this.#entry.removeAttribute(name) : this.#entry.setAttribute(name, value);
    }

    formResetCallback() {
        this.value = '';
    }

    /* ---- the interface of form controls ---- */

    get name() {
        return this.getAttribute('name');
    }

    get labels() {
        return this.#internals.labels;
    }

    get required() {
        return this.hasAttribute('required');
    }

    get validity() {
        return this.#internals.validity;
    }

    get value() {
        return [...new Set([...this.#texts, ...linesOf(this.#entry.value)])].join('\n');
    }

    set value(text) {
        this.#texts = [];
        this.#entry.value = '';
        this.#list.replaceChildren();
        linesOf(text).forEach(line => this.#show(line));
    }

    focus() {
        this.#entry.focus();
    }

    /* ---- actions of the user ---- */

    #press(event) {
        if (event.key === 'Enter' && this.#entry.value.trim() !== '' && !event.isComposing) {
            event.preventDefault(); /* with an empty field, Enter submits the form */
            this.#add();
        } else if (event.key === 'Backspace' && !event.repeat && this.#entry.value === '' && this.#texts.length > 0) {
            this.#remove(this.#texts.at(-1));
        }
    }

    /* Adds a chosen suggestion at once. */
    #type(event) {
        if (event.inputType === 'insertReplacementText' || !(event instanceof InputEvent)) {
            this.#add();
        }
    }

    #paste(event) {
        const text = event.clipboardData.getData('text');
        if (/[\n\t]/.test(text)) {
            event.preventDefault();
            text.split(/[\n\t]/).forEach(line => this.#show(line.trim(), true));
            this.#tell();
        }
    }

    #add() {
        const text = this.#entry.value.trim();
        if (text !== '') {
            this.#entry.value = '';
            this.#show(text, true);
            this.#tell();
        }
    }

    #show(text, isTyped = false) {
        if (text === '' || this.#texts.includes(text)) {
            return;
        }
        const remove = el('button', { type: 'button', 'aria-label': t('chips.remove', { text }), onclick: () => this.#remove(text) });
        const chip = el('li', { class: 'badge' }, bdi(text), remove);
        this.#texts.push(text);
        this.#list.append(chip);
        isTyped && isCounted(this.dataset.field) && this.#judge(text, chip);
    }

    async #judge(text, chip) {
        const verdict = await judgeValue(this.dataset.field, text);
        if (verdict !== '') {
            chip.classList.add('warn');
            const note = verdict === 'new' ? t('chips.new') : t('chips.other', { value: verdict });
            chip.querySelector('bdi').after(el('span', { class: 'form-text' }, note));
            this.#news.textContent = `${text}: ${note}`;
        }
    }

    #remove(text) {
        const at = this.#texts.indexOf(text);
        this.#texts.splice(at, 1);
        this.#list.children[at].remove();
        this.focus();
        this.#tell();
    }

    #tell() {
        this.dispatchEvent(new Event('input', { bubbles: true }));
    }
}

customElements.define('catalog-chips', Chips);

/* `attributes` are those of the control, `name` is the field's name, `label` its label. */
export const chips = (attributes, name, label) => el('catalog-chips', { class: 'form-control', ...attributes, 'data-field': name, 'data-label': label });
