/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_EMAIL_H
#define CAT_MAIL_EMAIL_H

#include <apr_pools.h>

#define CAT_EMAIL_MAX 254 /* Bytes, RFC 5321 4.5.3.1.3 without the brackets. */

/*
 * Returns true if the text is an address that may be stored and put on an SMTP command line. The local part is a
 * dot-atom (RFC 5322 3.2.3) of at most 64 bytes. The domain is a host name with a dot, whose last label has at least
 * two characters and begins with a letter. So the address contains no white space, control character, bracket, quote or
 * comma, and never a second recipient.
 */
int cat_email_check(const char *text);

/* Returns true if the text is a domain as cat_email_check accepts it. */
int cat_email_check_domain(const char *domain);

/* Returns true if the domain of the address has characters beyond ASCII. Its owner can also write it in ASCII (RFC
 * 5891, "xn--"). */
int cat_email_is_international(const char *text);

/* Returns the form in which addresses and user names are compared, with ASCII letters in lower case, on the pool. */
const char *cat_email_fold(apr_pool_t *pool, const char *text);

/* Returns the address that represents all sub-addresses (RFC 5233) of a mailbox: user+@host for user+detail@host, on
 * the pool. `key` is a folded address. Returns NULL if it is no sub-address. */
const char *cat_email_mailbox(apr_pool_t *pool, const char *key);

#endif
