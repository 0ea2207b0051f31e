/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_EMAIL_H
#define CAT_MAIL_EMAIL_H

#include <apr_pools.h>

#define CAT_EMAIL_MAX 254 /* octets, RFC 5321 4.5.3.1.3 less the brackets */

/*
 * Is text an address that may be stored and put on an SMTP command line? The local part is a dot-atom (RFC 5322 3.2.3)
 * of at most 64 octets, the domain a host name with a dot, whose last label has two characters or more and begins with
 * a letter. So there is no white space, control character, bracket, quote or comma in it, and never a second recipient.
 */
int cat_email_check(const char *text);

/* The same for a domain alone. */
int cat_email_check_domain(const char *domain);

/* Flag: the domain has characters beyond ASCII, which its owner can also write in ASCII (RFC 5891, "xn--"). */
int cat_email_is_international(const char *text);

/* Addresses and user names are compared in this form: ASCII letters in lower case. On the pool. */
const char *cat_email_fold(apr_pool_t *pool, const char *text);

/* The address that stands for all sub-addresses (RFC 5233) of a mailbox: user+@host for user+detail@host. key: folded.
 * NULL: key is no sub-address. */
const char *cat_email_mailbox(apr_pool_t *pool, const char *key);

#endif
