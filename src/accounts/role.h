/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_ACCOUNTS_ROLE_H
#define CAT_ACCOUNTS_ROLE_H

/* Each role includes the ones before it. Every account is at least a CAT_ROLE_USER. */
typedef enum { CAT_ROLE_USER, CAT_ROLE_EDITOR, CAT_ROLE_ADMIN, CAT_ROLE_COUNT } cat_role_t;

/* The names, as the database, tokens and the configuration have them. */
#define CAT_ROLE_NAMES "user", "editor", "admin"
#define CAT_ROLE_NAMES_TEXT "user, editor or admin" /* in a sentence */
#define CAT_ROLE_WRITERS "any|editor|admin"         /* by cat_role_t: the choices of CatalogWriteRole */

extern const char *const cat_role_names[CAT_ROLE_COUNT + 1]; /* by cat_role_t; NULL at the end */

/* Is name the name of a role? Sets *role if it is. */
int cat_role_parse(const char *name, cat_role_t *role);

/* Flag: the role, CAT_ROLE_USER if none has the name, includes another one, a cat_role_t. */
int cat_role_includes(const char *name, int other);

#endif
