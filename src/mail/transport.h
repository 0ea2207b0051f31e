/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_TRANSPORT_H
#define CAT_MAIL_TRANSPORT_H

#include "mail/delivery.h"

/* The ways to send a message, by the scheme of CatalogMail. Any thread may use them. */

typedef struct cat_transport_t {
    const char *scheme; /* Beginning of the transport's URLs. */

    /* Returns NULL if the URL is valid. Otherwise returns the cause, on the pool, which follows the URL in a
     * sentence. */
    const char *(*check)(apr_pool_t *pool, const char *url);

    /* Sends one message to one recipient. *detail, on the pool, tells the log why the message was not sent. It contains
     * no address and no secret. */
    cat_delivery_t (*send)(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter, const char **detail);
} cat_transport_t;

/* Returns the transport of a URL. A URL with an unknown scheme has the transport for SMTP, whose check refuses it. */
const cat_transport_t *cat_transport_find(const char *url);

/* Returns the DIR of file:DIR, which points into the URL, or NULL if the URL has another scheme. */
const char *cat_transport_directory(const char *url);

#endif
