/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends a message with libcurl, and finds the cause of a refusal. curl reports only the last reply code, so this file
 * watches the commands and the replies of the conversation. A 5xx before RCPT is the fault of the configuration, and so
 * is a 5.5.x (RFC 3463, "protocol status") at any time. Postfix, for instance, refuses a name of EHLO without a dot in
 * its reply to RCPT: 504 5.5.2. Any other 5xx after RCPT concerns the recipient or the message, which will then never
 * be accepted.
 */
#include "mail/smtp.h"

#include <string.h>
#include <strings.h>

#include <apr_lib.h>
#include <apr_strings.h>
#include <curl/curl.h>

#include "lib/text.h"
#include "lib/url.h"
#include "mail/email.h"

typedef struct transfer_t {
    const cat_relay_t *relay;
    const char *message; /* Part of the message that curl has not read yet. */
    apr_size_t left;
    int addressed;   /* True if RCPT was sent. A refusal from now on concerns this message. */
    int leaving;     /* True if QUIT was sent. The server has then answered the message. */
    char status[12]; /* Enhanced status code of the last reply that refused something, or "" if it has none. */
    char error[CURL_ERROR_SIZE];
} transfer_t;

static apr_status_t free_curl(void *curl)
{
    curl_easy_cleanup(curl);
    return APR_SUCCESS;
}

static apr_status_t free_list(void *list)
{
    curl_slist_free_all(list);
    return APR_SUCCESS;
}

static size_t read_message(char *out, size_t size, size_t count, void *context)
{
    transfer_t *t = context;
    size_t length = size * count < t->left ? size * count : t->left;

    memcpy(out, t->message, length);
    t->message += length;
    t->left -= length;
    return length;
}

/* Returns true to abort the transfer. curl calls this at least once a second. Does not wait for the reply to QUIT,
 * because none of curl's time-outs covers it. */
static int check_progress(void *context, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    const transfer_t *t = context;

    return t->leaving || (t->relay->stop && atomic_load_explicit(t->relay->stop, memory_order_relaxed));
}

static int begins_with(const char *data, size_t size, const char *command)
{
    return size >= strlen(command) && memcmp(data, command, strlen(command)) == 0;
}

/* Returns the length of the enhanced status code (RFC 2034) at the beginning of the text, such as "5.5.2", or 0 if
 * there is none. */
static size_t measure_status(const char *text, size_t size)
{
    size_t length = 0;

    for (int number = 0; number < 3; number++) {
        size_t digits = 0, most = number ? 3 : 1;
        if (number && (length == size || text[length++] != '.')) {
            return 0;
        }
        while (length < size && digits < most && apr_isdigit(text[length])) {
            length++;
            digits++;
        }
        if (!digits) {
            return 0;
        }
    }
    return length == size || apr_isspace(text[length]) ? length : 0;
}

/* Reads a line of a reply, such as "504 5.5.2 <shop>: Helo command rejected". */
static void watch_reply(transfer_t *t, const char *data, size_t size)
{
    size_t length;

    if (size > 4 && (*data == '4' || *data == '5') && (data[3] == ' ' || data[3] == '-')) {
        length = data[4] == *data ? measure_status(data + 4, size - 4) : 0;
        apr_cpystrn(t->status, data + 4, length + 1);
    }
}

/* Watches the commands as they are sent, because curl reports the last reply code without its command. */
static int watch_command(CURL *, curl_infotype type, char *data, size_t size, void *context)
{
    transfer_t *t = context;

    if (type == CURLINFO_HEADER_OUT) {
        t->addressed |= begins_with(data, size, "RCPT TO:");
        t->leaving |= begins_with(data, size, "QUIT\r\n");
    } else if (type == CURLINFO_HEADER_IN) {
        watch_reply(t, data, size);
    }
    return 0;
}

static void set_limits(CURL *curl, transfer_t *t)
{
    int timeout = t->relay->timeout ? t->relay->timeout : CAT_SMTP_TIMEOUT;

    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CAT_SMTP_CONNECT_TIMEOUT);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)timeout);
    curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* Do not wait for a name server that does not answer. */
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, check_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, t);
    /* A connection that is kept would be closed with the pool, when these limits no longer apply. */
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
}

/*
 * Requires a valid certificate only where TLS is required. Otherwise an attacker with a false certificate could as well
 * suppress the offer of STARTTLS, and many mail servers on the same host have a self-signed certificate.
 */
static void set_security(CURL *curl, const cat_relay_t *relay)
{
    int insist = relay->require_tls || relay->user || strncasecmp(relay->url, "smtps:", strlen("smtps:")) == 0;

    curl_easy_setopt(curl, CURLOPT_USE_SSL, insist ? (long)CURLUSESSL_ALL : (long)CURLUSESSL_TRY);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, insist ? 1L : 0L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, insist ? 2L : 0L);
    if (relay->ca_file) {
        curl_easy_setopt(curl, CURLOPT_CAINFO, relay->ca_file);
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    }
    if (relay->user) {
        curl_easy_setopt(curl, CURLOPT_USERNAME, relay->user);
        curl_easy_setopt(curl, CURLOPT_PASSWORD, relay->password);
    }
}

