/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_DELIVERY_H
#define CAT_MAIL_DELIVERY_H

#include <apr_pools.h>
#include <stdatomic.h>

/* A message, where it goes, and what came of it. */

typedef struct cat_letter_t {
    const char *id; /* of the queued mail, for a file's name */
    const char *from, *to;
    const char *text; /* headers and body */
} cat_letter_t;

/* Where messages go. */
typedef struct cat_relay_t {
    const char *url;  /* CatalogMail: smtp://host[:port][/name for EHLO], the same with smtps:, or file:DIR */
    const char *name; /* for EHLO if the URL has none; NULL: the local host's, which may have no dot */
    const char *user, *password; /* NULL: no AUTH. Never sent without TLS */
    const char *ca_file;         /* PEM; NULL: the certificates of the system */
    int require_tls;             /* flag, for smtp://: fail unless STARTTLS works (RFC 3207), as always with a user.
                                    0: use it if the server offers it, whatever the certificate */
    int timeout;                 /* seconds for the whole conversation; 0: CAT_SMTP_TIMEOUT */
    const atomic_int *stop;      /* becomes non-zero when the server stops: the transfer is aborted; may be NULL */
} cat_relay_t;

typedef enum cat_delivery_t {
    CAT_DELIVERY_SENT,    /* the server has taken responsibility (250 to DATA), or the file is written */
    CAT_DELIVERY_RETRY,   /* 4xx, no connection, time-out, aborted: the same message may succeed later */
    CAT_DELIVERY_REFUSED, /* 5xx to this message or recipient: the message will never succeed */
    CAT_DELIVERY_SETUP /* TLS or login fails, the server does not like the client's commands, EHLO's name among them (5.5.x
                             of RFC 3463), or the file cannot be written: the configuration is wrong; retry, slowly */
} cat_delivery_t;

#endif
