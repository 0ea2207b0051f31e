/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_INVITATION_H
#define CAT_ACCOUNTS_INVITATION_H

#include "accounts/administration.h"
#include "accounts/user.h"
#include "lib/conf.h"

/*
 * An account that an administrator creates for somebody who then sets the password with a link, as with that of a reset. Until then it has the
 * hash of a random password, so that a sign-in takes as long as for any other account.
 */
typedef struct cat_invitation_t {
    const char *email;
    const char *username; /* NULL: one is made of the address, and set */
    const char *role;     /* NULL: user */
    const char *hash;     /* of cat_invitation_password */
    int ttl;              /* seconds until the link expires */
    int is_mailed;        /* flag: a mail takes the link along; otherwise *token is set */

    /* Set by cat_invitation_store: */
    const char *id;
    const char *token; /* NULL: a mail will have it */
} cat_invitation_t;

/* A password that nobody knows, on the pool; NULL: no random bytes. */
const char *cat_invitation_password(apr_pool_t *pool);

/* Stores the account in the caller's transaction, as cat_administration_add does. conf has the reserved names, which a name that is made is
 * none of. APR_EEXIST: the name or the address is taken. */
apr_status_t cat_invitation_store(cat_administration_t *a, const cat_conf_t *conf, cat_invitation_t *invitation);

#endif
