/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks each host of a connection's parameters one question, on a connection of its own: which of several primaries is the newest, only
 * they know (pool/timeline.c). The parameters are those of the open connection, with one host of those named. A host that hangs must
 * not hold the request up, so there is a time limit for the connection and one for the answer.
 */
#include "db/connection/libpq_hosts.h"

#include <apr_general.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <poll.h>
#include <string.h>

#include "db/connection/executor.h"

#define OPTIONS_MAX 64
#define NAME_MAX_LENGTH 256

/* libpq takes "host=A,B" and "port=1,2" together: the n-th of each, or the only one. */
static void copy_entry(char entry[NAME_MAX_LENGTH], const char *list, int n)
{
    const char *next;

    while (n > 0 && (next = strchr(list, ','))) {
        list = next + 1;
        n--;
    }
    apr_cpystrn(entry, list, strcspn(list, ",") < NAME_MAX_LENGTH ? strcspn(list, ",") + 1 : NAME_MAX_LENGTH);
}

static int count_entries(const char *list)
{
    int count = 1;

    for (; (list = strchr(list, ',')); list++) {
        count++;
    }
    return count;
}

static const PQconninfoOption *find_option(const PQconninfoOption *options, const char *name)
{
    for (; options->keyword; options++) {
        if (!strcmp(options->keyword, name)) {
            return options->val && *options->val ? options : NULL;
        }
    }
    return NULL;
}

/* What is set first counts less than what is set last. */
static PGconn *connect_host(const PQconninfoOption *options, int n)
{
    static const char *const lists[] = {"host", "hostaddr", "port"};
    const char *names[OPTIONS_MAX], *values[OPTIONS_MAX];
    char entries[sizeof(lists) / sizeof(lists[0])][NAME_MAX_LENGTH];
    int count = 0;

    for (const PQconninfoOption *o = options; o->keyword && count < OPTIONS_MAX - 7; o++) {
        if (o->val) {
            names[count] = o->keyword;
            values[count++] = o->val;
        }
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const PQconninfoOption *list = find_option(options, lists[i]);
        if (list) {
            copy_entry(entries[i], list->val, n);
            names[count] = lists[i];
            values[count++] = entries[i];
        }
    }
    names[count] = "target_session_attrs";
    values[count++] = "any";
    names[count] = "connect_timeout";
    values[count++] = APR_STRINGIFY(CAT_HOST_PATIENCE);
    names[count] = "tcp_user_timeout"; /* milliseconds: also of a host that is gone when it has been connected */
    values[count++] = APR_STRINGIFY(CAT_HOST_PATIENCE) "000";
    names[count] = values[count] = NULL;
    return PQconnectdbParams(names, values, 0);
}

/* Not PQexec, which waits for ever where the machine acknowledges each packet but the server hangs. */
static PGresult *query_host(PGconn *host, const char *text)
{
    struct pollfd answer = {.fd = PQsocket(host), .events = POLLIN};
    apr_time_t until = apr_time_now() + apr_time_from_sec(CAT_HOST_PATIENCE);
    int is_waiting = PQsendQuery(host, text);

    while (is_waiting && PQisBusy(host)) {
        apr_interval_time_t left = until - apr_time_now();
        is_waiting = left > 0 && poll(&answer, 1, (int)apr_time_as_msec(left) + 1) >= 0 && PQconsumeInput(host);
    }
    return is_waiting ? PQgetResult(host) : NULL;
}

void cat_libpq_hosts_ask(PGconn *pg, const char *text, void (*answer)(void *baton, const char *text), void *baton)
{
    PQconninfoOption *options = PQconninfo(pg);
    const PQconninfoOption *hosts = options ? find_option(options, "hostaddr") : NULL;
    int count;

    hosts = hosts || !options ? hosts : find_option(options, "host");
    count = hosts ? count_entries(hosts->val) : 1;
    for (int i = 0; count > 1 && i < count; i++) {
        PGconn *host = connect_host(options, i);
        PGresult *result = query_host(host, text);

        answer(baton, PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : NULL);
        PQclear(result);
        PQfinish(host);
    }
    PQconninfoFree(options);
}
