/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_SMTP_H
#define CAT_MAIL_SMTP_H

#include "mail/delivery.h"

#define CAT_SMTP_CONNECT_TIMEOUT 5 /* seconds */
#define CAT_SMTP_TIMEOUT 15        /* seconds, the whole conversation */

/* Sends a message as a transport does, through libcurl. Blocks for at most CAT_SMTP_TIMEOUT. curl_global_init is the caller's. *detail is
 * curl's words, the reply code and the enhanced status code. */
cat_delivery_t cat_smtp_send(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter,
                             const char **detail);

/* Checks a URL as a transport does: scheme smtp or smtps, a host, an optional port, an optional domain name as its path, no user. */
const char *cat_smtp_check_url(apr_pool_t *pool, const char *url);

/* Is the host of the URL this machine (localhost, 127.0.0.0/8, ::1)? */
int cat_smtp_is_loopback(apr_pool_t *pool, const char *url);

#endif
