/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job that tells the URLs of CatalogWebhook what has changed.
 *
 *     history      ... 118 119 120 121 122 123 124        each URL has a row, and goes through the history by itself
 *     row of URL 1             sent            until
 *                                 [ a message ]           claimed, sent outside of any transaction, and then:
 *
 *     2xx            sent = until, and the next message follows at once
 *     410            dead at once: the receiver wants no more (CAT142)
 *     anything else  again after 5, 10, 20 ... seconds, at most 6 hours, or when Retry-After says, with the same changes under
 *                    the same id (CAT140); dead after three days (CAT141)
 *
 * All URLs are waited for at once (http/poster.h), so one that hangs delays no other. A claim has a lease, so a message whose sender dies is
 * sent by another server later: it may arrive twice, but is never lost, and nothing overtakes it. A server that stops waits a moment
 * for answers, and then gives its claims back.
 */
#include "catalogue/webhooks/webhook_job.h"

#include <string.h>

#include <apr_strings.h>

#include "catalogue/changes/changes.h"
#include "catalogue/webhooks/webhook_message.h"
#include "catalogue/webhooks/webhook_rows.h"
#include "http/poster.h"
#include "http/webhook.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "lib/number.h"
#include "shm/metrics.h"

/* How often the history is looked at while requests are on their way, and how soon the job notices that the server stops. */
#define ROUND apr_time_from_sec(1)
#define STOP_INTERVAL apr_time_from_msec(100)
#define STOP_PATIENCE apr_time_from_sec(2)

#define WAIT_FIRST apr_time_from_sec(5)
#define WAIT_MAX apr_time_from_sec(6 * 3600)
#define WAIT_MAX_SHIFT 13
#define GIVE_UP_AFTER apr_time_from_sec(3 * 24 * 3600)

#define SEE_INTERVAL apr_time_from_sec(600)

#define GONE 410

/* A webhook during a run. */
typedef struct sender_t {
    const cat_webhook_t *webhook;
    int is_known; /* flag: it has a row */
    /* While a message is on its way: */
    apr_pool_t *pool; /* NULL: none is. The message's */
    cat_webhook_row_t row;
    cat_post_t post;
} sender_t;

typedef struct run_t {
    cat_job_t *job;
    apr_pool_t *pool; /* cleared after each round */
    cat_db_t *db;     /* on that pool */
    cat_poster_t *poster;
    sender_t *senders;
    int count;
    int busy;      /* how many messages are on their way */
    int has_moved; /* flag: a webhook has gone past changes that it is not told of, and may have a message now */
    int is_at_end; /* flag: nothing comes after `end` in the history, as the round has found */
    apr_int64_t end;
} run_t;

/* ---- sending ---- */

static const char *const *make_headers(apr_pool_t *pool, const cat_webhook_t *webhook,
                                       const cat_webhook_message_t *message, apr_time_t now)
{
    const char **headers = apr_pcalloc(pool, 4 * sizeof(*headers));
    const char *seconds = cat_number_write(pool, (apr_int64_t)apr_time_sec(now));

    headers[0] = apr_pstrcat(pool, "webhook-id: ", message->id, NULL);
    headers[1] = apr_pstrcat(pool, "webhook-timestamp: ", seconds, NULL);
    headers[2] = apr_pstrcat(
        pool, "webhook-signature: ", cat_webhook_sign(pool, webhook, message->id, seconds, message->body), NULL);
    return headers;
}

/* The row and the message are on the round's pool, which ends before the answer comes. */
static apr_status_t start_post(run_t *r, sender_t *s, const cat_webhook_row_t *row,
                               const cat_webhook_message_t *message, apr_time_t now)
{
    apr_pool_create(&s->pool, r->job->pool);
    s->row = *row;
    s->row.id = apr_pstrdup(s->pool, row->id);
    s->row.lease = apr_pstrdup(s->pool, row->lease);
    s->post = (cat_post_t){.url = s->webhook->url,
                           .headers = make_headers(s->pool, s->webhook, message, now),
                           .body = apr_pstrdup(s->pool, message->body),
                           .baton = s};
    r->busy++;
    return cat_poster_start(r->poster, s->pool, &s->post);
}

/* Most URLs have got everything, most of the time: the history is asked once for all of these. */
static apr_status_t find_message(run_t *r, const cat_webhook_t *webhook, const cat_webhook_row_t *row,
                                 cat_webhook_message_t *message)
{
    apr_status_t rv;

    *message = (cat_webhook_message_t){.since = row->sent, .until = row->sent};
    if (r->is_at_end && row->sent == r->end) {
        return APR_SUCCESS;
    }
    rv = cat_webhook_message_read(r->db, webhook, row, message);
    if (rv == APR_SUCCESS && message->until == message->since) {
        r->is_at_end = 1;
        r->end = message->until;
    }
    return rv;
}

