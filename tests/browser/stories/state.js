/* SPDX-License-Identifier: Apache-2.0 */
/* www/assets/lib/dom.js: state, and the elements that follow it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { story } from '../visitor.js';

/* Runs body(dom, root) in a page, with an empty element. Resolves to what it returns. */
function unit(name, server, body, check) {
    story(`state: ${name}`, server, async visit => {
        const { page } = await visit();
        await page.goto('/404.html');
        const result = await page.evaluate(
            `(async () => {
                const dom = await import('/assets/lib/dom.js');
                const root = document.createElement('div');
                document.body.append(root);
                return (${body})(dom, root);
            })()`,
        );
        check(result);
    });
}

export function stories(server) {
    unit(
        'what reads a value runs again after it has changed, once a task, and not after its end',
        server,
        async ({ state, follow }) => {
            const [a, b] = [state(1), state(10)];
            const seen = [];
            const end = follow(() => seen.push(a.value + b.value));
            a.value = 2;
            b.value = 20;
            await null;
            a.value = 2;
            await null;
            end();
            a.value = 3;
            await null;
            return seen;
        },
        seen => assert.deepEqual(seen, [11, 22]),
    );

    unit(
        'a row that reads its item is made anew in its place, and one that does so in a function is not',
        server,
        ({ state, each, el, flush }, root) => {
            const list = state([{ id: 1, n: 1 }, { id: 2, n: 2 }]);
            const [read, followed] = [el('ul'), el('ul')];
            root.append(read, followed);
            each(read, () => list.value, ({ id }) => id, ({ value: { n } }) => el('li', {}, () => n));
            each(followed, () => list.value, ({ id }) => id, (item, { id }) => el('li', {}, () => `${id}: ${item.value.n}`));
            const before = followed.firstChild;
            list.value = [{ id: 1, n: 5 }, { id: 2, n: 2 }];
            flush();
            list.value = [{ id: 2, n: 3 }, { id: 1, n: 6 }];
            flush();
            const texts = parent => [...parent.children].map(({ textContent }) => textContent);
            return { read: texts(read), followed: texts(followed), isKept: followed.lastChild === before };
        },
        result => assert.deepEqual(result, { read: ['3', '6'], followed: ['2: 3', '1: 6'], isKept: true }),
    );

    unit(
        'a value that is no longer read does not count',
        server,
        ({ state, follow, flush }) => {
            const [which, a, b] = [state('a'), state(1), state(2)];
            const seen = [];
            follow(() => seen.push(which.value === 'a' ? a.value : b.value));
            which.value = 'b';
            flush();
            a.value = 5;
            flush();
            b.value = 6;
            flush();
            return seen;
        },
        seen => assert.deepEqual(seen, [1, 2, 6]),
    );

    unit(
        'what was made inside ends when what made it runs again',
        server,
        ({ state, follow, flush }) => {
            const [outer, inner] = [state(0), state(0)];
            let runs = 0;
            follow(() => {
                outer.value;
                follow(() => {
                    inner.value;
                    runs++;
                });
            });
            outer.value = 1;
            flush();
            inner.value = 1;
            flush();
            return runs;
        },
        runs => assert.equal(runs, 3),
    );

    unit(
        'attributes and texts follow; texts are not parsed as HTML',
        server,
        ({ state, el, flush }, root) => {
            const [text, busy] = [state('<b>1</b>'), state(true)];
            root.append(el('p', { class: 'x', 'aria-busy': () => busy.value }, () => text.value));
            const before = root.innerHTML;
            text.value = ['2', el('i', {}, '3')];
            busy.value = false;
            flush();
            return [before, root.innerHTML];
        },
        ([before, after]) => {
            assert.equal(before, '<p class="x" aria-busy="">&lt;b&gt;1&lt;/b&gt;</p>');
            assert.equal(after, '<p class="x">2<i>3</i></p>');
        },
    );

    unit(
        'a list keeps the element, and the focus, of each item that stays',
        server,
        ({ state, el, each, flush }, root) => {
            const items = state(['a', 'b', 'c'].map(id => ({ id, n: 1 })));
            const render = item => el('button', {}, () => item.value.id + item.value.n);
            each(root, () => items.value, ({ id }) => id, render);
            const [, b, c] = root.children;
            b.focus();
            const texts = [root.textContent];
            items.value = ['d', 'b', 'c'].map(id => ({ id, n: 2 }));
            flush();
            flush();
            texts.push(root.textContent, root.children[1] === b, document.activeElement === b);
            items.value = ['c', 'b'].map(id => ({ id, n: 3 }));
            flush();
            flush();
            texts.push(root.textContent, root.children[0] === c);
            items.value = [];
            flush();
            return [...texts, root.childNodes.length];
        },
        result => assert.deepEqual(result, ['a1b1c1', 'd2b2c2', true, true, 'c3b3', true, 0]),
    );

    unit(
        'an item that is gone follows nothing any more',
        server,
        ({ state, el, each, flush }, root) => {
            const [items, outside] = [state(['a']), state(0)];
            let runs = 0;
            const render = item =>
                el('p', {}, () => {
                    runs++;
                    return item.value + outside.value;
                });
            each(root, () => items.value, item => item, render);
            outside.value = 1;
            flush();
            items.value = [];
            flush();
            outside.value = 2;
            flush();
            return runs;
        },
        runs => assert.equal(runs, 2),
    );

    story('the example of a page in docs/pages.md works as it stands', server, async visit => {
        const visitor = await visit();
        const { page } = visitor;
        const text = readFileSync(new URL('../../../docs/pages.md', import.meta.url), 'utf8').split('## How a page is made')[1];
        const [[, head], [, content]] = text.matchAll(/^```html\n(.*?)^```$/gms);
        const [, script] = /^```js\n(import .*?)^```$/ms.exec(text);
        await page.route('**/sessions.html', async route => {
            const response = await route.fetch({ url: `${server.url}/404.html` });
            const body = (await response.text())
                .replace('assets/pages/missing.js', 'assets/pages/sessions.js')
                .replace(/(?<=\/style\.css">)/, head)
                .replace(/(<div id="trouble"><\/div>).*(?=<\/main>)/s, `$1${content}`);
            await route.fulfill({ response, body });
        });
        await page.route('**/assets/pages/sessions.js', route => route.fulfill({ contentType: 'text/javascript', body: script }));
        await visitor.arrive(await server.register('exemplary'));
        await page.goto('/sessions.html');
        await page.getByRole('listitem').filter({ hasText: /\d{4}, \d\d:\d\d/ }).first().waitFor();
        await visitor.hears('Where you are signed in');
    });

    unit(
        'an item that is as it was is not made anew',
        server,
        ({ state, el, each, flush }, root) => {
            const items = state([{ id: 'a', names: ['x'] }]);
            each(root, () => items.value, ({ id }) => id, item => el('p', {}, () => el('button', {}, item.value.names.join())));
            const button = root.querySelector('button');
            button.focus();
            items.value = [{ id: 'a', names: ['x'] }];
            flush();
            flush();
            const isKept = document.activeElement === button;
            items.value = [{ id: 'a', names: ['x', 'y'] }];
            flush();
            flush();
            return [isKept, root.textContent];
        },
        result => assert.deepEqual(result, [true, 'x,y']),
    );
}
