/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apr_strings.h>

#include "mail/smtp.h"
#include "smtp_servers.h"

#define FROM "shop@example.org"
#define TO "ann@example.net"
#define MESSAGE "Subject: hello\r\n\r\n.a line that begins with a dot\r\n.\r\nthe end\r\n"

static cat_relay_t address_of(apr_pool_t *pool, const char *scheme, int server)
{
    return (cat_relay_t){.url = apr_pstrcat(pool, scheme, "://127.0.0.1:", servers[server].port, NULL), .timeout = 5};
}

/* Sends the message and checks what must hold for every result. */
static cat_delivery_t deliver(apr_pool_t *pool, const cat_relay_t *smtp, const char *to)
{
    const char *detail = "unset";
    cat_delivery_t result = cat_smtp_send(pool, smtp, &(cat_letter_t){"id", FROM, to, MESSAGE}, &detail);

    if (result == CAT_DELIVERY_SENT) {
        assert_null(detail);
    } else {
        assert_non_null(detail);
        assert_null(strchr(detail, '@'));
        assert_null(strstr(detail, "secret"));
    }
    return result;
}

static void test_sends_one_message_to_one_recipient(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", PLAIN);
    size_t before = count(*state, PLAIN);
    const json_t *envelope;

    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SENT);
    assert_int_equal(count(*state, PLAIN), before + 1);

    envelope = newest(*state, PLAIN);
    assert_string_equal(json_string_value(json_object_get(envelope, "mail_from")), FROM);
    assert_int_equal(json_array_size(json_object_get(envelope, "rcpt_tos")), 1);
    assert_string_equal(json_string_value(json_array_get(json_object_get(envelope, "rcpt_tos"), 0)), TO);
    assert_string_equal(json_string_value(json_object_get(envelope, "data")), MESSAGE);
}

static void test_distinguishes_lasting_from_temporary_refusals(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", PLAIN);
    size_t before = count(*state, PLAIN);
    const char *detail;

    assert_int_equal(deliver(*state, &smtp, "reject@example.net"), CAT_DELIVERY_REFUSED);
    assert_int_equal(deliver(*state, &smtp, "later@example.net"), CAT_DELIVERY_RETRY);
    assert_int_equal(count(*state, PLAIN), before);

    cat_smtp_send(*state, &smtp, &(cat_letter_t){"id", FROM, "reject@example.net", MESSAGE}, &detail);
    assert_string_equal(detail, "the server answered 550 to the message");
}

static void check_refusal(apr_pool_t *pool, const cat_relay_t *smtp, const char *to, cat_delivery_t expected,
                          const char *why)
{
    const char *detail;

    assert_int_equal(cat_smtp_send(pool, smtp, &(cat_letter_t){"id", FROM, to, MESSAGE}, &detail), expected);
    assert_string_equal(detail, why);
}

/* A refusal of the client's commands says nothing about the message, at any point of the conversation. */
static void test_a_fault_of_the_protocol_is_of_the_configuration(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", STRICT);

    smtp.url = apr_pstrcat(*state, smtp.url, "/nodot", NULL);
    check_refusal(*state, &smtp, TO, CAT_DELIVERY_SETUP, "the server answered 504 5.5.2 to the message");
    smtp = address_of(*state, "smtp", STRICT);
    smtp.name = "shop.example.com";
    check_refusal(*state, &smtp, "unknown@example.net", CAT_DELIVERY_REFUSED,
                  "the server answered 550 5.1.1 to the message");
    check_refusal(*state, &smtp, "arguments@example.net", CAT_DELIVERY_SETUP,
                  "the server answered 501 5.5.4 to the message");
    check_refusal(*state, &smtp, "sequence@example.net", CAT_DELIVERY_SETUP, "the server answered 503 to the message");
    check_refusal(*state, &smtp, "odd@example.net", CAT_DELIVERY_REFUSED, "the server answered 550 to the message");
}

static void check_name(apr_pool_t *pool, const char *path, const char *name, const char *expected)
{
    cat_relay_t smtp = address_of(pool, "smtp", STRICT);

    smtp.url = apr_pstrcat(pool, smtp.url, path, NULL);
    smtp.name = name;
    assert_int_equal(deliver(pool, &smtp, TO), CAT_DELIVERY_SENT);
    assert_string_equal(json_string_value(json_object_get(newest(pool, STRICT), "helo")), expected);
}

