/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_MAIL_MESSAGE_H
#define CAT_MAIL_MESSAGE_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>

/* Mail messages by RFC 5322, made from a template: a line "Subject: ...", an empty line, the text. */

typedef struct cat_message_t {
    const char *from; /* An address that passed cat_email_check, or "Name <address>". */
    const char *to;   /* An address that passed cat_email_check. */
    const char *id;   /* Message-ID without its brackets. It is the same in every attempt. */
    apr_time_t date;
    const apr_table_t *values; /* Values that replace {{name}} in the template. */
} cat_message_t;

/* Checks a template. It must have a "Subject: " line, an empty line and a text, all in UTF-8, and each {{name}} must be
 * one of `known`, which ends with NULL. Returns NULL if the template is valid, otherwise the cause, on the pool. */
const char *cat_message_check_template(apr_pool_t *pool, const char *text, const char *const known[]);

/*
 * Returns the whole message with CR LF line ends, on the pool: Date, From, To, Message-ID, Subject (in RFC 2047
 * encoding if it is not ASCII), MIME headers, Auto-Submitted: auto-generated (RFC 3834), then the text. The text is
 * 7bit if it is ASCII with lines of at most 998 bytes, otherwise base64. Values replace {{name}} verbatim, in the
 * Subject without control characters; a {{name}} without a value is removed. Returns NULL if `text` is no template.
 */
const char *cat_message_format(apr_pool_t *pool, const char *text, const cat_message_t *m);

/* Returns the address in "Name <address>" or "address", on the pool, or NULL if cat_email_check refuses it. */
const char *cat_message_address(apr_pool_t *pool, const char *mailbox);

#endif
