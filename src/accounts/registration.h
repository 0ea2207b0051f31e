/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_REGISTRATION_H
#define CAT_ACCOUNTS_REGISTRATION_H

#include "accounts/context.h"
#include "accounts/session.h"

typedef enum {
    CAT_REGISTRATION_OK,
    CAT_REGISTRATION_TAKEN /* Nothing was stored: the name or the address is taken. */
} cat_registration_outcome_t;

typedef struct cat_registration_t {
    cat_registration_outcome_t outcome;
    /* True if the outcome is CAT_REGISTRATION_TAKEN because of this field. Both are false if the other account was
     * deleted in between. */
    int username_taken, email_taken;
} cat_registration_t;

/*
 * Stores, in one transaction, an account, the mail that asks the user to confirm the address, and the first session
 * unless `session` is NULL. `record` holds checked values of cat_user_fields (accounts/user.h), with id and creation
 * time. The caller must hold no connection, because the function hashes the password.
 */
apr_status_t cat_registration_add(const cat_account_context_t *c, const char *const *record, cat_session_t *session,
                                  cat_registration_t *result);

#endif