static void test_ehlo_has_the_name_of_the_url_or_of_the_pages(void **state)
{
    check_name(*state, "", "shop.example.com", "shop.example.com");
    check_name(*state, "/", "shop.example.com", "shop.example.com");
    check_name(*state, "/mx.example.org", "shop.example.com", "mx.example.org");
    check_name(*state, "/mx.example.org", NULL, "mx.example.org");
}

static void test_never_sends_a_second_command_in_an_address(void **state)
{
    static const char *const hostile[] = {"ann@example.net>\r\nRCPT TO:<eve@example.net",
                                          "ann@example.net\r\n",
                                          "ann@example.net,eve@example.net",
                                          "<ann@example.net>",
                                          "ann@example.net> SIZE=1",
                                          ""};
    cat_relay_t smtp = address_of(*state, "smtp", PLAIN);
    size_t before = count(*state, PLAIN);
    const char *detail;

    for (size_t i = 0; i < UNIT_COUNT(hostile); i++) {
        assert_int_equal(deliver(*state, &smtp, hostile[i]), CAT_DELIVERY_REFUSED);
        assert_int_equal(cat_smtp_send(*state, &smtp, &(cat_letter_t){"id", hostile[i], TO, MESSAGE}, &detail),
                         CAT_DELIVERY_REFUSED);
    }
    assert_int_equal(count(*state, PLAIN), before);
}

/* Returns a socket with a port of its own, on which it does not listen. */
static int reserve_port(apr_pool_t *pool, cat_relay_t *smtp)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int bound = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(bound, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(bound, (struct sockaddr *)&address, &length), 0);
    *smtp = (cat_relay_t){.url = apr_psprintf(pool, "smtp://127.0.0.1:%d", ntohs(address.sin_port))};
    return bound;
}

static void test_retries_when_nobody_listens(void **state)
{
    cat_relay_t smtp;
    int bound = reserve_port(*state, &smtp);

    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_RETRY);
    close(bound);
}

/* Returns the socket of a server that never replies, although the kernel accepts connections for it. */
static int listen_silently(apr_pool_t *pool, cat_relay_t *smtp)
{
    int listening = reserve_port(pool, smtp);

    assert_int_equal(listen(listening, 5), 0);
    return listening;
}

static void test_does_not_wait_for_a_silent_server(void **state)
{
    cat_relay_t smtp;
    int listening = listen_silently(*state, &smtp);
    apr_time_t start = apr_time_now();

    smtp.timeout = 1;
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_RETRY);
    assert_in_range(apr_time_as_msec(apr_time_now() - start), 900, 2500);
    close(listening);
}

static void *raise_flag(void *flag)
{
    apr_sleep(apr_time_from_msec(100));
    atomic_store_explicit((atomic_int *)flag, 1, memory_order_relaxed);
    return NULL;
}

static void test_stops_when_the_flag_is_set(void **state)
{
    atomic_int stopping = 0;
    pthread_t thread;
    cat_relay_t smtp;
    int listening = listen_silently(*state, &smtp);
    apr_time_t start = apr_time_now();

    smtp.stop = &stopping;
    pthread_create(&thread, NULL, raise_flag, &stopping);
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_RETRY);
    assert_in_range(apr_time_as_msec(apr_time_now() - start), 50, 2500);
    pthread_join(thread, NULL);
    close(listening);
}

static void test_retries_when_the_message_is_not_acknowledged(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", HANG_DATA);

    smtp.timeout = 1;
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_RETRY);
}

/* The server has accepted the message, so the client must not send it again, whatever happens afterwards. */
static void test_does_not_wait_for_the_answer_to_quit(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", HANG_QUIT);
    apr_time_t start = apr_time_now();

    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SENT);
    assert_in_range(apr_time_as_msec(apr_time_now() - start), 0, 2500);
    assert_int_equal(count(*state, HANG_QUIT), 1);
}

