/* SPDX-License-Identifier: Apache-2.0 */
/* For administrators: the state of the server, its activity in the last hour or day, and the mail queue. The page
 * updates itself. */
import { ApiError, call, currentUser, send } from '../lib/api.js';
import { bdi, byId, el, follow, state } from '../lib/dom.js';
import { setLink, table } from '../lib/list.js';
import { loader, showError, start } from '../lib/page.js';
import { formatClock, formatNumber, formatPercent, formatTime, formatWhole, hasText, pieces, t } from '../lib/text.js';
import { chart } from '../server/chart.js';
import { DAY, findChanges, HOUR, keepSample, PATH, readMetrics, recallSamples } from '../server/metrics.js';

const PERIOD = 15_000; /* ms between updates */
const MINUTE = 60_000;
const LIMIT = 10; /* mails per page */
const UNKNOWN = '–';

const sum = (items, valueOf) => items.reduce((total, item) => total + valueOf(item), 0);

/* ---- the state ---- */

const health = state(null); /* { schema, oldestMail } */
const fault = state(''); /* the server's message if it is not ready */
const version = state(null);
const database = state(null); /* { name, version } */
const reading = state(null); /* current metrics */
const failed = state(null); /* number of dead mails */

async function readHealth() {
    try {
        health.value = (await send('GET', '/health/ready')).data;
        fault.value = '';
        database.value ??= (await call('GET', '/database')).data;
    } catch (error) {
        if (!(error instanceof ApiError)) {
            throw error;
        }
        health.value = null;
        fault.value = error.status > 0 ? error.message : ''; /* without an answer, the bar shows it */
    }
}

function stateBadge() {
    if (fault.value) {
        return el('span', { class: 'badge warn' }, t('server.notReady'));
    }
    return health.value ? el('span', { class: 'badge' }, t('server.ready')) : UNKNOWN;
}

/* Returns the number of dead mails, highlighted because only these require an action. */
function failedMails() {
    const n = failed.value;
    return n > 0 ? el('span', { class: 'badge bad' }, formatWhole(n)) : n === null ? UNKNOWN : formatWhole(n);
}

function oldestMail() {
    const { oldestMail: time, schema } = health.value ?? {};
    return time ? formatTime(time) : schema ? t('server.noMail') : UNKNOWN;
}

/* The facts. */
const FACTS = {
    'server.state': stateBadge,
    'server.version': () => version.value ?? UNKNOWN,
    'server.database': () => (database.value ? `${database.value.name} ${database.value.version}` : UNKNOWN),
    'server.schema': () => String(health.value?.schema ?? UNKNOWN),
    'server.connections': () => (reading.value ? formatWhole(reading.value.connections) : UNKNOWN),
    'server.oldest': oldestMail,
    'server.failed': failedMails,
};

function showFault() {
    const reason = el('span', { lang: 'en' }, fault.value);
    const alert = el('div', { class: 'alert alert-danger', role: 'alert' }, el('p', {}, pieces('server.says', { reason })));
    byId('health-trouble').replaceChildren(...(fault.value ? [alert] : []));
}

/* ---- charts ---- */

/* Lengths of time that the charts can show. */
const SPANS = { hour: HOUR, day: DAY };

const samples = state([]);
const isRefused = state(false); /* true if reading the metrics again is useless until the administrator asks for it */

/* Lines that an administrator must add to the server's configuration. */
const CONFIGURATION = `<Location "${PATH}">
    SetHandler catalog-metrics
    CatalogKeyFile /etc/catalog/token.key
    AuthType Catalog
    AuthName "metrics"
    Require catalog-role admin
</Location>`;

function explainMetrics(key, status) {
    isRefused.value = true;
    const again = () => {
        isRefused.value = false;
        byId('metrics-trouble').replaceChildren();
        sampleMetrics();
    };
    byId('metrics-trouble').replaceChildren(
        el(
            'div',
            { class: 'alert alert-warning', role: 'alert' },
            el('p', {}, pieces(key, { path: el('code', {}, PATH), status: String(status) })),
            el('pre', { lang: 'en' }, CONFIGURATION),
            el('button', { type: 'button', class: 'btn', onclick: again }, t('error.again')),
        ),
    );
}