/* The receiver sees by `since` of the next message that changes are missing. */
static apr_status_t skip_purged(run_t *r, const sender_t *s, const cat_webhook_row_t *row)
{
    apr_int64_t purged;
    apr_status_t rv = cat_changes_find_purged(r->db, &purged);

    if (rv != APR_SUCCESS || purged <= row->sent) {
        return rv;
    }
    cat_log(r->job->log, CAT_LOG_ERROR, 0,
            "CAT145: the webhook %s (%s) misses the changes from %" APR_INT64_T_FMT " to %" APR_INT64_T_FMT
            ": they were deleted before its receiver accepted them",
            row->id, s->webhook->name, row->sent + 1, purged);
    return cat_webhook_rows_skip(r->db, row, purged, purged);
}

static apr_status_t send_next(run_t *r, sender_t *s, cat_webhook_row_t *row, apr_time_t now)
{
    cat_webhook_message_t message;
    int claimed;
    apr_status_t rv = find_message(r, s->webhook, row, &message);

    if (rv == CAT_EPURGED) {
        return skip_purged(r, s, row);
    }
    if (rv != APR_SUCCESS || message.until == message.since) {
        return rv;
    }
    if (!message.body) {
        r->has_moved = 1;
        return cat_webhook_rows_skip(r->db, row, message.until, row->told);
    }
    rv = cat_webhook_rows_claim(r->db, row, message.until, apr_time_now(), &claimed); /* the round may take a while */
    return rv == APR_SUCCESS && claimed ? start_post(r, s, row, &message, now) : rv;
}

/* ---- what came of it ---- */

static apr_interval_time_t find_wait(const sender_t *s, apr_time_t now)
{
    int shift = s->row.attempts - 1 < WAIT_MAX_SHIFT ? s->row.attempts - 1 : WAIT_MAX_SHIFT;
    apr_interval_time_t wait = WAIT_FIRST << shift;

    wait += now % (wait / 10); /* so that not all that failed together are tried again together */
    wait = wait > s->post.retry_after ? wait : s->post.retry_after;
    return wait < WAIT_MAX ? wait : WAIT_MAX;
}

static void log_failure(const run_t *r, const sender_t *s, const cat_webhook_result_t *result)
{
    const cat_log_t *log = r->job->log;
    const char *name = s->webhook->name;

    if (result->status == GONE) {
        cat_log(log, CAT_LOG_ERROR, 0,
                "CAT142: the receiver of the webhook %s (%s) wants no more messages: it answered 410", s->row.id, name);
    } else if (result->is_dead) {
        cat_log(log, CAT_LOG_ERROR, 0,
                "CAT141: the webhook %s (%s) was given up after three days of failed attempts: %s", s->row.id, name,
                result->error);
    } else if (!s->row.failing_at) {
        cat_log(log, CAT_LOG_WARNING, 0,
                "CAT140: the webhook %s (%s) did not accept a message, which will be sent again: %s", s->row.id, name,
                result->error);
    } else {
        cat_log(log, CAT_LOG_INFO, 0, "CAT143: the webhook %s (%s) did not accept a message (attempt %d): %s",
                s->row.id, name, s->row.attempts, result->error);
    }
}

static void log_success(const run_t *r, const sender_t *s)
{
    if (s->row.failing_at) {
        cat_log(r->job->log, CAT_LOG_NOTICE, 0, "CAT144: the webhook %s (%s) accepts messages again", s->row.id,
                s->webhook->name);
    }
}

static cat_webhook_result_t judge_answer(const sender_t *s)
{
    cat_webhook_result_t result = {.now = apr_time_now(), .status = s->post.status};

    if (result.status >= 200 && result.status <= 299) {
        return result;
    }
    result.error = result.status ? apr_psprintf(s->pool, "the receiver answered %d", result.status) : s->post.error;
    result.next_at = result.now + find_wait(s, result.now);
    result.is_dead = result.status == GONE || (s->row.failing_at && result.now - s->row.failing_at > GIVE_UP_AFTER);
    return result;
}

static void forget_post(run_t *r, sender_t *s)
{
    apr_pool_destroy(s->pool);
    s->pool = NULL;
    r->busy--;
}

static apr_status_t end_post(run_t *r, sender_t *s)
{
    cat_webhook_result_t result = judge_answer(s);
    apr_status_t rv = cat_webhook_rows_end(r->db, &s->row, &result);

    if (result.error) {
        log_failure(r, s, &result);
    } else {
        log_success(r, s);
    }
    cat_metrics_add(r->job->metrics, CAT_METRIC_WEBHOOK_MESSAGES,
                    !result.error    ? CAT_WEBHOOK_DELIVERED
                    : result.is_dead ? CAT_WEBHOOK_DEAD
                                     : CAT_WEBHOOK_DEFERRED,
                    1);
    forget_post(r, s);
    return rv;
}

