/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_MESSAGE_H
#define CAT_MAIL_MESSAGE_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>

/* Mail messages by RFC 5322, from a template: a line "Subject: ...", an empty line, the text. */

typedef struct cat_message_t {
    const char *from; /* an address that passed cat_email_check, or "Name <address>" */
    const char *to;   /* an address that passed cat_email_check */
    const char *id;   /* Message-ID without its brackets: the same in every try */
    apr_time_t date;
    const apr_table_t *values; /* that replace {{name}} in the template */
} cat_message_t;

/* Checks a template: a "Subject: " line, an empty line, a text, all of it UTF-8, and each {{name}} one of known (NULL
 * at the end). NULL: it is valid. Otherwise the error, on the pool. */
const char *cat_message_check_template(apr_pool_t *pool, const char *text, const char *const known[]);

/*
 * The whole message with CR LF line ends, on the pool: Date, From, To, Message-ID, Subject (RFC 2047 if it is not
 * ASCII), MIME headers, Auto-Submitted: auto-generated (RFC 3834), then the text, 7bit if it is ASCII with lines of at
 * most 998 octets, else base64. Values replace {{name}} verbatim, in the Subject without control characters; a {{name}}
 * without a value is removed. NULL: text is no template.
 */
const char *cat_message_format(apr_pool_t *pool, const char *text, const cat_message_t *m);

/* The address in "Name <address>" or "address", on the pool; NULL: cat_email_check refuses it. */
const char *cat_message_address(apr_pool_t *pool, const char *mailbox);

#endif
