/* SPDX-License-Identifier: Apache-2.0 */
import { byId, el } from './dom.js';
import { showError } from './page.js';

const PAUSE = 700; /* ms without a key: time to say what is wrong, though the field has not been left */

/* A rule gets (value, all values, input) and says what the value "must ...", or nothing when it is good. */
export const rules = {
    given: value => (value === '' ? 'must be filled in' : ''),
    username: value => ([...value].length < 3 ? 'must have at least 3 characters' : ''),
    email: value => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? '' : 'must look like name@example.com'),
    password: value => ([...value].length < 8 ? 'must have at least 8 characters' : ''),
    sameAs: name => (value, values) => (value === values[name] ? '' : 'must be the same'),
};

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
    byId(`${input.id}-error`).textContent = text ? `${label} ${text}.` : '';
    input.classList.toggle('is-invalid', Boolean(text));
    text ? input.setAttribute('aria-invalid', 'true') : input.removeAttribute('aria-invalid');
}

function isFaulty(input) {
    return input.hasAttribute('aria-invalid');
}

/*
 * Shows a form, and checks the fields that have a rule while one types: what is wrong is said when typing pauses or
 * goes on in another field, and taken back at once. submit(values) is called when all is good; the ApiError that it
 * throws is shown, at the fields where it names them. An input with the id x needs a <label> and an element x-error,
 * which its aria-describedby names.
 */
export function manage(form, checks, submit) {
    const trouble = el('div');
    const inputs = [...form.elements].filter(input => input.name in checks);
    const refused = new Set(); /* by the server, until they are changed */
    let busy = false;
    let pause;

    function faultOf(input) {
        const values = valuesOf(form);
        return checks[input.name](values[input.name], values, input) ?? '';
    }

    function check(some) {
        some.filter(input => !refused.has(input)).forEach(input => showFault(input, faultOf(input)));
    }

    /* A change in one field may be a fault in another; one that is still empty is left in peace. */
    function checkTyped(changed) {
        clearTimeout(pause);
        check(inputs.filter(input => input === changed || input.value !== ''));
    }

    function setBusy(now) {
        busy = now;
        form.setAttribute('aria-busy', now);
        form.querySelector('[type=submit]').setAttribute('aria-disabled', now);
    }

    function showRefused(faults) {
        const named = faults.map(({ field }) => form.elements.namedItem(field));
        faults.forEach(({ message }, i) => {
            if (named[i]) {
                refused.add(named[i]);
                showFault(named[i], message);
            }
        });
        form.querySelector('[aria-invalid]')?.focus();
        return faults.length > 0 && named.every(input => input);
    }

    async function send() {
        clearTimeout(pause);
        trouble.replaceChildren();
        refused.clear();
        check(inputs);
        const first = inputs.find(isFaulty);
        if (first) {
            first.focus();
            return;
        }
        setBusy(true);
        try {
            await submit(valuesOf(form));
            delete form.dataset.edited;
        } catch (error) {
            if (!showRefused(error.fields ?? [])) {
                showError(trouble, error).focus();
            }
        } finally {
            setBusy(false);
        }
    }

    form.noValidate = true; /* the browser's bubbles would come in between */
    form.prepend(trouble);
    form.addEventListener('input', ({ target }) => {
        form.dataset.edited = '';
        refused.delete(target);
        check(inputs.filter(input => isFaulty(input) && !faultOf(input)));
        clearTimeout(pause);
        pause = setTimeout(checkTyped, PAUSE, target);
    });
    form.addEventListener('focusout', ({ target, relatedTarget }) => {
        /* Only on the way to another field: a button would move away from under the mouse that is about to press it. */
        if (target.value !== '' && inputs.includes(relatedTarget)) {
            checkTyped(target);
        }
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

/* A box that is named so shows what is typed. */
function revealPasswords(form) {
    const inputs = [...form.querySelectorAll('input[type=password]')];
    inputs.forEach(input => (input.dataset.reveal = ''));
    form.querySelector('[data-reveals]')?.addEventListener('change', ({ target }) => {
        inputs.forEach(input => (input.type = target.checked ? 'text' : 'password'));
    });
}
