/* SPDX-License-Identifier: Apache-2.0 */
/* Small charts of the last hour, each with a sentence that says what it shows. */
import { el } from '../lib/dom.js';
import { formatClock } from '../lib/text.js';
import { HOUR } from './metrics.js';

const WIDTH = 360; /* of the drawing, in its own units */
const HEIGHT = 60;

function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
}

/* parts: [{ from, to, value }]. Between two samples only the mean is known, so each part is level; what is unknown stays empty. */
function area(parts, most, now) {
    const x = time => (((time - now) / HOUR + 1) * WIDTH).toFixed(1);
    const y = value => (HEIGHT * (1 - value / most)).toFixed(1);
    return parts.map(({ from, to, value }) => `M${x(from)} ${HEIGHT}V${y(value)}H${x(to)}V${HEIGHT}Z`).join('');
}

/*
 * title: what it is; sentence: what it shows, in words. layers: [{ look, parts }], each drawn over the one before; most: the value at the
 * top, highest: the same as text.
 */
export function chart({ title, sentence, layers, most, highest, now }) {
    const drawing = svg(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        ...layers.map(({ look, parts }) => svg('path', { class: look, d: area(parts, most, now) })),
    );
    return el(
        'figure',
        { class: 'chart' },
        el('figcaption', {}, el('h3', {}, title), el('p', {}, sentence)),
        el('div', { class: 'highest', 'aria-hidden': 'true' }, highest),
        drawing,
        el('div', { class: 'hours', 'aria-hidden': 'true' }, el('span', {}, formatClock(now - HOUR)), el('span', {}, formatClock(now))),
    );
}