static void test_is_never_downgraded(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", PLAIN);
    size_t before = count(*state, PLAIN);

    smtp.require_tls = 1;
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);

    smtp = address_of(*state, "smtps", PLAIN);
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(*state, PLAIN), before);
}

/* The server would accept the login and the message. */
static void test_never_logs_in_without_tls(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", CLEAR_LOGIN);

    smtp.user = "shop";
    smtp.password = "secret";
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(*state, CLEAR_LOGIN), 0);
}

static void test_sends_nothing_when_it_cannot_log_in(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", STARTTLS); /* This server offers no mechanism for a login. */
    size_t before = count(*state, STARTTLS);

    smtp.ca_file = path_of(*state, STARTTLS, "cert.pem");
    smtp.user = "shop";
    smtp.password = "secret";
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(*state, STARTTLS), before);
}

static void test_uses_starttls(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", STARTTLS);

    smtp.require_tls = 1;
    smtp.ca_file = path_of(*state, STARTTLS, "cert.pem");
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SENT);
    assert_true(json_is_true(json_object_get(newest(*state, STARTTLS), "tls")));
}

static void test_checks_the_certificate_if_tls_is_required(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", STARTTLS);
    size_t before = count(*state, STARTTLS);

    smtp.require_tls = 1;
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);

    smtp.ca_file = path_of(*state, LOGIN, "cert.pem"); /* The certificate of another server. */
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);

    smtp.ca_file = path_of(*state, STARTTLS, "none.pem");
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(*state, STARTTLS), before);
}

static void test_checks_the_name_in_the_certificate(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", OTHER_NAME);

    smtp.require_tls = 1;
    smtp.ca_file = path_of(*state, OTHER_NAME, "cert.pem");
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(*state, OTHER_NAME), 0);
}

static void test_accepts_any_certificate_if_tls_is_not_required(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", STARTTLS);

    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SENT);
    assert_true(json_is_true(json_object_get(newest(*state, STARTTLS), "tls")));
}

static void check_login(apr_pool_t *pool, const char *scheme, int server)
{
    cat_relay_t smtp = address_of(pool, scheme, server);
    size_t before = count(pool, server);

    smtp.ca_file = path_of(pool, server, "cert.pem");
    assert_int_equal(deliver(pool, &smtp, TO), CAT_DELIVERY_SETUP); /* The server requires a login. */

    smtp.user = "shop";
    smtp.password = "wrong";
    assert_int_equal(deliver(pool, &smtp, TO), CAT_DELIVERY_SETUP);
    assert_int_equal(count(pool, server), before);

    smtp.password = "secret";
    assert_int_equal(deliver(pool, &smtp, TO), CAT_DELIVERY_SENT);
    assert_int_equal(count(pool, server), before + 1);
    assert_true(json_is_true(json_object_get(newest(pool, server), "tls")));
    assert_string_equal(json_string_value(json_object_get(newest(pool, server), "auth")), "shop");
}

static void test_logs_in_after_starttls(void **state)
{
    check_login(*state, "smtp", LOGIN);
}

static void test_logs_in_over_smtps(void **state)
{
    check_login(*state, "smtps", SMTPS);
}

/* The client checks the certificate before it learns that the server requires a login. */
static void test_checks_the_certificate_of_smtps(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtps", SMTPS);
    const char *detail;

    assert_int_equal(cat_smtp_send(*state, &smtp, &(cat_letter_t){"id", FROM, TO, MESSAGE}, &detail),
                     CAT_DELIVERY_SETUP);
    assert_non_null(strstr(detail, "certificate"));
}

static void test_uses_no_proxy_of_the_environment(void **state)
{
    cat_relay_t smtp = address_of(*state, "smtp", PLAIN);

    setenv("ALL_PROXY", "socks5://127.0.0.1:1", 1);
    assert_int_equal(deliver(*state, &smtp, TO), CAT_DELIVERY_SENT);
    unsetenv("ALL_PROXY");
}

