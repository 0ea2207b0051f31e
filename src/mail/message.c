/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a mail from its template: replaces {{name}}, encodes text that is not ASCII, and adds the headers.
 *
 * A value is inserted once, and a placeholder within the value is not replaced. Subject and names become encoded words
 * (RFC 2047) if necessary. The text is sent as 7bit if it is ASCII with short lines, otherwise as base64.
 */
#include "mail/message.h"

#include <string.h>

#include <apr_encode.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "lib/buffer.h"
#include "lib/json.h"
#include "lib/text.h"
#include "mail/email.h"

#define SUBJECT "Subject: "
#define LINE_OCTETS 998 /* Maximum length of a line in bytes, RFC 5322 2.1.1. */
#define PLAIN_OCTETS 66 /* Length of a header value, in bytes, that fits in a line of 78. */
/* Bytes in an encoded word. In base64 they are 52 characters, so "Subject: =?UTF-8?B?...?=" stays below the 76 of RFC
 * 2047 2. */
#define WORD_OCTETS 39
#define BASE64_OCTETS 57 /* Bytes in a line of 76 characters of base64, RFC 2045 6.8. */

typedef struct template_t {
    const char *subject; /* Text after "Subject: ". Ends at the end of the line. */
    apr_size_t subject_length;
    const char *body;
} template_t;

/* Returns the text after the line end at the beginning of `text`, or NULL if `text` does not begin with a line end. */
static const char *skip_line_end(const char *text)
{
    if (*text == '\r') {
        text++;
    }
    return *text == '\n' ? text + 1 : NULL;
}

/* Returns NULL, or the cause as a constant. */
static const char *split_template(const char *text, template_t *t)
{
    const char *rest;

    if (strncmp(text, SUBJECT, strlen(SUBJECT)) != 0) {
        return "the first line must begin with \"" SUBJECT "\"";
    }
    t->subject = text + strlen(SUBJECT);
    t->subject_length = strcspn(t->subject, "\r\n");
    rest = skip_line_end(t->subject + t->subject_length);
    if (!rest || !(rest = skip_line_end(rest))) {
        return "the second line must be empty";
    }
    if (rest[strspn(rest, " \t\r\n")] == '\0') {
        return "there is no text after the empty line";
    }
    t->body = rest;
    return NULL;
}