/* ---- a round ---- */

static sender_t *find_sender(const run_t *r, const char *url)
{
    for (int i = 0; i < r->count; i++) {
        if (!strcmp(r->senders[i].webhook->url, url)) {
            return &r->senders[i];
        }
    }
    return NULL;
}

static apr_status_t go_on(run_t *r, cat_webhook_row_t *row, apr_time_t now)
{
    sender_t *s = find_sender(r, row->url);
    apr_status_t rv = APR_SUCCESS;
    int is_due;

    if (!s) {
        return APR_SUCCESS; /* of another server, or no longer in the configuration */
    }
    s->is_known = 1;
    if (row->seen_at + SEE_INTERVAL < now) {
        rv = cat_webhook_rows_see(r->db, row, now);
    }
    is_due = !s->pool && row->is_active && row->next_at <= now;
    return rv == APR_SUCCESS && is_due ? send_next(r, s, row, now) : rv;
}

/* A new webhook receives what changes from now on. */
static apr_status_t add_new(run_t *r, apr_time_t now)
{
    apr_int64_t end;
    apr_status_t rv = APR_SUCCESS;

    for (int i = 0; i < r->count && rv == APR_SUCCESS; i++) {
        if (!r->senders[i].is_known) {
            rv = cat_changes_find_end(r->db, &end);
            rv = rv == APR_SUCCESS ? cat_webhook_rows_add(r->db, r->senders[i].webhook->url, end, now) : rv;
        }
    }
    return rv;
}

static apr_status_t begin_round(run_t *r)
{
    apr_array_header_t *rows;
    apr_time_t now = apr_time_now();
    apr_status_t rv = cat_webhook_rows_read(r->db, &rows);

    r->is_at_end = 0;
    r->has_moved = 0;
    for (int i = 0; rv == APR_SUCCESS && i < rows->nelts; i++) {
        rv = go_on(r, &APR_ARRAY_IDX(rows, i, cat_webhook_row_t), now);
    }
    return rv == APR_SUCCESS ? add_new(r, now) : rv;
}

/* Waits until an answer is there, and stores it, with those that are there as well. */
static apr_status_t take_answers(run_t *r, apr_interval_time_t patience, int may_stop)
{
    apr_time_t until = apr_time_now() + patience;
    cat_post_t *post = NULL;
    apr_status_t rv = APR_SUCCESS;

    while (!post && r->busy && apr_time_now() < until && !(may_stop && cat_job_must_stop(r->job))) {
        post = cat_poster_wait(r->poster, STOP_INTERVAL);
    }
    for (; post && rv == APR_SUCCESS; post = cat_poster_wait(r->poster, 0)) {
        rv = end_post(r, post->baton);
    }
    return rv;
}

static void end_round(run_t *r)
{
    cat_db_release(r->db);
    apr_pool_clear(r->pool);
    r->db = cat_db_another(r->job->db, r->pool);
}

static apr_status_t send_all(run_t *r)
{
    apr_status_t rv;

    do {
        rv = begin_round(r);
        end_round(r);
        rv = rv == APR_SUCCESS ? take_answers(r, r->has_moved ? STOP_INTERVAL : ROUND, 1) : rv;
        end_round(r);
    } while (rv == APR_SUCCESS && (r->busy || r->has_moved) && !cat_job_must_stop(r->job));
    return rv;
}

/* The server stops, or has lost its database. Messages without an answer may have arrived or not, so they are sent again. */
static void break_off(run_t *r)
{
    apr_time_t until = apr_time_now() + STOP_PATIENCE;
    apr_status_t rv = APR_SUCCESS;

    while (r->busy && rv == APR_SUCCESS && apr_time_now() < until) {
        rv = take_answers(r, until - apr_time_now(), 0);
    }
    for (int i = 0; i < r->count; i++) {
        sender_t *s = &r->senders[i];
        if (s->pool) {
            rv = rv == APR_SUCCESS ? cat_webhook_rows_release(r->db, &s->row, apr_time_now()) : rv;
            forget_post(r, s);
        }
    }
    end_round(r);
}

cat_job_result_t cat_webhook_job_run(cat_job_t *job)
{
    const apr_array_header_t *webhooks = job->conf->webhooks;
    run_t r = {.job = job, .poster = cat_poster_make(job->pool), .count = webhooks->nelts};
    apr_status_t rv;

    if (!r.poster) {
        return CAT_JOB_FAILED;
    }
    apr_pool_create(&r.pool, job->pool);
    r.db = cat_db_another(job->db, r.pool);
    r.senders = apr_pcalloc(job->pool, (apr_size_t)r.count * sizeof(*r.senders));
    for (int i = 0; i < r.count; i++) {
        r.senders[i].webhook = APR_ARRAY_IDX(webhooks, i, const cat_webhook_t *);
    }
    rv = send_all(&r);
    break_off(&r);
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
