/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of a product that users write: how their values are typed, checked, shown and compared. */
import { rules } from '../lib/form.js';
import { formatPrice, formatRating, parseNumber, t } from '../lib/text.js';

function numberRule(least, most) {
    return (value, values, input) => {
        const number = parseNumber(value);
        if (value === '') {
            return input.required ? t('fault.given') : '';
        }
        if (Number.isNaN(number)) {
            return t('fault.number');
        }
        return number < least || number > most
            ? t(most === Infinity ? 'fault.least' : 'fault.between', { least, most })
            : '';
    };
}

/* A text that parseNumber() reads as the number; in some languages it takes three decimals for thousands, but not four. */
function typeNumber(value = '') {
    const text = String(value);
    return value !== '' && Number.isNaN(parseNumber(text)) ? `${text}0` : text;
}

const asText = value => value;

/*
 * THE FIELDS. type(value) makes the text that users edit, read(text) the value of what they typed, show(value) a text to look at. A
 * field with options is chosen from them, and one that is a switch from true and false. read() of a field that a product may lack returns
 * null for an empty text.
 */
export const FIELDS = {
    name: {
        label: 'edit.name',
        isRequired: true,
        check: value => rules.given(value) || rules.atMost(200)(value),
        type: asText,
        read: asText,
        show: asText,
    },
    price: {
        label: 'list.price',
        isRequired: true,
        isNumber: true,
        check: numberRule(0, Infinity),
        type: typeNumber,
        read: parseNumber,
        show: value => formatPrice(value),
    },
    category: {
        label: 'product.category',
        hint: 'edit.optional',
        check: rules.atMost(100),
        type: asText,
        read: asText,
        show: asText,
    },
    rating: {
        label: 'list.rating',
        hint: 'edit.ratingHint',
        isNumber: true,
        check: numberRule(0, 5),
        type: typeNumber,
        read: text => (text === '' ? null : parseNumber(text)),
        show: value => (value === undefined || value === null ? '' : formatRating(value)),
    },
    inStock: {
        label: 'product.inStock',
        isSwitch: true,
        type: asText,
        read: asText,
        show: value => t(value ? 'product.inStock' : 'product.soldOut'),
    },
};

const names = Object.keys(FIELDS);

/* The rules of the fields that are typed, for manage(). */
export const checks = Object.fromEntries(names.filter(name => FIELDS[name].check).map(name => [name, FIELDS[name].check]));

/* What a form has, { name: text }, as values of a product; null: the product is to lack that. */
export function readTyped(typed) {
    return Object.fromEntries(names.filter(name => name in typed).map(name => [name, FIELDS[name].read(typed[name])]));
}

/* The members of wanted, a product or some of its values, that product has otherwise. */
export function differences(wanted, product) {
    const isOther = name => name in wanted && (wanted[name] ?? null) !== (product[name] ?? null);
    return Object.fromEntries(names.filter(isOther).map(name => [name, wanted[name] ?? null]));
}

/* Do both have the same values in all fields? */
export function isSame(one, other) {
    return names.every(name => (one[name] ?? null) === (other[name] ?? null));
}