/* Returns the URL with the name for EHLO as its path. Without a path, curl sends the name of the local host. */
static const char *name_client(apr_pool_t *pool, const cat_relay_t *relay)
{
    const char *path = strchr(cat_text_host(relay->url), '/');

    if (!relay->name || (path && path[1])) {
        return relay->url;
    }
    return apr_pstrcat(pool, relay->url, path ? "" : "/", relay->name, NULL);
}

static void set_route(CURL *curl, apr_pool_t *pool, const cat_relay_t *relay)
{
    curl_easy_setopt(curl, CURLOPT_URL, name_client(pool, relay));
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* Not even a proxy from the environment. */
}

static void set_envelope(CURL *curl, apr_pool_t *pool, const char *from, struct curl_slist *to, transfer_t *t)
{
    curl_easy_setopt(curl, CURLOPT_MAIL_FROM, apr_pstrcat(pool, "<", from, ">", NULL));
    curl_easy_setopt(curl, CURLOPT_MAIL_RCPT, to);
    curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, read_message);
    curl_easy_setopt(curl, CURLOPT_READDATA, t);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(curl, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(curl, CURLOPT_DEBUGFUNCTION, watch_command);
    curl_easy_setopt(curl, CURLOPT_DEBUGDATA, t);
}

/* Returns true if a 5xx finds fault with the client's commands. Some servers send no enhanced status codes. */
static int is_protocol_fault(long reply, const char *status)
{
    return *status ? begins_with(status, strlen(status), "5.5.") : reply <= 504 && reply != 501;
}

/* Returns the result of a transfer. `reply` is the server's last reply code, or 0 if there was none. */
static cat_delivery_t judge_reply(CURLcode code, long reply, const transfer_t *t)
{
    if (code == CURLE_OK) {
        return CAT_DELIVERY_SENT;
    }
    if (reply >= 500) {
        return t->addressed && !is_protocol_fault(reply, t->status) ? CAT_DELIVERY_REFUSED : CAT_DELIVERY_SETUP;
    }
    if (reply >= 400) {
        return CAT_DELIVERY_RETRY;
    }
    switch (code) {
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_LOGIN_DENIED:
        return CAT_DELIVERY_SETUP;
    default:
        return CAT_DELIVERY_RETRY;
    }
}

static const char *explain_failure(apr_pool_t *pool, CURLcode code, long reply, const transfer_t *t)
{
    if (reply >= 400) {
        return apr_psprintf(pool, "the server answered %ld%s%s %s", reply, *t->status ? " " : "", t->status,
                            t->addressed ? "to the message" : "before it accepted a recipient");
    }
    return apr_psprintf(pool, "%s (last reply: %ld)", t->error[0] ? t->error : curl_easy_strerror(code), reply);
}

static cat_delivery_t perform_transfer(apr_pool_t *pool, CURL *curl, const transfer_t *t, const char **detail)
{
    long reply = 0;
    CURLcode code = curl_easy_perform(curl);

    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply);
    if (code != CURLE_OK) {
        *detail = explain_failure(pool, code, reply, t);
    }
    return judge_reply(code, reply, t);
}

cat_delivery_t cat_smtp_send(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter,
                             const char **detail)
{
    transfer_t *t = apr_pcalloc(pool, sizeof(*t));
    struct curl_slist *recipients;
    CURL *curl;

    *detail = NULL;
    /* curl sends a line end in an address unchanged, which would end the command. */
    if (!cat_email_check(letter->from) || !cat_email_check(letter->to)) {
        *detail = "the address is not valid";
        return CAT_DELIVERY_REFUSED;
    }
    t->relay = relay;
    t->message = letter->text;
    t->left = strlen(letter->text);

    recipients = curl_slist_append(NULL, apr_pstrcat(pool, "<", letter->to, ">", NULL));
    apr_pool_cleanup_register(pool, recipients, free_list, apr_pool_cleanup_null);
    curl = curl_easy_init();
    apr_pool_cleanup_register(pool, curl, free_curl, apr_pool_cleanup_null);
    if (!recipients || !curl) {
        *detail = "out of memory";
        return CAT_DELIVERY_RETRY;
    }
    set_route(curl, pool, relay);
    set_limits(curl, t);
    set_security(curl, relay);
    set_envelope(curl, pool, letter->from, recipients, t);
    return perform_transfer(pool, curl, t, detail);
}

const char *cat_smtp_check_url(apr_pool_t *pool, const char *url)
{
    const cat_url_t *u = cat_url_parse(pool, url);

    if (!u) {
        return "is not a URL like smtp://mail.example.org:587";
    }
    if (strcmp(u->scheme, "smtp") != 0 && strcmp(u->scheme, "smtps") != 0) {
        return "must begin with smtp:// or smtps://";
    }
    if (*u->user || *u->password || *u->options || *u->query || *u->fragment) {
        return "takes only a host and a port; user and password belong in the file of CatalogMailCredentials";
    }
    if (u->path[1] && !cat_email_check_domain(u->path + 1)) {
        return "may have only the name for EHLO after the host or port, such as /shop.example.com";
    }
    return NULL;
}

int cat_smtp_is_loopback(apr_pool_t *pool, const char *url)
{
    const cat_url_t *u = cat_url_parse(pool, url);

    return u && cat_url_is_loopback(u);
}
