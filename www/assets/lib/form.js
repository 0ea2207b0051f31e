/* SPDX-License-Identifier: Apache-2.0 */
import { byId, el } from './dom.js';
import { showError } from './page.js';
import { hasText, language, t } from './text.js';

const PAUSE = 700; /* ms without a key after which the form shows errors even in the field that has the focus */

const lengthOf = text => [...text].length;

/* A rule receives (value, all values, input) and returns an error text, or '' or undefined if the value is valid. */
export const rules = {
    given: value => (value === '' ? t('fault.given') : ''),
    email: value => {
        const [, domain] = /^[^\s@]+@([^\s@]+\.[^\s@]+)$/.exec(value) ?? [];
        if (domain && /[^ -~]/.test(domain)) {
            return t('fault.domain');
        }
        return domain && /\.[a-z][^.]+$/i.test(domain) ? '' : t('fault.email');
    },
    atLeast: n => value => (lengthOf(value) < n ? t('fault.short', { n }) : ''),
    atMost: n => value => (lengthOf(value) > n ? t('fault.long', { n }) : ''),
    sameAs: name => (value, values) => (value === values[name] ? '' : t('fault.same')),
};
rules.username = value => (/^[\w.-]*$/.test(value) ? rules.atLeast(3)(value) : t('fault.username.format'));
rules.password = rules.atLeast(8);

/* Returns the text of a field error. Translates it, because the server's message is in English. */
export function explain({ field, code, message }) {
    const keys = [`fault.${field}.${code}`, ...(language === 'en' ? [] : [`fault.${code}`])];
    const key = keys.find(hasText);
    return key ? t(key) : message;
}

function valuesOf(form) {
    const values = {};
    for (const input of form.elements) {
        if (input.name) {
            const text =
                input.type === 'password' || 'reveal' in input.dataset ? input.value : input.value.trim();
            values[input.name] = input.type === 'checkbox' ? input.checked : text;
        }
    }
    return values;
}

function showFault(input, text) {
    const label = input.labels[0].textContent.trim();
    byId(`${input.id}-error`).textContent = text ? t('form.fault', { label, fault: text }) : '';
    input.classList.toggle('is-invalid', Boolean(text));
    text ? input.setAttribute('aria-invalid', 'true') : input.removeAttribute('aria-invalid');
}

function isFaulty(input) {
    return input.hasAttribute('aria-invalid');
}

/*
 * Shows a form and checks its fields by their rules while the user types. An error appears when typing pauses or
 * another field gets the focus, and disappears once it is corrected. Calls submit(values) when all fields are valid,
 * and shows the ApiError that it throws next to the fields that it names. submit resolves to false if nothing was
 * stored.
 *
 * An input with the id x needs a <label> and an element x-error, which its aria-describedby names; field() of
 * controls.js makes both. Resetting the form removes the errors. nameOf(field) returns the name of the control for a
 * field that the server refuses, if the names differ.
 */
export function manage(form, checks, submit, nameOf = field => field) {
    const trouble = el('div');
    const inputs = [...form.elements].filter(input => input.name in checks);
    const refused = new Set(); /* inputs that the server refused and that the user has not changed since */
    let busy = false;
    let pause;

    function faultOf(input) {
        const values = valuesOf(form);
        return checks[input.name](values[input.name], values, input) ?? '';
    }

    function check(some) {
        some.filter(input => !refused.has(input)).forEach(input => showFault(input, faultOf(input)));
    }

    /* Checks all fields, because a change of one may make another invalid. A field that is still empty shows no error
     * yet. The form may have been removed meanwhile. */
    function checkTyped(changed) {
        clearTimeout(pause);
        form.isConnected && check(inputs.filter(input => input === changed || input.value !== ''));
    }

    function setBusy(now) {
        busy = now;
        form.setAttribute('aria-busy', now);
        form.querySelector('[type=submit]').setAttribute('aria-disabled', now);
    }

    function showRefused(faults) {
        const named = faults.map(({ field }) => form.elements.namedItem(nameOf(field)));
        faults.forEach((fault, i) => {
            if (named[i]) {
                refused.add(named[i]);
                showFault(named[i], explain(fault));
            }
        });
        form.querySelector('[aria-invalid]')?.focus();
        return faults.length > 0 && named.every(input => input);
    }

    function forgetFaults() {
        clearTimeout(pause);
        trouble.replaceChildren();
        refused.clear();
    }

    async function send() {
        forgetFaults();
        check(inputs);
        const first = inputs.find(isFaulty);
        if (first) {
            first.focus();
            return;
        }
        setBusy(true);
        try {
            if ((await submit(valuesOf(form))) !== false) {
                delete form.dataset.edited;
            }
        } catch (error) {
            if (!showRefused(error.fields ?? [])) {
                showError(trouble, error).focus();
            }
        } finally {
            setBusy(false);
        }
    }

    form.noValidate = true; /* otherwise the browser shows its own messages */
    form.prepend(trouble);
    form.addEventListener('input', ({ target }) => {
        form.dataset.edited = '';
        refused.delete(target);
        check(inputs.filter(input => isFaulty(input) && !faultOf(input)));
        clearTimeout(pause);
        pause = setTimeout(checkTyped, PAUSE, target);
    });
    form.addEventListener('focusout', ({ target, relatedTarget }) => {
        /* Only if another field gets the focus: the message would move a button away from the mouse that presses it. */
        if (target.value !== '' && inputs.includes(relatedTarget)) {
            checkTyped(target);
        }
    });
    form.addEventListener('reset', () => {
        forgetFaults();
        inputs.forEach(input => showFault(input, ''));
        delete form.dataset.edited;
    });
    form.addEventListener('submit', event => {
        event.preventDefault();
        if (!busy) {
            send();
        }
    });
    revealPasswords(form);
    form.hidden = false;
}

/* Makes a checkbox with data-reveals show the passwords as they are typed. */
function revealPasswords(form) {
    const inputs = [...form.querySelectorAll('input[type=password]')];
    inputs.forEach(input => (input.dataset.reveal = ''));
    form.querySelector('[data-reveals]')?.addEventListener('change', ({ target }) => {
        inputs.forEach(input => (input.type = target.checked ? 'text' : 'password'));
    });
}
