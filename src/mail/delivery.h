/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_DELIVERY_H
#define CAT_MAIL_DELIVERY_H

#include <apr_pools.h>
#include <stdatomic.h>

/* A message, its destination, and the result of sending it. */

typedef struct cat_letter_t {
    const char *id; /* Id of the queued mail, for the name of a file. */
    const char *from, *to;
    const char *text; /* Headers and body. */
} cat_letter_t;

/* Where messages are sent. */
typedef struct cat_relay_t {
    const char *url; /* CatalogMail: smtp://host[:port][/name for EHLO], the same with smtps:, or file:DIR. */
    /* Name for EHLO if the URL has none. If it is NULL, the name of the local host is used, which may have no dot. */
    const char *name;
    const char *user, *password; /* NULL means no AUTH. They are never sent without TLS. */
    const char *ca_file;         /* PEM file. NULL means the certificates of the system. */
    /* For smtp://. If true, sending fails unless STARTTLS works (RFC 3207); with a user that is always so. If false,
     * STARTTLS is used if the server offers it, whatever its certificate. */
    int require_tls;
    int timeout;            /* Seconds for the whole conversation. 0 means CAT_SMTP_TIMEOUT. */
    const atomic_int *stop; /* Becomes non-zero when the server stops, which aborts the transfer. May be NULL. */
} cat_relay_t;

typedef enum cat_delivery_t {
    CAT_DELIVERY_SENT,    /* The server has accepted responsibility (250 to DATA), or the file is written. */
    CAT_DELIVERY_RETRY,   /* 4xx, no connection, time-out, or aborted: the same message may succeed later. */
    CAT_DELIVERY_REFUSED, /* 5xx to this message or recipient: the message will never succeed. */
    /* The configuration is wrong: TLS or login fails, the server rejects the client's commands (5.5.x of RFC 3463), for
     * example the name of EHLO, or the file cannot be written. Retry, but slowly. */
    CAT_DELIVERY_SETUP
} cat_delivery_t;

#endif
