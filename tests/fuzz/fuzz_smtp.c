/* SPDX-License-Identifier: Apache-2.0 */
/* A mail server that answers each of the client's commands with the next line of the input, then hangs up. */
#include "fuzz.h"
#include "mail/smtp.h"

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <curl/curl.h>

static int listener = -1;
static char url[64];

static void listen_on_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof(address);

    if (listener >= 0) {
        return;
    }
    curl_global_init(CURL_GLOBAL_ALL);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    FUZZ_CHECK(listener >= 0 && bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
    FUZZ_CHECK(listen(listener, 8) == 0 && getsockname(listener, (struct sockaddr *)&address, &length) == 0);
    snprintf(url, sizeof(url), "smtp://127.0.0.1:%d", ntohs(address.sin_port));
}

typedef struct script_t {
    apr_pool_t *pool;
    const uint8_t *data;
    size_t size;
} script_t;

/* Waits for the client's next message, with a timeout: the client may itself wait for another line of a reply. */
static int await_message(int client)
{
    struct pollfd poll_client = {.fd = client, .events = POLLIN};
    char message[4096];

    return poll(&poll_client, 1, 20) == 0 || recv(client, message, sizeof(message), 0) > 0;
}

/* Sends one line for the greeting and one for each of the client's messages. */
static void *serve(void *baton)
{
    script_t *script = baton;
    int client = accept(listener, NULL, NULL);

    do {
        const char *reply =
            apr_pstrcat(script->pool, fuzz_line(script->pool, &script->data, &script->size), "\r\n", NULL);
        if (send(client, reply, strlen(reply), MSG_NOSIGNAL) < 0) {
            break;
        }
    } while (script->size && await_message(client));
    close(client);
    return NULL;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    apr_pool_t *server_pool;
    script_t script = {NULL, data, size};
    const cat_relay_t smtp = {.url = url, .timeout = 2};
    const char *detail = NULL;
    pthread_t server;
    cat_delivery_t result;

    listen_on_loopback();
    apr_pool_create(&server_pool, NULL); /* a pool belongs to one thread */
    script.pool = server_pool;
    FUZZ_CHECK(pthread_create(&server, NULL, serve, &script) == 0);
    result = cat_smtp_send(
        pool, &smtp, &(cat_letter_t){"id", "shop@example.org", "ada@example.org", "Subject: x\r\n\r\nx\r\n"}, &detail);
    pthread_join(server, NULL);
    apr_pool_destroy(server_pool);
    FUZZ_CHECK(result == CAT_DELIVERY_SENT || (detail && *detail));
}