async function sampleMetrics() {
    if (isRefused.value) {
        return;
    }
    try {
        reading.value = await readMetrics();
        if (reading.value) {
            samples.value = keepSample(currentUser().id, reading.value.sample);
        } else {
            explainMetrics('server.otherMetrics');
        }
    } catch (error) {
        if (!(error instanceof ApiError)) {
            throw error;
        }
        reading.value = null;
        if (error.status >= 400 && error.status !== 503 && !error.ended) {
            explainMetrics('server.noMetrics', error.status);
        }
    }
}

const perMinute = valueOf => change => {
    const { from, to } = change;
    return { from, to, value: (valueOf(change) * MINUTE) / (to - from) };
};
const formatMark = value => formatNumber(Math.round(value * 100) / 100);
const highestOf = parts => Math.ceil(Math.max(1, ...parts.map(({ value }) => value)));

function requestChart(changes, time) {
    const parts = changes.map(perMinute(({ requests }) => requests));
    const faults = changes.map(perMinute(({ errors }) => errors));
    const most = highestOf(parts);
    const errors = sum(changes, change => change.errors);
    const n = sum(changes, change => change.requests);
    const sentence = [
        t('server.requestsText', { n }),
        n > 0 ? t('server.requestsMost', { most }) : '',
        errors > 0 ? t('server.errors', { n: errors }) : t('server.noErrors'),
    ].join('');
    const layers = [
        { look: 'amount', parts },
        { look: 'fault', parts: faults },
    ];
    return chart({ title: t('server.requests'), sentence, layers, most, format: formatMark, ...time });
}

function cacheChart(changes, time) {
    const asked = changes.filter(({ hits, misses }) => hits + misses > 0);
    const parts = asked.map(({ from, to, hits, misses }) => ({ from, to, value: hits / (hits + misses) }));
    const hits = sum(asked, change => change.hits);
    const n = hits + sum(asked, change => change.misses);
    const sentence = n > 0 ? t('server.cacheText', { n, percent: formatPercent(hits / n) }) : t('server.cacheNone');
    return chart({ title: t('server.cache'), sentence, layers: [{ look: 'amount', parts }], most: 1, format: formatPercent, ...time });
}

function limitName(name) {
    const key = `limit.${name}`;
    return hasText(key) ? t(key) : name;
}

function limitChart(changes, time) {
    const parts = changes.map(perMinute(({ refused }) => refused));
    const most = highestOf(parts);
    const names = [...new Set(changes.flatMap(({ limits }) => Object.keys(limits)))];
    const list = names
        .map(name => ({ name: limitName(name), n: sum(changes, ({ limits }) => limits[name] ?? 0) }))
        .filter(({ n }) => n > 0)
        .map(limit => t('server.limit', limit))
        .join(', ');
    const n = sum(changes, ({ refused }) => refused);
    const sentence = n > 0 ? t('server.limitsText', { n, list }) : t('server.limitsNone');
    return chart({ title: t('server.limits'), sentence, layers: [{ look: 'fault', parts }], most, format: formatMark, ...time });
}

function showCharts() {
    const time = { now: Date.now(), span: SPANS[address.value.span] };
    const shown = samples.value.filter(({ at }) => at > time.now - time.span);
    const changes = findChanges(shown);
    byId('charts').hidden = byId('sampled').hidden = isRefused.value && changes.length === 0;
    byId('charts').replaceChildren(...[requestChart, cacheChart, limitChart].map(make => make(changes, time)));
    byId('sampled').textContent = changes.length ? t('server.sampled', { time: formatClock(shown[0].at) }) : t('server.sampling');
}

/* ---- the mail queue ---- */

