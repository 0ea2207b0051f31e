/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_TRANSPORT_H
#define CAT_MAIL_TRANSPORT_H

#include "mail/delivery.h"

/* The ways in which a message can leave, by the scheme of CatalogMail. Used by any thread. */

typedef struct cat_transport_t {
    const char *scheme; /* what its URLs begin with */

    /* NULL: the URL is valid. Otherwise what is wrong with it, on the pool, to be put after the URL. */
    const char *(*check)(apr_pool_t *pool, const char *url);

    /* Sends one message to one recipient. *detail, on the pool, says for the log why it was not sent: no address, no secret. */
    cat_delivery_t (*send)(apr_pool_t *pool, const cat_relay_t *relay, const cat_letter_t *letter, const char **detail);
} cat_transport_t;

/* The transport of a URL. One with an unknown scheme has that of SMTP, whose check refuses it. */
const cat_transport_t *cat_transport_find(const char *url);

/* The DIR of file:DIR, in the URL; NULL: the URL has another scheme. */
const char *cat_transport_directory(const char *url);

#endif
