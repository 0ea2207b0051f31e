/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_KEY_STATES_H
#define CAT_ACCOUNTS_KEY_STATES_H

#include "accounts/role.h"
#include "db/db.h"
#include "db/job.h"

/*
 * A child process's cache of API keys (accounts/user_key.h), so that not every request with an API key asks the
 * database. It also collects the times of use, which a background job writes to the database. All functions may be
 * called by several threads at once.
 */
typedef struct cat_key_states_t cat_key_states_t;

apr_status_t cat_key_states_create(cat_key_states_t **states, apr_pool_t *pool);

/* Validity and rights of an API key. */
typedef struct cat_key_state_t {
    int is_live; /* True if the key has not ended and its user is neither locked nor deleted. */

    /* Set only if is_live is true: */
    cat_role_t role;      /* The lower one of the key's role and the user's role. */
    int verified;         /* True if the user has confirmed the address. */
    const char *username; /* On the caller's pool. */
} cat_key_state_t;

/* A request with an API key. */
typedef struct cat_key_use_t {
    const char *id, *user_id; /* Ids of the API key and of its user, from the token. */
    const char *client;       /* Address of the client. */
    const cat_source_t *source;
    apr_time_t now; /* Time at which the request arrived. */
} cat_key_use_t;

/* Returns true and sets *state if the cache has an entry of the API key that was read at most `age` ago. Otherwise
 * returns false. */
int cat_key_states_find(cat_key_states_t *states, apr_pool_t *pool, const cat_key_use_t *use, apr_interval_time_t age,
                        cat_key_state_t *state);

/* Reads the state of the API key from the database and stores it in the cache. The entry counts as read at use->now, so
 * the caller must have set that before the call. */
apr_status_t cat_key_states_read(cat_key_states_t *states, cat_db_t *db, apr_pool_t *pool, const cat_key_use_t *use,
                                 cat_key_state_t *state);

/* Records that an API key was used. Call it after cat_key_states_find or cat_key_states_read. */
void cat_key_states_record(cat_key_states_t *states, const cat_key_use_t *use);

/* The background job that writes the recorded times of use to the database, at most once a minute for each API key. */
cat_job_run_t cat_key_states_run;

#endif
