/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_REGISTRATION_H
#define CAT_ACCOUNTS_REGISTRATION_H

#include "accounts/context.h"
#include "accounts/session.h"

/* What came of a registration. */
typedef enum {
    CAT_REGISTRATION_OK,
    CAT_REGISTRATION_TAKEN /* another account has the name or the address */
} cat_registration_outcome_t;

typedef struct cat_registration_t {
    cat_registration_outcome_t outcome;
    /* CAT_REGISTRATION_TAKEN: which of the two; neither if that account has been deleted since. */
    int username_taken, email_taken;
} cat_registration_t;

/*
 * Stores an account with the mail that asks to confirm its address and, unless session is NULL, its first session, all
 * of them or nothing. record: by accounts/user.h's table, checked, with id and creation time. The caller must hold no
 * connection, because the password is hashed.
 */
apr_status_t cat_registration_add(const cat_account_context_t *c, const char *const *record, cat_session_t *session,
                                  cat_registration_t *result);

#endif
