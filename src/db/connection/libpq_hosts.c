/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks all hosts that the parameters of a connection name. libpq itself connects to the first host that accepts, but only the hosts know which of
 * several primaries is the newest (pool/timeline.c).
 *
 *     host=A,B port=1,2 user=catalog   -->   "user='catalog' host='A' port='1'", "user='catalog' host='B' port='2'"
 *
 * A name with several addresses is several hosts for libpq, and here:
 *
 *     host=db                          -->   "host='db' hostaddr='10.0.0.1'", "host='db' hostaddr='10.0.0.2'"
 *
 * All are asked at the same time, each on a connection of its own, because one that hangs must not delay the answers of the others. libpq
 * ignores connect_timeout for such connections, so the time limit is here.
 */
#include "db/connection/libpq_hosts.h"

#include <apr_network_io.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <poll.h>
#include <string.h>

#include "db/connection/executor.h"
#include "lib/time.h"

#define HOSTS_MAX 16

/* Options whose values are lists: for host n, libpq uses entry n, or the only entry. */
static const char *const lists[] = {"host", "hostaddr", "port"};

/* The connection to a host. step: the event that it waits for; PGRES_POLLING_OK once the host has answered. */
typedef struct asked_t {
    PGconn *pg;
    PostgresPollingStatusType step;
    int is_sent;
} asked_t;

typedef struct question_t {
    const char *text;
    void (*answer)(void *baton, int host, const char *text);
    void *baton;
    asked_t asked[HOSTS_MAX];
    int count;
} question_t;

static const char *copy_entry(apr_pool_t *pool, const char *list, int n)
{
    const char *next;

    while (n > 0 && (next = strchr(list, ','))) {
        list = next + 1;
        n--;
    }
    return apr_pstrndup(pool, list, strcspn(list, ","));
}

static int count_entries(const char *list)
{
    int count = 1;

    for (; (list = strchr(list, ',')); list++) {
        count++;
    }
    return count;
}

static int is_list(const char *keyword)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!strcmp(keyword, lists[i])) {
            return 1;
        }
    }
    return 0;
}

static const char *quote_value(apr_pool_t *pool, const char *value)
{
    char *quoted = apr_palloc(pool, 2 * strlen(value) + 3), *end = quoted;

    *end++ = '\'';
    for (; *value; value++) {
        if (*value == '\'' || *value == '\\') {
            *end++ = '\\';
        }
        *end++ = *value;
    }
    *end++ = '\'';
    *end = '\0';
    return quoted;
}

/* Writes the parameters for host n. Leaves out `service`, because the options already contain its values. */
static const char *write_params(apr_pool_t *pool, const PQconninfoOption *options, int n)
{
    const char *text = "";

    for (const PQconninfoOption *o = options; o->keyword; o++) {
        if (o->val && *o->val && strcmp(o->keyword, "service") != 0) {
            const char *value = is_list(o->keyword) ? copy_entry(pool, o->val, n) : o->val;
            text = apr_pstrcat(pool, text, o->keyword, "=", quote_value(pool, value), " ", NULL);
        }
    }
    return text;
}

static int count_hosts(const PQconninfoOption *options)
{
    int count = 1;

    for (const PQconninfoOption *o = options; o->keyword; o++) {
        if (o->val && strcmp(o->keyword, "port") != 0 && is_list(o->keyword) && count_entries(o->val) > count) {
            count = count_entries(o->val);
        }
    }
    return count < HOSTS_MAX ? count : HOSTS_MAX;
}

static const char *get_option(apr_pool_t *pool, const PQconninfoOption *options, const char *keyword, int n)
{
    for (const PQconninfoOption *o = options; o->keyword; o++) {
        if (!strcmp(o->keyword, keyword)) {
            return o->val ? copy_entry(pool, o->val, n) : "";
        }
    }
    return "";
}

/* Of a name with several, where libpq goes on to the next address if a server is not the primary. Otherwise NULL: a single address stays a
 * name, because it may lead elsewhere later. */
static apr_sockaddr_t *find_addresses(apr_pool_t *pool, const PQconninfoOption *options, int n)
{
    const char *name = get_option(pool, options, "host", n);
    const char *wanted = get_option(pool, options, "target_session_attrs", 0);
    apr_sockaddr_t *found = NULL;
    int is_name = *name && *name != '/' && *name != '@' && !*get_option(pool, options, "hostaddr", n);

    if (!is_name || !*wanted || !strcmp(wanted, "any") ||
        apr_sockaddr_info_get(&found, name, APR_UNSPEC, 0, 0, pool) != APR_SUCCESS) {
        return NULL;
    }
    return found->next ? found : NULL;
}