/* Views of the queue by their names in the address. Except for `all`, these are the states that the route knows. */
const VIEWS = {
    all: { query: {}, none: 'server.mailsNone' },
    dead: { query: { state: 'dead' }, none: 'server.deadNone' },
    pending: { query: { state: 'pending' }, none: 'server.pendingNone' },
};

function readAddress() {
    const query = new URLSearchParams(location.search);
    const [span, view] = [query.get('span'), query.get('mails')];
    return {
        span: Object.hasOwn(SPANS, span) ? span : 'hour',
        view: Object.hasOwn(VIEWS, view) ? view : 'all',
        page: Math.max(1, Math.floor(Number(query.get('page')) || 1)),
    };
}

function writeAddress({ span, view, page }) {
    const query = new URLSearchParams({
        ...(span !== 'hour' && { span }),
        ...(view !== 'all' && { mails: view }),
        ...(page > 1 && { page }),
    });
    return `${location.pathname}${query.size > 0 ? `?${query}` : ''}`;
}

const address = state(readAddress());
const mails = state(''); /* request for the mails in the address */
const answer = state(null); /* last answer: { data, pagination } */
const isLoading = state(true);

function visit(next, place = 'mails') {
    history.pushState(null, '', writeAddress(next));
    address.value = next;
    byId(place).focus();
}

function readMails(signal) {
    const { view, page } = address.value;
    const read = query => call('GET', `/mails?${new URLSearchParams(query)}`, undefined, { signal });
    return Promise.all([read({ ...VIEWS[view].query, page, limit: LIMIT }), read({ ...VIEWS.dead.query, limit: 1 })]);
}

const loadMails = loader(
    () => mails.value,
    readMails,
    found => {
        const [shown, dead] = found ?? [null];
        failed.value = dead?.pagination.total ?? failed.value;
        answer.value = shown;
    },
    isLoading,
    byId('list-trouble'),
);

/* Runs attempt(), which resolves to the message, and reads the queue again. */
async function retry(attempt) {
    try {
        const said = await attempt();
        byId('list-trouble').replaceChildren();
        byId('mails-status').textContent = said;
        byId('mails').focus(); /* the button disappears */
        await loadMails();
    } catch (error) {
        byId('mails-status').textContent = '';
        showError(byId('list-trouble'), error).focus();
    }
}

/* Sends a test mail to the administrator. The list shows its progress. */
function sendTest() {
    return retry(async () => {
        await call('POST', '/mails/test');
        const { data: me } = await call('GET', '/auth/me');
        return t('server.tested', { to: me.email });
    });
}

function retryOne({ id, to }) {
    return retry(() => call('POST', `/mails/${encodeURIComponent(id)}/retry`).then(() => t('server.retried', { to })));
}

function retryAll() {
    return retry(() => call('POST', '/mails/retry').then(({ data }) => t('server.retriedAll', { n: data.retried })));
}

function retryButton(mail) {
    const { to } = mail;
    const label = t('server.retryOne', { to });
    return el('button', { type: 'button', class: 'btn', 'aria-label': label, onclick: () => retryOne(mail) }, t('server.retry'));
}

function purpose(template) {
    const key = `mail.${template}`;
    return hasText(key) ? t(key) : template;
}

/* Returns why the last attempt failed. The server's message is in English. */
function reasonText({ state: is, error }) {
    const key = is === 'dead' ? 'server.reason' : 'server.lastReason';
    return error ? el('div', { class: 'form-text reason' }, pieces(key, { reason: el('span', { lang: 'en' }, error) })) : '';
}

function stateCell(mail) {
    const look = mail.state === 'dead' ? 'badge bad' : mail.error ? 'badge warn' : 'badge';
    const badge = el('span', { class: look }, t(`server.${mail.state}`));
    return [badge, reasonText(mail)];
}

const COLUMNS = ['server.to', 'server.state', 'server.attempts', 'server.queued', 'server.next'];

