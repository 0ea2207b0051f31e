/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_SMTP_H
#define CAT_MAIL_SMTP_H

#include "mail/delivery.h"

#define CAT_SMTP_CONNECT_TIMEOUT 5 /* In seconds. */
#define CAT_SMTP_TIMEOUT 15        /* In seconds, for the whole conversation. */

/* Implements cat_transport_t.send with libcurl. Blocks for at most relay->timeout, or CAT_SMTP_TIMEOUT if that is 0.
 * The caller must have called curl_global_init. *detail contains curl's text, or the reply code and the enhanced status
 * code. */
cat_delivery_t cat_smtp_send(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter,
                             const char **detail);

/* Implements cat_transport_t.check. Accepts the scheme smtp or smtps, a host, an optional port and an optional domain
 * name as the path, but no user. */
const char *cat_smtp_check_url(apr_pool_t *pool, const char *url);

/* Returns true if the host of the URL is this machine (localhost, 127.0.0.0/8, ::1). */
int cat_smtp_is_loopback(apr_pool_t *pool, const char *url);

#endif
