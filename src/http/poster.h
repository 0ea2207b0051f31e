/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTP_POSTER_H
#define CAT_HTTP_POSTER_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_time.h>

/* Sends requests to several servers at the same time, by one thread. curl_global_init is the caller's. */
typedef struct cat_poster_t cat_poster_t;

#define CAT_POSTER_CONNECT_TIMEOUT 5 /* seconds */
#define CAT_POSTER_TIMEOUT 15        /* seconds, from the beginning to the end of the answer */

/* A POST of JSON. */
typedef struct cat_post_t {
    const char *url;            /* only http and https; no redirect is followed */
    const char *const *headers; /* "name: value"; ends with NULL */
    const char *body;
    void *baton; /* the caller's */

    /* Once it has ended: */
    int status;                      /* of the answer; 0: there was none */
    const char *error;               /* why there was none, or none to the end, on the pool; without the URL */
    apr_interval_time_t retry_after; /* what the answer says about another attempt; 0: nothing */
} cat_post_t;

/* NULL: no memory. The end of the pool breaks off what has not ended. */
cat_poster_t *cat_poster_make(apr_pool_t *pool);

/* Begins a request. pool and post must live until it has ended, or the poster has. */
apr_status_t cat_poster_start(cat_poster_t *poster, apr_pool_t *pool, cat_post_t *post);

/* A request that has ended; waits for one. NULL: none has within the time. */
cat_post_t *cat_poster_wait(cat_poster_t *poster, apr_interval_time_t patience);

#endif
