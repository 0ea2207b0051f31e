/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_POSTER_H
#define CAT_HTTP_POSTER_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/* Sends requests to several servers at the same time, with one thread. The caller must have called curl_global_init. */
typedef struct cat_poster_t cat_poster_t;

#define CAT_POSTER_CONNECT_TIMEOUT 5 /* In seconds. */
#define CAT_POSTER_TIMEOUT 15        /* In seconds, from the start of the request to the end of the answer. */

/* A POST request with a JSON body. */
typedef struct cat_post_t {
    const char *url;            /* http or https. Redirects are not followed. */
    const char *const *headers; /* Each is "name: value". Ends with NULL. */
    const char *body;
    void *baton; /* For the caller's use. */

    /* Set when the request has ended: */
    int status;        /* Status of the answer, or 0 if there was none. */
    const char *error; /* Why there was no complete answer, on the pool and without the URL; otherwise NULL. */
    apr_interval_time_t retry_after; /* Delay before another attempt that the answer asks for, or 0. */
} cat_post_t;

/* Creates a poster. Returns NULL if there is no memory. Destroying the pool aborts all requests that have not ended. */
cat_poster_t *cat_poster_make(apr_pool_t *pool);

/* Starts a request. `pool` and `post` must live until the request has ended or the poster is destroyed. */
apr_status_t cat_poster_start(cat_poster_t *poster, apr_pool_t *pool, cat_post_t *post);

/* Waits for a request to end and returns it. Returns NULL if none ends within `patience`. */
cat_post_t *cat_poster_wait(cat_poster_t *poster, apr_interval_time_t patience);

#endif
