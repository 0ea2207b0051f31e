/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_SMTP_H
#define CAT_MAIL_SMTP_H

#include <apr_pools.h>
#include <stdatomic.h>

/* Sends one message to one recipient through libcurl. Blocks for at most CAT_SMTP_TIMEOUT. curl_global_init is the
 * caller's. */

#define CAT_SMTP_CONNECT_TIMEOUT 5 /* seconds */
#define CAT_SMTP_TIMEOUT 15        /* seconds, the whole conversation */

typedef struct cat_smtp_t {
    const char *url;  /* smtp://host[:port] or smtps://host[:port], and perhaps a slash and a name for EHLO */
    const char *name; /* for EHLO if the URL has none; NULL: the local host's, which may have no dot */
    const char *user, *password; /* NULL: no AUTH. Never sent without TLS */
    const char *ca_file;         /* PEM; NULL: the certificates of the system */
    int require_tls;             /* flag, for smtp://: fail unless STARTTLS works (RFC 3207), as always with a user.
                                    0: use it if the server offers it, whatever the certificate */
    int timeout;                 /* seconds for the whole conversation; 0: CAT_SMTP_TIMEOUT */
    const atomic_int *stop;      /* becomes non-zero when the server stops: the transfer is aborted; may be NULL */
} cat_smtp_t;

typedef enum {
    CAT_SMTP_SENT,    /* the server has taken responsibility (250 to DATA) */
    CAT_SMTP_RETRY,   /* 4xx, no connection, time-out, aborted: the same message may succeed later */
    CAT_SMTP_REFUSED, /* 5xx to this message or recipient: the message will never succeed */
    CAT_SMTP_SETUP /* TLS or login fails, or the server does not like the client's commands, EHLO's name among them (5.5.x of
                         RFC 3463): the configuration is wrong; retry, slowly */
} cat_smtp_result_t;

/* *detail (on the pool) says for the log why the message was not sent: curl's words, the reply code and the enhanced
 * status code, no address, no secret. */
cat_smtp_result_t cat_smtp_send(apr_pool_t *pool, const cat_smtp_t *smtp, const char *from, const char *to,
                                const char *message, const char **detail);

/* Checks a URL for cat_smtp_send: scheme smtp or smtps, a host, an optional port, an optional
 * domain name as its path, no user. NULL: it is valid.
 * Otherwise the error, on the pool. */
const char *cat_smtp_check_url(apr_pool_t *pool, const char *url);

/* Is the host of the URL this machine (localhost, 127.0.0.0/8, ::1)? */
int cat_smtp_is_loopback(const char *url);

#endif
