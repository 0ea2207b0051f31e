/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ROLE_H
#define CAT_ACCOUNTS_ROLE_H

/* Each role includes the ones before it. Every account is at least a CAT_ROLE_USER. */
typedef enum { CAT_ROLE_USER, CAT_ROLE_EDITOR, CAT_ROLE_ADMIN, CAT_ROLE_COUNT } cat_role_t;

/* Names of the roles in the database, in tokens and in the configuration. */
#define CAT_ROLE_NAMES "user", "editor", "admin"
#define CAT_ROLE_NAMES_TEXT "user, editor or admin" /* For messages. */
#define CAT_ROLE_WRITERS "any|editor|admin"         /* Values of CatalogWriteRole, in the order of cat_role_t. */

extern const char *const cat_role_names[CAT_ROLE_COUNT + 1]; /* Indexed by cat_role_t, with NULL at the end. */

/* Returns true and sets *role if `name` is the name of a role. Otherwise returns false and leaves *role unchanged. */
int cat_role_parse(const char *name, cat_role_t *role);

/* Returns true if the role `name` includes the role `other`, a cat_role_t. An unknown name counts as CAT_ROLE_USER. */
int cat_role_includes(const char *name, int other);

#endif
