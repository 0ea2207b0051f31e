/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <apr_strings.h>

#include "db/connection/executor.h"
#include "db/connection/libpq_hosts.h"

/* AuthenticationOk and ReadyForQuery of PostgreSQL's protocol; and the row "7 2" with what follows it. */
static const char welcome[] = "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
static const char row[] = "T\0\0\0\x1a\0\x01"
                          "t\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0"
                          "D\0\0\0\x0d\0\x01\0\0\0\x03"
                          "7 2"
                          "C\0\0\0\x0dSELECT 1\0"
                          "Z\0\0\0\x05I";

/* A server that takes one connection; one that hangs takes another before it, that of the parameters, which sends nothing. */
typedef struct host_t {
    pthread_t thread;
    int listener, port;
    int hangs; /* flag: when it has let the client in */
} host_t;

static void *serve(void *baton)
{
    const host_t *host = baton;
    int first = host->hangs ? accept(host->listener, NULL, NULL) : -1, client = accept(host->listener, NULL, NULL);
    char buffer[1000];

    if (read(client, buffer, sizeof(buffer)) > 0 && write(client, welcome, sizeof(welcome) - 1) > 0 &&
        read(client, buffer, sizeof(buffer)) > 0 && (host->hangs || write(client, row, sizeof(row) - 1) > 0)) {
        while (read(client, buffer, sizeof(buffer)) > 0) {
        }
    }
    close(client);
    close(first);
    return NULL;
}

static void start_host(host_t *host, int hangs)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);

    host->hangs = hangs;
    host->listener = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(host->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(host->listener, 1), 0);
    getsockname(host->listener, (struct sockaddr *)&address, &length);
    host->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&host->thread, NULL, serve, host), 0);
}

static void end_host(const host_t *host)
{
    pthread_join(host->thread, NULL);
    close(host->listener);
}

static void note_answer(void *answers, const char *text)
{
    APR_ARRAY_PUSH((apr_array_header_t *)answers, const char *) =
        text ? apr_pstrdup(((apr_array_header_t *)answers)->pool, text) : NULL;
}

static void test_host_that_hangs_is_left_in_time(void **state)
{
    apr_array_header_t *answers = apr_array_make(*state, 2, sizeof(const char *));
    apr_time_t begun = apr_time_now();
    host_t hanging, other;
    PGconn *pg;

    start_host(&hanging, 1);
    start_host(&other, 0);
    pg = PQconnectStart(apr_psprintf(*state,
                                     "host=127.0.0.1,127.0.0.1 port=%d,%d user=ada sslmode=disable gssencmode=disable "
                                     "hostaddr=127.0.0.1,127.0.0.1",
                                     hanging.port, other.port));
    cat_libpq_hosts_ask(pg, "SELECT ...", note_answer, answers);
    assert_in_range(apr_time_now() - begun, apr_time_from_sec(CAT_HOST_PATIENCE), apr_time_from_sec(30));
    assert_int_equal(answers->nelts, 2);
    assert_null(APR_ARRAY_IDX(answers, 0, const char *));
    assert_string_equal(APR_ARRAY_IDX(answers, 1, const char *), "7 2");
    PQfinish(pg);
    end_host(&hanging);
    end_host(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_host_that_hangs_is_left_in_time),
    };
    return UNIT_RUN(tests);
}
