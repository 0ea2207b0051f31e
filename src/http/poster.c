/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends requests through a multi handle of libcurl, so that one thread waits for all servers at once, and no request
 * waits for another.
 *
 * Only the status of an answer counts. The rest of the answer is read and discarded, up to a limit, because a server
 * may want to write it before it takes the request for complete. libcurl resolves names in threads of its own.
 */
#include "http/poster.h"

#include <apr_strings.h>
#include <curl/curl.h>

#include "lib/version.h"

#define ANSWER_MAX 65536 /* Bytes of headers and body that are read. */
#define RETRY_MAX 86400  /* In seconds. More would overflow. */

struct cat_poster_t {
    CURLM *multi;
};

typedef struct transfer_t {
    cat_post_t *post;
    apr_pool_t *pool;
    CURLM *multi;
    CURL *curl;
    struct curl_slist *headers;
    apr_size_t read; /* Bytes of the answer. */
    char error[CURL_ERROR_SIZE];
} transfer_t;

static apr_status_t free_multi(void *data)
{
    curl_multi_cleanup(((cat_poster_t *)data)->multi);
    return APR_SUCCESS;
}

cat_poster_t *cat_poster_make(apr_pool_t *pool)
{
    cat_poster_t *poster = apr_pcalloc(pool, sizeof(*poster));

    poster->multi = curl_multi_init();
    if (!poster->multi) {
        return NULL;
    }
    apr_pool_cleanup_register(pool, poster, free_multi, apr_pool_cleanup_null);
    return poster;
}

static apr_status_t free_transfer(void *data)
{
    transfer_t *t = data;

    curl_multi_remove_handle(t->multi, t->curl);
    curl_easy_cleanup(t->curl);
    curl_slist_free_all(t->headers);
    return APR_SUCCESS;
}

static size_t drop(char *, size_t size, size_t count, void *context)
{
    transfer_t *t = context;

    t->read += size * count;
    return t->read > ANSWER_MAX ? 0 : size * count;
}

static void set_limits(const transfer_t *t)
{
    curl_easy_setopt(t->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(t->curl, CURLOPT_CONNECTTIMEOUT, (long)CAT_POSTER_CONNECT_TIMEOUT);
    curl_easy_setopt(t->curl, CURLOPT_TIMEOUT, (long)CAT_POSTER_TIMEOUT);
    curl_easy_setopt(t->curl, CURLOPT_QUICK_EXIT, 1L); /* Do not wait for a name server that does not answer. */
    curl_easy_setopt(t->curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(t->curl, CURLOPT_PROXY, ""); /* Not even a proxy from the environment. */
}

static void set_answer(transfer_t *t)
{
    curl_easy_setopt(t->curl, CURLOPT_PRIVATE, t);
    curl_easy_setopt(t->curl, CURLOPT_ERRORBUFFER, t->error);
    curl_easy_setopt(t->curl, CURLOPT_WRITEFUNCTION, drop);
    curl_easy_setopt(t->curl, CURLOPT_WRITEDATA, t);
    curl_easy_setopt(t->curl, CURLOPT_HEADERFUNCTION, drop);
    curl_easy_setopt(t->curl, CURLOPT_HEADERDATA, t);
}

/* "Expect:" keeps curl from asking whether it may send the body. */
static void set_request(transfer_t *t)
{
    t->headers = curl_slist_append(t->headers, "Content-Type: application/json");
    t->headers = curl_slist_append(t->headers, "Expect:");
    for (const char *const *header = t->post->headers; *header; header++) {
        t->headers = curl_slist_append(t->headers, *header);
    }
    curl_easy_setopt(t->curl, CURLOPT_URL, t->post->url);
    curl_easy_setopt(t->curl, CURLOPT_USERAGENT, "mod_catalog/" CAT_VERSION);
    curl_easy_setopt(t->curl, CURLOPT_HTTPHEADER, t->headers);
    curl_easy_setopt(t->curl, CURLOPT_POSTFIELDS, t->post->body);
}

apr_status_t cat_poster_start(cat_poster_t *poster, apr_pool_t *pool, cat_post_t *post)
{
    transfer_t *t = apr_pcalloc(pool, sizeof(*t));

    *t = (transfer_t){.post = post, .pool = pool, .multi = poster->multi, .curl = curl_easy_init()};
    post->status = 0;
    post->error = NULL;
    post->retry_after = 0;
    if (!t->curl) {
        return APR_ENOMEM;
    }
    apr_pool_cleanup_register(pool, t, free_transfer, apr_pool_cleanup_null);
    set_limits(t);
    set_answer(t);
    set_request(t);
    return curl_multi_add_handle(t->multi, t->curl) == CURLM_OK ? APR_SUCCESS : APR_ENOMEM;
}

/* An answer counts even if its rest was too long or did not arrive. */
static cat_post_t *end_transfer(transfer_t *t, CURLcode code)
{
    long status = 0;
    curl_off_t seconds = 0;

    curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(t->curl, CURLINFO_RETRY_AFTER, &seconds);
    t->post->status = status >= 200 ? (int)status : 0;
    t->post->retry_after = apr_time_from_sec(seconds < RETRY_MAX ? seconds : RETRY_MAX);
    if (code != CURLE_OK) {
        t->post->error = apr_pstrdup(t->pool, t->error[0] ? t->error : curl_easy_strerror(code));
    }
    apr_pool_cleanup_run(t->pool, t, free_transfer);
    return t->post;
}

static cat_post_t *next_ended(cat_poster_t *poster)
{
    CURLMsg *message;
    transfer_t *t;
    int left;

    while ((message = curl_multi_info_read(poster->multi, &left))) {
        if (message->msg == CURLMSG_DONE) {
            CURLcode code = message->data.result; /* Removing the handle frees the message. */
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
            return end_transfer(t, code);
        }
    }
    return NULL;
}

cat_post_t *cat_poster_wait(cat_poster_t *poster, apr_interval_time_t patience)
{
    apr_time_t until = apr_time_now() + patience;
    cat_post_t *ended;
    int running;

    for (;;) {
        curl_multi_perform(poster->multi, &running);
        ended = next_ended(poster);
        if (ended || apr_time_now() >= until) {
            return ended;
        }
        curl_multi_poll(poster->multi, NULL, 0, (int)(apr_time_as_msec(until - apr_time_now()) + 1), NULL);
    }
}