static int is_known(const char *name, const char *const known[])
{
    for (; *known; known++) {
        if (strcmp(name, *known) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns the name of the first {{name}} in the text, on the pool, and sets the beginning and the end of the
 * placeholder. Returns NULL if there is none. */
static const char *find_placeholder(apr_pool_t *pool, const char *text, const char **begin, const char **end)
{
    const char *close;

    *begin = strstr(text, "{{");
    close = *begin ? strstr(*begin, "}}") : NULL;
    if (!close) {
        return NULL;
    }
    *end = close + 2;
    return apr_pstrmemdup(pool, *begin + 2, close - *begin - 2);
}

const char *cat_message_check_template(apr_pool_t *pool, const char *text, const char *const known[])
{
    template_t t;
    const char *begin, *name;
    const char *fault = split_template(text, &t);

    if (fault) {
        return fault;
    }
    if (!cat_json_own(pool, json_string(text))) {
        return "it is not valid UTF-8";
    }
    while ((name = find_placeholder(pool, text, &begin, &text))) {
        if (!is_known(name, known)) {
            return apr_psprintf(pool, "{{%s}} is not a known placeholder; use %s", name, cat_text_join(pool, known));
        }
    }
    return NULL;
}

/* Replaces the placeholders in one pass, so a placeholder in a value stays as it is. */
static const char *replace_placeholders(apr_pool_t *pool, const char *text, const apr_table_t *values)
{
    cat_buffer_t b;
    const char *begin, *end, *name;

    cat_buffer_init(&b, pool, strlen(text) + 256);
    while ((name = find_placeholder(pool, text, &begin, &end))) {
        const char *value = apr_table_get(values, name);
        cat_buffer_add(&b, text, begin - text);
        cat_buffer_add_text(&b, value ? value : "");
        text = end;
    }
    cat_buffer_add_text(&b, text);
    return cat_buffer_text(&b);
}

static const char *strip_controls(apr_pool_t *pool, const char *text)
{
    char *stripped = apr_palloc(pool, strlen(text) + 1);
    char *out = stripped;

    for (; *text; text++) {
        if (!apr_iscntrl(*text)) {
            *out++ = *text;
        }
    }
    *out = '\0';
    return stripped;
}

static void add_base64(cat_buffer_t *b, const char *data, apr_size_t length)
{
    cat_buffer_add_text(b, apr_pencode_base64(b->pool, data, length, APR_ENCODE_NONE, NULL));
}

/* Adds encoded words (RFC 2047), one in each line. Never splits a UTF-8 character. */
static void add_encoded(cat_buffer_t *b, const char *text)
{
    while (*text) {
        apr_size_t length = strlen(text);
        if (length > WORD_OCTETS) {
            length = WORD_OCTETS;
            while (length > WORD_OCTETS - 3 && (text[length] & 0xc0) == 0x80) {
                length--;
            }
        }
        CAT_BUFFER_LITERAL(b, "=?UTF-8?B?");
        add_base64(b, text, length);
        CAT_BUFFER_LITERAL(b, "?=");
        text += length;
        if (*text) {
            CAT_BUFFER_LITERAL(b, "\r\n ");
        }
    }
}

static int is_ascii(const char *text)
{
    for (; *text; text++) {
        if (*text & 0x80) {
            return 0;
        }
    }
    return 1;
}

/* Adds a text without control characters. Encodes a text with "=?", because a reader would decode it. */
static void add_unstructured(cat_buffer_t *b, const char *text)
{
    if (is_ascii(text) && strlen(text) <= PLAIN_OCTETS && !strstr(text, "=?")) {
        cat_buffer_add_text(b, text);
    } else {
        add_encoded(b, text);
    }
}

/* Adds a display name. Encodes a name with characters that would have to be quoted (RFC 5322 3.2.3). */
static void add_phrase(cat_buffer_t *b, const char *name)
{
    if (strpbrk(name, "()<>[]:;@\\,.\"")) {
        add_encoded(b, name);
    } else {
        add_unstructured(b, name);
    }
}

static const char *trim_name(apr_pool_t *pool, const char *text, apr_size_t length)
{
    static const char edges[] = " \"";

    while (length > 0 && strchr(edges, text[length - 1])) {
        length--;
    }
    while (length > 0 && strchr(edges, *text)) {
        text++;
        length--;
    }
    return apr_pstrmemdup(pool, text, length);
}

/* Returns the address, or NULL if it is invalid. Sets *name to "" if there is none. */
static const char *split_mailbox(apr_pool_t *pool, const char *mailbox, const char **name)
{
    const char *open = strrchr(mailbox, '<');
    const char *address = mailbox;

    *name = "";
    if (open) {
        apr_size_t length = strlen(open);
        if (open[length - 1] != '>') {
            return NULL;
        }
        address = apr_pstrmemdup(pool, open + 1, length - 2);
        *name = trim_name(pool, mailbox, open - mailbox);
    }
    if (strcmp(*name, strip_controls(pool, *name)) != 0 || !cat_email_check(address)) {
        return NULL;
    }
    return address;
}

const char *cat_message_address(apr_pool_t *pool, const char *mailbox)
{
    const char *name;

    return split_mailbox(pool, mailbox, &name);
}

static void add_from(cat_buffer_t *b, const char *mailbox)
{
    const char *name;
    const char *address = split_mailbox(b->pool, mailbox, &name);

    CAT_BUFFER_LITERAL(b, "From: ");
    if (*name) {
        add_phrase(b, name);
        CAT_BUFFER_LITERAL(b, "\r\n ");
    }
    CAT_BUFFER_LITERAL(b, "<");
    cat_buffer_add_text(b, address);
    CAT_BUFFER_LITERAL(b, ">\r\n");
}

static void add_date(cat_buffer_t *b, apr_time_t date)
{
    char text[APR_RFC822_DATE_LEN]; /* Ends in "GMT", which is obsolete in mails (RFC 5322 4.3). */

    apr_rfc822_date(text, date);
    CAT_BUFFER_LITERAL(b, "Date: ");
    cat_buffer_add(b, text, strlen(text) - strlen("GMT"));
    CAT_BUFFER_LITERAL(b, "+0000\r\n");
}

static void add_header(cat_buffer_t *b, const cat_message_t *m, const char *subject)
{
    add_date(b, m->date);
    add_from(b, m->from);
    CAT_BUFFER_LITERAL(b, "To: <");
    cat_buffer_add_text(b, m->to);
    CAT_BUFFER_LITERAL(b, ">\r\nMessage-ID: <");
    cat_buffer_add_text(b, m->id);
    CAT_BUFFER_LITERAL(b, ">\r\n" SUBJECT);
    add_unstructured(b, subject);
    CAT_BUFFER_LITERAL(b, "\r\nAuto-Submitted: auto-generated\r\n"
                          "MIME-Version: 1.0\r\n"
                          "Content-Type: text/plain; charset=utf-8\r\n");
}

/* Ends every line, including the last one, with CR LF. */
static const char *canonicalize_lines(apr_pool_t *pool, const char *text)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, strlen(text) + 64);
    while (*text) {
        apr_size_t length = strcspn(text, "\r\n");
        cat_buffer_add(&b, text, length);
        CAT_BUFFER_LITERAL(&b, "\r\n");
        text += length;
        text += text[0] == '\r' && text[1] == '\n' ? 2 : text[0] != '\0';
    }
    return cat_buffer_text(&b);
}

static int has_long_line(const char *text)
{
    while (*text) {
        apr_size_t length = strcspn(text, "\r");
        if (length > LINE_OCTETS) {
            return 1;
        }
        text += length + strlen("\r\n");
    }
    return 0;
}

static void add_body(cat_buffer_t *b, const char *text)
{
    apr_size_t left = strlen(text);

    if (is_ascii(text) && !has_long_line(text)) {
        CAT_BUFFER_LITERAL(b, "Content-Transfer-Encoding: 7bit\r\n\r\n");
        cat_buffer_add(b, text, left);
        return;
    }
    CAT_BUFFER_LITERAL(b, "Content-Transfer-Encoding: base64\r\n\r\n");
    while (left > 0) {
        apr_size_t length = left < BASE64_OCTETS ? left : BASE64_OCTETS;
        add_base64(b, text, length);
        CAT_BUFFER_LITERAL(b, "\r\n");
        text += length;
        left -= length;
    }
}

const char *cat_message_format(apr_pool_t *pool, const char *text, const cat_message_t *m)
{
    template_t t;
    cat_buffer_t b;
    const char *subject;

    if (split_template(text, &t)) {
        return NULL;
    }
    subject = apr_pstrmemdup(pool, t.subject, t.subject_length);
    cat_buffer_init(&b, pool, strlen(text) * 2 + 1024);
    add_header(&b, m, strip_controls(pool, replace_placeholders(pool, subject, m->values)));
    add_body(&b, canonicalize_lines(pool, replace_placeholders(pool, t.body, m->values)));
    return cat_buffer_text(&b);
}