static void test_checks_urls(void **state)
{
    static const char *const good[] = {"smtp://localhost",
                                       "smtp://mail.example.org:587",
                                       "smtps://mail.example.org",
                                       "smtps://[::1]:465",
                                       "smtp://127.0.0.1:2525/",
                                       "SMTP://Mail.Example.ORG",
                                       "smtp://mail.example.org/example.org",
                                       "smtps://[::1]:465/shop.example.com"};
    static const char *const bad[] = {"",
                                      "mail.example.org",
                                      "mail.example.org:25",
                                      "http://mail.example.org",
                                      "file:///var/mail",
                                      "smtp://",
                                      "smtp:/mail.example.org",
                                      "smtp://user@mail.example.org",
                                      "smtp://user:secret@mail.example.org",
                                      "smtp://mail.example.org/shop",
                                      "smtp://mail.example.org/shop.example.com/",
                                      "smtp://mail.example.org/a.example/b.example",
                                      "smtp://mail.example.org/shop.example.com%0d%0aRSET",
                                      "smtp://mail.example.org/127.0.0.1",
                                      "smtp://mail.example.org:70000",
                                      "smtp://mail.example.org:x",
                                      "smtp://mail example.org",
                                      "smtp://mail.example.org?x",
                                      "smtp://mail.example.org#x",
                                      "smtp://mail.example.org\r\n"};

    for (size_t i = 0; i < UNIT_COUNT(good); i++) {
        if (cat_smtp_check_url(*state, good[i])) {
            fail_msg("%s was refused", good[i]);
        }
    }
    for (size_t i = 0; i < UNIT_COUNT(bad); i++) {
        const char *fault = cat_smtp_check_url(*state, bad[i]);
        if (!fault) {
            fail_msg("%s was taken", bad[i]);
        }
        assert_null(strstr(fault, "secret"));
    }
}

static void test_recognizes_loopback_addresses(void **state)
{
    assert_true(cat_smtp_is_loopback(*state, "smtp://localhost"));
    assert_true(cat_smtp_is_loopback(*state, "smtp://LOCALHOST:2525"));
    assert_true(cat_smtp_is_loopback(*state, "smtp://127.0.0.1"));
    assert_true(cat_smtp_is_loopback(*state, "smtps://127.3.2.1:465"));
    assert_true(cat_smtp_is_loopback(*state, "smtp://[::1]:25"));
    assert_true(cat_smtp_is_loopback(*state, "smtp://[0:0::1]:25"));
    assert_false(cat_smtp_is_loopback(*state, "smtp://127.example.org"));
    assert_false(cat_smtp_is_loopback(*state, "smtp://localhost.example.org"));
    assert_false(cat_smtp_is_loopback(*state, "smtp://128.0.0.1"));
    assert_false(cat_smtp_is_loopback(*state, "smtp://[::2]"));
    assert_false(cat_smtp_is_loopback(*state, "not a url"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_sends_one_message_to_one_recipient),
        UNIT_TEST(test_distinguishes_lasting_from_temporary_refusals),
        UNIT_TEST(test_a_fault_of_the_protocol_is_of_the_configuration),
        UNIT_TEST(test_ehlo_has_the_name_of_the_url_or_of_the_pages),
        UNIT_TEST(test_never_sends_a_second_command_in_an_address),
        UNIT_TEST(test_retries_when_nobody_listens),
        UNIT_TEST(test_does_not_wait_for_a_silent_server),
        UNIT_TEST(test_stops_when_the_flag_is_set),
        UNIT_TEST(test_retries_when_the_message_is_not_acknowledged),
        UNIT_TEST(test_does_not_wait_for_the_answer_to_quit),
        UNIT_TEST(test_is_never_downgraded),
        UNIT_TEST(test_never_logs_in_without_tls),
        UNIT_TEST(test_sends_nothing_when_it_cannot_log_in),
        UNIT_TEST(test_uses_starttls),
        UNIT_TEST(test_checks_the_certificate_if_tls_is_required),
        UNIT_TEST(test_checks_the_name_in_the_certificate),
        UNIT_TEST(test_accepts_any_certificate_if_tls_is_not_required),
        UNIT_TEST(test_logs_in_after_starttls),
        UNIT_TEST(test_logs_in_over_smtps),
        UNIT_TEST(test_checks_the_certificate_of_smtps),
        UNIT_TEST(test_uses_no_proxy_of_the_environment),
        UNIT_TEST(test_checks_urls),
        UNIT_TEST(test_recognizes_loopback_addresses),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
