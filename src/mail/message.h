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
    const char *id;   /* Message-ID without its brackets: the same on every try */
    apr_time_t date;
    const apr_table_t *values; /* what {{name}} stands for in the template */
} cat_message_t;

/* Is text a template: "Subject: " line first, an empty line, a text, all of it UTF-8, and no {{name}} outside known
 * (NULL-terminated)? NULL: yes. Otherwise what is wrong, on the pool. */
const char *cat_message_check_template(apr_pool_t *pool, const char *text, const char *const known[]);

/*
 * The whole message with CR LF line ends: Date, From, To, Message-ID, Subject (RFC 2047 where it is not ASCII), MIME headers,
 * Auto-Submitted: auto-generated (RFC 3834), then the text, 7bit where it is ASCII with lines of at most 998 octets, else
 * base64. Values are put in verbatim, and in the Subject with control characters taken out. A {{name}} without a value
 * becomes nothing. On the pool. NULL when text is no template.
 */
const char *cat_message_format(apr_pool_t *pool, const char *text, const cat_message_t *m);

/* The address alone out of "Name <address>" or "address", on the pool; NULL when cat_email_check refuses it. */
const char *cat_message_address(apr_pool_t *pool, const char *mailbox);

#endif
