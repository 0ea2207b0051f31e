/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API keys that requests to this child have used, in a table of slots. The hash of a key's id selects the slot. If
 * two keys share a slot, each overwrites the other, and the database is asked again. A request does not write the time
 * of use to the database: it stores the time in the slot, and a job of each child writes it.
 *
 *     request:  slot has the id, read within CatalogRevocationDelay     -> copies role and name, records the use
 *               otherwise                                               -> one SELECT, fills the slot, records the use
 *     job:      slot has a new use, last written a minute ago or never  -> one UPDATE, unless another child was first
 */
#include "accounts/key_states.h"

#include <apr_strings.h>
#include <apr_thread_mutex.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/id.h"
#include "lib/time.h"
#include "shm/revoked.h"

#define SLOTS 512
#define PAUSE apr_time_from_sec(60) /* Shortest time between two writes of the use of one API key. */

#define NAME_ROOM 65   /* Bytes for a user name with its NUL. */
#define CLIENT_ROOM 64 /* Bytes for an address with its NUL. */

typedef struct slot_t {
    char id[CAT_ID_LENGTH + 1]; /* "" if the slot is free. */
    char user_id[CAT_ID_LENGTH + 1];
    char username[NAME_ROOM];
    cat_key_state_t state;      /* `username` of the slot replaces state.username. */
    apr_time_t read_at;         /* Time just before the database was read. */
    const cat_source_t *source; /* Database of the last use. NULL if the last use has been written. */
    char client[CLIENT_ROOM];   /* Address of the last use. */
    apr_time_t used_at;         /* Time of the last use. */
    apr_time_t written_at;      /* Time at which a use was last written. */
} slot_t;

struct cat_key_states_t {
    apr_thread_mutex_t *mutex; /* Protects the slots. */
    slot_t slots[SLOTS];
};

apr_status_t cat_key_states_create(cat_key_states_t **states, apr_pool_t *pool)
{
    *states = apr_pcalloc(pool, sizeof(**states));
    return apr_thread_mutex_create(&(*states)->mutex, APR_THREAD_MUTEX_DEFAULT, pool);
}

static slot_t *find_slot(cat_key_states_t *states, const char *id)
{
    return &states->slots[cat_hash(id, strlen(id)) % SLOTS];
}

/* Compares the user's id as well: a token that names another user must not use this entry. */
static int is_of(const slot_t *slot, const cat_key_use_t *use)
{
    return !strcmp(slot->id, use->id) && !strcmp(slot->user_id, use->user_id);
}

int cat_key_states_find(cat_key_states_t *states, apr_pool_t *pool, const cat_key_use_t *use, apr_interval_time_t age,
                        cat_key_state_t *state)
{
    const slot_t *slot = find_slot(states, use->id);
    int is_known;

    apr_thread_mutex_lock(states->mutex);
    is_known = is_of(slot, use) && cat_revoked_is_current(slot->read_at, age, use->now);
    if (is_known) {
        *state = slot->state;
        state->username = apr_pstrdup(pool, slot->username);
    }
    apr_thread_mutex_unlock(states->mutex);
    return is_known;
}

/* Stores the state in the slot. If the slot belonged to another API key, the last use of that key may be lost. */
static void keep_state(cat_key_states_t *states, const cat_key_use_t *use, const cat_key_state_t *state)
{
    slot_t *slot = find_slot(states, use->id);

    apr_thread_mutex_lock(states->mutex);
    if (!is_of(slot, use)) {
        *slot = (slot_t){.id = ""};
        apr_cpystrn(slot->id, use->id, sizeof(slot->id));
        apr_cpystrn(slot->user_id, use->user_id, sizeof(slot->user_id));
    }
    slot->state = *state;
    slot->read_at = use->now;
    apr_cpystrn(slot->username, state->is_live ? state->username : "", sizeof(slot->username));
    apr_thread_mutex_unlock(states->mutex);
}

apr_status_t cat_key_states_read(cat_key_states_t *states, cat_db_t *db, apr_pool_t *pool, const cat_key_use_t *use,
                                 cat_key_state_t *state)
{
    const char *const *row;
    cat_role_t of_user = CAT_ROLE_USER;
    apr_status_t rv = cat_db_one(db, SQL_USER_KEY_STATE, CAT_VALUES(use->id, use->user_id), &row);

    *state = (cat_key_state_t){.is_live = rv == APR_SUCCESS};
    if (rv == APR_SUCCESS) {
        state->is_live = cat_role_parse(row[0], &state->role) && cat_role_parse(row[1], &of_user);
        state->role = of_user < state->role ? of_user : state->role;
        state->username = apr_pstrdup(pool, row[2]);
        state->verified = row[3] != NULL;
    } else if (rv != APR_NOTFOUND) {
        return rv;
    }
    keep_state(states, use, state);
    return APR_SUCCESS;
}

void cat_key_states_record(cat_key_states_t *states, const cat_key_use_t *use)
{
    slot_t *slot = find_slot(states, use->id);

    apr_thread_mutex_lock(states->mutex);
    if (is_of(slot, use)) {
        slot->source = use->source;
        slot->used_at = use->now;
        apr_cpystrn(slot->client, use->client, sizeof(slot->client));
    }
    apr_thread_mutex_unlock(states->mutex);
}

/* ---- the job ---- */

/* Returns true, copies the slot to *use and marks it as written if it has a use to be written to the database `source`.
 * A written_at in the future does not count, because the clock was set back. */
static int take_use(cat_key_states_t *states, slot_t *slot, const cat_source_t *source, apr_time_t now, slot_t *use)
{
    int is_due;

    apr_thread_mutex_lock(states->mutex);
    is_due = slot->source == source && (now - slot->written_at >= PAUSE || slot->written_at > now);
    if (is_due) {
        *use = *slot;
        slot->source = NULL;
        slot->written_at = now;
    }
    apr_thread_mutex_unlock(states->mutex);
    return is_due;
}

cat_job_result_t cat_key_states_run(cat_job_t *job)
{
    apr_time_t now = apr_time_now();
    apr_status_t rv = APR_SUCCESS;
    slot_t use;

    for (int i = 0; i < SLOTS && rv == APR_SUCCESS && !cat_job_must_stop(job); i++) {
        if (take_use(job->keys, &job->keys->slots[i], job->source, now, &use)) {
            rv = cat_db_exec(job->db, SQL_USER_KEY_USE,
                             CAT_VALUES(cat_time_store(job->pool, use.used_at), use.client, use.id,
                                        cat_time_store(job->pool, use.used_at - PAUSE),
                                        cat_time_store(job->pool, use.used_at + PAUSE)),
                             NULL);
        }
    }
    return rv == APR_SUCCESS ? CAT_JOB_DONE : CAT_JOB_FAILED;
}
