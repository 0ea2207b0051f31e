/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes passwords for requests, at most CatalogHashConcurrency at once.
 *
 * A hash keeps a core busy for 20 ms or more. So requests wait in the queue of a semaphore that all children share. A
 * request that waits longer than PATIENCE is refused with 503. For an unknown user the server hashes the password, too,
 * so that the response time does not show which users exist.
 */
#include "accounts/passwords.h"

#include <apr_strings.h>
#include <string.h>

#include "accounts/blocklist.h"
#include "accounts/password_hash.h"
#include "db/db.h"
#include "lib/log.h"
#include "lib/time.h"
#include "shm/semaphore.h"

/* Longest time that a request waits for the semaphore. */
#define PATIENCE apr_time_from_sec(2)

static apr_status_t wait_in_queue(const cat_account_context_t *c, int *slot)
{
    apr_time_t begun = cat_time_monotonic();
    apr_status_t rv;

    cat_metrics_shift(c->metrics, CAT_METRIC_HASH_QUEUE, 1);
    rv = cat_semaphore_enter(c->hashing, c->network, PATIENCE, slot);
    cat_metrics_shift(c->metrics, CAT_METRIC_HASH_QUEUE, -1);
    cat_metrics_observe(c->metrics, CAT_METRIC_HASH_WAIT, cat_time_monotonic() - begun);
    cat_metrics_add(c->metrics, rv == APR_SUCCESS ? CAT_METRIC_HASHES : CAT_METRIC_HASH_REFUSALS, 0, 1);
    return rv;
}

/* Sets *begun to the time at which hashing begins, for leave_semaphore. Returns CAT_EBUSY if the request had to wait
 * for too long. */
static apr_status_t enter_semaphore(const cat_account_context_t *c, int *slot, apr_time_t *begun)
{
    char more[CAT_REPEATS_TEXT];
    apr_time_t waiting = cat_timing_begin(c->timing);
    apr_status_t rv = wait_in_queue(c, slot);

    cat_timing_end(c->timing, CAT_TIMING_QUEUE, waiting);
    if (rv == APR_SUCCESS) {
        *begun = cat_timing_begin(c->timing);
        return APR_SUCCESS;
    }
    if (cat_repeats_note(cat_semaphore_refusals(c->hashing), cat_time_monotonic(), more)) {
        cat_log(c->log, CAT_LOG_ERROR, 0, "CAT011: too many passwords to hash at once%s; see CatalogHashConcurrency",
                more);
    }
    return CAT_EBUSY;
}

static void leave_semaphore(const cat_account_context_t *c, int slot, apr_time_t begun)
{
    cat_semaphore_leave(c->hashing, slot);
    cat_timing_end(c->timing, CAT_TIMING_HASHING, begun);
}

apr_status_t cat_passwords_hash(const cat_account_context_t *c, const char *password, const char **hash)
{
    int slot;
    apr_time_t begun;
    apr_status_t rv = enter_semaphore(c, &slot, &begun);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    rv = cat_password_hash_hash(c->pool, password, hash);
    leave_semaphore(c, slot, begun);
    if (rv != APR_SUCCESS) {
        cat_log(c->log, CAT_LOG_ERROR, rv, "CAT012: a password could not be hashed");
    }
    return rv;
}

apr_status_t cat_passwords_match(const cat_account_context_t *c, const char *password, const cat_account_t *user,
                                 int *match)
{
    int slot;
    apr_time_t begun;
    apr_status_t rv = enter_semaphore(c, &slot, &begun);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (user) {
        *match = cat_password_hash_match(c->pool, password, user->password_hash);
    } else {
        const char *unused;
        rv = cat_password_hash_hash(c->pool, password, &unused); /* takes as long as a match */
        *match = 0;
    }
    leave_semaphore(c, slot, begun);
    return rv;
}

const char *cat_passwords_renew(const cat_account_context_t *c, const char *password, const cat_account_t *user)
{
    const char *hash = user->password_hash;

    if (!cat_password_hash_is_current(hash)) {
        cat_passwords_hash(c, password, &hash); /* does not change `hash` if it fails */
    }
    return hash;
}

void cat_passwords_check(const cat_account_context_t *c, cat_input_t *input, const char *field, const char *password)
{
    if (password && c->conf->blocklist && cat_blocklist_has(c->conf->blocklist, password)) {
        cat_fields_add_error(c->pool, input, field, "common", "is a commonly used password; choose another one");
    }
}

const char *cat_passwords_refuse_personal(const char *password, const char *username, const char *email)
{
    return !strcasecmp(password, username) || !strcasecmp(password, email)
               ? "must not be the user name or the e-mail address"
               : NULL;
}

void cat_passwords_check_personal(const cat_account_context_t *c, cat_input_t *input, const char *field,
                                  const char *password, const cat_account_t *owner)
{
    const char *fault = cat_passwords_refuse_personal(password, owner->username, owner->email);

    if (fault) {
        cat_fields_add_error(c->pool, input, field, "personal", fault);
    }
}
