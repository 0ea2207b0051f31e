/* SPDX-License-Identifier: Apache-2.0 */
/* Charts of the last hour or day, each with a sentence that says what it shows. */
import { el } from '../lib/dom.js';
import { formatClock } from '../lib/text.js';

const WIDTH = 600; /* of the drawing, in its own units */
const HEIGHT = 200;
const TIMES = 4; /* parts into which the time is divided */

function svg(tag, attributes, ...children) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
}

/* parts: [{ from, to, value }]. Between two samples only the mean is known, so each part is level; what is unknown stays empty. */
function area(parts, most, begin, span) {
    const x = time => (((time - begin) / span) * WIDTH).toFixed(1);
    const y = value => (HEIGHT * (1 - value / most)).toFixed(1);
    return parts.map(({ from, to, value }) => `M${x(from)} ${HEIGHT}V${y(value)}H${x(to)}V${HEIGHT}Z`).join('');
}

/* Lines at the half, and at each time that is written below. */
function grid() {
    const times = Array.from({ length: TIMES - 1 }, (_, i) => `M${((i + 1) * WIDTH) / TIMES} 0V${HEIGHT}`);
    return `M0 ${HEIGHT / 2}H${WIDTH}${times.join('')}`;
}

/*
 * title: what it is; sentence: what it shows, in words. layers: [{ look, parts }], each drawn over the one before; most: the value at the
 * top; format(value): as text. now, span: the end of the time that is shown, and its length.
 */
export function chart({ title, sentence, layers, most, format, now, span }) {
    const begin = now - span;
    const drawing = svg(
        'svg',
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' },
        svg('path', { class: 'grid', d: grid() }),
        ...layers.map(({ look, parts }) => svg('path', { class: look, d: area(parts, most, begin, span) })),
    );
    const times = Array.from({ length: TIMES + 1 }, (_, i) => el('span', {}, formatClock(begin + (i * span) / TIMES)));
    const marks = [most, most / 2, 0].map(value => el('span', {}, format(value)));
    return el(
        'figure',
        { class: 'chart' },
        el('figcaption', {}, el('h3', {}, title), el('p', {}, sentence)),
        el('div', { class: 'plot', 'aria-hidden': 'true' }, el('div', { class: 'marks' }, marks), drawing, el('div', { class: 'hours' }, times)),
    );
}
