/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_INVITATION_H
#define CAT_ACCOUNTS_INVITATION_H

#include "accounts/administration.h"
#include "accounts/user.h"
#include "lib/conf.h"

/*
 * An account that an administrator creates for somebody else, who then sets the password with a link, as after a reset.
 * Until then the account has the hash of a random password, so that a sign-in takes as long as for any other account.
 */
typedef struct cat_invitation_t {
    const char *email;
    const char *username; /* If NULL, cat_invitation_store makes a name from the address and sets it here. */
    const char *role;     /* NULL for the role user. */
    const char *hash;     /* Hash of a password from cat_invitation_password. */
    int ttl;              /* Seconds until the link expires. */
    int is_mailed;        /* True if a mail is queued that carries the link. */

    /* Set by cat_invitation_store: */
    const char *id;
    const char *token; /* Token of the link. NULL if is_mailed, as the mailer makes the token. */
} cat_invitation_t;

/* Returns a random password that nobody knows, on the pool, or NULL if the system provides no random bytes. */
const char *cat_invitation_password(apr_pool_t *pool);

/* Begins the administrator's work (cat_administration_begin) and stores the account in the caller's transaction, like
 * cat_administration_add. Sets a->outcome, a->ended and the last members of `invitation`. A name made from the address
 * is not one of conf->reserved_names. Returns APR_EEXIST if the name or the address is taken. */
apr_status_t cat_invitation_store(cat_administration_t *a, const cat_conf_t *conf, cat_invitation_t *invitation);

#endif
