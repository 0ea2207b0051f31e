/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_KEY_STATES_H
#define CAT_ACCOUNTS_KEY_STATES_H

#include "accounts/role.h"
#include "db/db.h"
#include "db/job.h"

/*
 * What a child has read of keys (accounts/user_key.h), so that not every request with one asks the database; and when which were used,
 * which a job writes there. Threads may share it.
 */
typedef struct cat_key_states_t cat_key_states_t;

apr_status_t cat_key_states_create(cat_key_states_t **states, apr_pool_t *pool);

/* What a key may do. */
typedef struct cat_key_state_t {
    int is_live;     /* flag: neither ended, nor of a user who is locked or deleted. Otherwise the rest is not set: */
    cat_role_t role; /* the key's or the user's, whichever is lower */
    int verified;    /* flag: the user has confirmed the address */
    const char *username; /* on the caller's pool */
} cat_key_state_t;

/* A request with a key. */
typedef struct cat_key_use_t {
    const char *id, *user_id; /* as the token has them */
    const char *client;       /* address */
    const cat_source_t *source;
    apr_time_t now;
} cat_key_use_t;

/* Finds what was read of the key no longer than age ago. Returns 0: nothing. */
int cat_key_states_find(cat_key_states_t *states, apr_pool_t *pool, const cat_key_use_t *use, apr_interval_time_t age,
                        cat_key_state_t *state);

/* Reads it in the database, which takes until after use->now, and keeps it. */
apr_status_t cat_key_states_read(cat_key_states_t *states, cat_db_t *db, apr_pool_t *pool, const cat_key_use_t *use,
                                 cat_key_state_t *state);

/* Notes the use of a key that was found or read. */
void cat_key_states_note(cat_key_states_t *states, const cat_key_use_t *use);

/* The job that writes what was noted: of each key at most once a minute. */
cat_job_run_t cat_key_states_run;

#endif