static void add_host(apr_array_header_t *hosts, const PQconninfoOption *options, int n)
{
    const char *params = write_params(hosts->pool, options, n);
    apr_sockaddr_t *address = find_addresses(hosts->pool, options, n);

    if (!address) {
        APR_ARRAY_PUSH(hosts, const char *) = params;
    }
    for (char *text; address && hosts->nelts < HOSTS_MAX; address = address->next) {
        if (apr_sockaddr_ip_get(&text, address) == APR_SUCCESS) {
            APR_ARRAY_PUSH(hosts, const char *) = apr_pstrcat(hosts->pool, params, "hostaddr='", text, "' ", NULL);
        }
    }
}

const char *const *cat_libpq_hosts_list(PGconn *pg, apr_pool_t *pool)
{
    PQconninfoOption *options = PQconninfo(pg);
    apr_array_header_t *hosts = apr_array_make(pool, HOSTS_MAX + 1, sizeof(const char *));
    int count = options ? count_hosts(options) : 0;

    for (int i = 0; i < count && hosts->nelts < HOSTS_MAX; i++) {
        add_host(hosts, options, i);
    }
    PQconninfoFree(options);
    APR_ARRAY_PUSH(hosts, const char *) = NULL;
    return hosts->nelts > 2 ? (const char *const *)hosts->elts : NULL;
}

/* Begins to connect. libpq uses the last value of an option, so any target_session_attrs of the parameters is overridden. */
static void begin_asking(asked_t *a, apr_pool_t *pool, const char *params)
{
    a->pg = PQconnectStart(apr_pstrcat(pool, params, "target_session_attrs=any", NULL));
    a->step = PQstatus(a->pg) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
}

static int is_waiting(const asked_t *a)
{
    return a->step == PGRES_POLLING_READING || a->step == PGRES_POLLING_WRITING;
}

static void go_on(asked_t *a, const char *text)
{
    if (a->is_sent) {
        a->step = !PQconsumeInput(a->pg) ? PGRES_POLLING_FAILED
                  : PQisBusy(a->pg)      ? PGRES_POLLING_READING
                                         : PGRES_POLLING_OK;
        return;
    }
    a->step = PQconnectPoll(a->pg);
    if (a->step == PGRES_POLLING_OK) {
        a->is_sent = PQsendQuery(a->pg, text);
        a->step = a->is_sent ? PGRES_POLLING_READING : PGRES_POLLING_FAILED;
    }
}

static void end_asking(const question_t *q, int host)
{
    PGconn *pg = q->asked[host].pg;
    PGresult *result = q->asked[host].step == PGRES_POLLING_OK ? PQgetResult(pg) : NULL;

    q->answer(q->baton, host, PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : NULL);
    PQclear(result);
    PQfinish(pg);
}

/* Waits until at least one host can go on. Returns how many hosts had not answered before. */
static int wait_for_hosts(question_t *q, apr_interval_time_t left)
{
    struct pollfd polled[HOSTS_MAX];
    int waiting = 0;

    for (int i = 0; i < q->count; i++) {
        asked_t *a = &q->asked[i];
        polled[i].fd = is_waiting(a) ? PQsocket(a->pg) : -1; /* poll ignores negative descriptors */
        polled[i].events = a->step == PGRES_POLLING_WRITING ? POLLOUT : POLLIN;
        waiting += is_waiting(a);
    }
    if (!waiting || poll(polled, (nfds_t)q->count, (int)apr_time_as_msec(left) + 1) <= 0) {
        return waiting;
    }
    for (int i = 0; i < q->count; i++) {
        if (polled[i].fd >= 0 && polled[i].revents) {
            go_on(&q->asked[i], q->text);
            if (!is_waiting(&q->asked[i])) {
                end_asking(q, i);
            }
        }
    }
    return waiting;
}

void cat_libpq_hosts_ask(const char *const *hosts, const char *text,
                         void (*answer)(void *baton, int host, const char *text), void *baton)
{
    apr_time_t until = cat_time_monotonic() + apr_time_from_sec(CAT_HOST_PATIENCE), now;
    question_t q = {.text = text, .answer = answer, .baton = baton};
    apr_pool_t *pool;

    if (apr_pool_create_unmanaged_ex(&pool, NULL, NULL) != APR_SUCCESS) {
        return;
    }
    for (; hosts[q.count]; q.count++) {
        begin_asking(&q.asked[q.count], pool, hosts[q.count]);
        if (!is_waiting(&q.asked[q.count])) {
            end_asking(&q, q.count);
        }
    }
    while ((now = cat_time_monotonic()) < until && wait_for_hosts(&q, until - now)) {
    }
    for (int i = 0; i < q.count; i++) {
        if (is_waiting(&q.asked[i])) {
            end_asking(&q, i);
        }
    }
    apr_pool_destroy(pool);
}
