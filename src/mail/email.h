/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_EMAIL_H
#define CAT_MAIL_EMAIL_H

#include <apr_pools.h>

#define CAT_EMAIL_MAX 254 /* octets, RFC 5321 4.5.3.1.3 less the brackets */

/*
 * Is text an address that may be stored and put on an SMTP command line: local part, '@', domain with a dot and a
 * suffix of two characters or more; ASCII only, a dot-atom on the left (RFC 5322 3.2.3, 64 octets at most), host name
 * labels on the right; so no white space, controls, <, >, quotes, comma, and never a second recipient?
 */
int cat_email_check(const char *text);

/* The form in which addresses and user names are compared: ASCII letters in lower case. On the pool. */
const char *cat_email_fold(apr_pool_t *pool, const char *text);

/* Of a sub-address (RFC 5233), folded, the address that stands for all of its mailbox: user+@host of user+detail@host. NULL: it is
 * none. */
const char *cat_email_mailbox(apr_pool_t *pool, const char *key);

#endif