function cells(mail) {
    return [
        el('th', { scope: 'row' }, bdi(mail.value.to), el('span', { class: 'category' }, purpose(mail.value.template))),
        el('td', {}, () => stateCell(mail.value)),
        el('td', {}, () => formatWhole(mail.value.attempts)),
        el('td', {}, () => formatTime(mail.value.createdAt)),
        el('td', {}, () => (mail.value.state === 'dead' ? retryButton(mail.value) : formatTime(mail.value.nextAt))),
    ];
}

const isEmpty = () => answer.value?.data.length === 0;

function nothing() {
    const { pagination } = answer.value;
    return el('p', {}, pagination.total > 0 ? t('list.noPage', pagination) : t(VIEWS[address.value.view].none));
}

function linkTo(id, page, exists) {
    const next = { ...address.value, page };
    byId(id).hidden = !exists;
    setLink(byId(id), writeAddress(next), () => visit(next));
}

function showPosition() {
    byId('pages').hidden = answer.value === null;
    if (answer.value === null) {
        byId('count').textContent = '';
        return;
    }
    const { data, pagination } = answer.value;
    const { page, pages, total } = pagination;
    const from = (page - 1) * LIMIT + 1;
    byId('pages').hidden = pages <= 1 && page <= 1;
    byId('count').textContent = isEmpty() ? '' : t('server.mailsRange', { from, to: from + data.length - 1, n: total });
    byId('position').textContent = t('list.page', { n: page });
    linkTo('previous', page - 1, page > 1);
    linkTo('next', page + 1, page < pages);
}

/* Marks the current link of a choice. Link ids are "to-" and a name; address[member] is the current name. */
function showChoice(names, member, reset, place) {
    for (const name of names) {
        const link = byId(`to-${name}`);
        const next = { ...address.value, ...reset, [member]: name };
        setLink(link, writeAddress(next), () => visit(next, place));
        name === address.value[member] ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
    }
}

function showMails() {
    const rows = table(
        { 'aria-labelledby': 'mails', hidden: () => answer.value === null || isEmpty() },
        COLUMNS,
        () => answer.value?.data ?? [],
        cells,
    );
    byId('list').append(rows, el('div', { class: 'nothing', hidden: () => !isEmpty() }, () => isEmpty() && nothing()));
    byId('retry').onclick = retryAll;
    byId('test').onclick = sendTest;
    addEventListener('popstate', () => (address.value = readAddress()));
    follow(() => {
        byId('retry').hidden = !failed.value;
        byId('retry').textContent = t('server.retryAll', { n: failed.value ?? 0 });
    });
    follow(() => byId('list').setAttribute('aria-busy', answer.value === null && isLoading.value));
    follow(showPosition);
    follow(() => showChoice(Object.keys(VIEWS), 'view', { page: 1 }));
    follow(() => (mails.value = JSON.stringify([address.value.view, address.value.page])));
    follow(() => mails.value && loadMails());
}

/* ---- start ---- */

const readAll = () => Promise.all([readHealth(), sampleMetrics(), loadMails()]);

function watch() {
    setTimeout(async () => {
        if (currentUser()) {
            await readAll();
            watch();
        }
    }, PERIOD);
}

/* Reads the version, which GET of the mount tells everybody. */
async function readVersion() {
    version.value = await send('GET', '/').then(
        ({ data }) => data.version,
        () => null,
    );
}

start(
    async () => {
        byId('facts').append(
            ...Object.entries(FACTS).map(([key, value]) => el('div', {}, el('dt', {}, t(key)), el('dd', {}, value))),
        );
        byId('content').hidden = false;
        samples.value = recallSamples(currentUser().id);
        follow(showFault);
        follow(() => showChoice(Object.keys(SPANS), 'span', {}, 'charts-title'));
        follow(showCharts);
        showMails();
        readVersion();
        await Promise.all([readHealth(), sampleMetrics()]); /* the mails are read by the follower of the address */
        watch();
    },
    { needsAdmin: true },
);
