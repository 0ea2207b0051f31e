/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
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

static void note_answer(void *answers, int host, const char *text)
{
    APR_ARRAY_PUSH((apr_array_header_t *)answers, const char *) =
        apr_psprintf(((apr_array_header_t *)answers)->pool, "%d: %s", host, text ? text : "none");
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
    cat_libpq_hosts_ask(cat_libpq_hosts_list(pg, *state), "SELECT ...", note_answer, answers);
    assert_in_range(apr_time_now() - begun, apr_time_from_sec(CAT_HOST_PATIENCE), apr_time_from_sec(30));
    assert_int_equal(answers->nelts, 2);
    assert_string_equal(APR_ARRAY_IDX(answers, 0, const char *), "1: 7 2");
    assert_string_equal(APR_ARRAY_IDX(answers, 1, const char *), "0: none");
    PQfinish(pg);
    end_host(&hanging);
    end_host(&other);
}

static const char *find_value(apr_pool_t *pool, const char *params, const char *keyword)
{
    PQconninfoOption *options = PQconninfoParse(params, NULL);
    const char *value = NULL;

    assert_non_null(options);
    for (const PQconninfoOption *o = options; o->keyword; o++) {
        value = !strcmp(o->keyword, keyword) && o->val ? apr_pstrdup(pool, o->val) : value;
    }
    PQconninfoFree(options);
    return value;
}

static void test_each_host_has_parameters_of_its_own(void **state)
{
    PGconn *pg = PQconnectStart(
        "host=127.0.0.1,127.0.0.2,127.0.0.3 port=1 user='o\\'hara' password='a \\\\ b' connect_timeout=2");
    const char *const *hosts = cat_libpq_hosts_list(pg, *state);

    for (int i = 0; i < 3; i++) {
        assert_string_equal(find_value(*state, hosts[i], "host"), apr_psprintf(*state, "127.0.0.%d", i + 1));
        assert_string_equal(find_value(*state, hosts[i], "port"), "1");
        assert_string_equal(find_value(*state, hosts[i], "user"), "o'hara");
        assert_string_equal(find_value(*state, hosts[i], "password"), "a \\ b");
        assert_string_equal(find_value(*state, hosts[i], "connect_timeout"), "2");
    }
    assert_null(hosts[3]);
    PQfinish(pg);
    pg = PQconnectStart("host=127.0.0.1 port=1");
    assert_null(cat_libpq_hosts_list(pg, *state));
    PQfinish(pg);
}

/* "two.example" has two addresses, here and for APR and libpq. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = NULL;
    int is_ours = name && !strcmp(name, "two.example");
    int rv;

    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    rv = real(is_ours ? "127.0.0.1" : name, service, hints, found);
    return is_ours && !rv ? real("127.0.0.2", service, hints, &(*found)->ai_next) : rv;
}

static void test_each_address_of_a_name_is_a_host(void **state)
{
    PGconn *pg = PQconnectStart("host=two.example,127.0.0.3 port=1,2 target_session_attrs=read-write");
    const char *const *hosts = cat_libpq_hosts_list(pg, *state);

    assert_non_null(hosts);
    for (int i = 0; i < 2; i++) {
        assert_string_equal(find_value(*state, hosts[i], "host"), "two.example");
        assert_string_equal(find_value(*state, hosts[i], "hostaddr"), apr_psprintf(*state, "127.0.0.%d", i + 1));
        assert_string_equal(find_value(*state, hosts[i], "port"), "1");
    }
    assert_string_equal(find_value(*state, hosts[2], "host"), "127.0.0.3");
    assert_null(find_value(*state, hosts[2], "hostaddr"));
    assert_null(hosts[3]);
    PQfinish(pg);
    pg = PQconnectStart("host=two.example port=1 target_session_attrs=read-write");
    assert_non_null(cat_libpq_hosts_list(pg, *state));
    PQfinish(pg);
    pg = PQconnectStart("host=two.example port=1"); /* libpq stays with the first that accepts */
    assert_null(cat_libpq_hosts_list(pg, *state));
    PQfinish(pg);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_each_host_has_parameters_of_its_own),
        UNIT_TEST(test_each_address_of_a_name_is_a_host),
        UNIT_TEST(test_host_that_hangs_is_left_in_time),
    };
    return UNIT_RUN(tests);
}
