/* SPDX-License-Identifier: Apache-2.0 */
/* The type url: absolute URLs of http and https, stored and compared as browsers send them. */
#include <string.h>

#include "catalogue/product/own_rule.h"
#include "lib/text.h"

#define NO_PART_OF_URL " \"<>^`{|}\\" /* printable characters that RFC 3986 does not allow anywhere */

/* Returns the length of "https://" or "http://" at the beginning of the text, or 0. */
static apr_size_t measure_scheme(const char *text)
{
    return !strncasecmp(text, "https://", 8) ? 8 : !strncasecmp(text, "http://", 7) ? 7 : 0;
}

static apr_size_t measure_host(const char *text)
{
    return strcspn(text, "/\\?#");
}

static void add_spelled(cat_buffer_t *b, char c, int is_path)
{
    static const char digits[] = "0123456789ABCDEF";
    const char escape[] = {'%', digits[(unsigned char)c >> 4], digits[(unsigned char)c & 15]};

    if (c == '\\' && is_path) {
        CAT_BUFFER_LITERAL(b, "/");
    } else if ((unsigned char)c >= 0x80 || strchr(NO_PART_OF_URL, c)) {
        cat_buffer_add(b, escape, sizeof(escape));
    } else {
        cat_buffer_add(b, &c, 1);
    }
}

/* Returns the URL as browsers send it: without white space around it, with "/" for each "\" of the path, and with the characters after the host
 * percent-encoded that RFC 3986 does not allow. Keeps existing percent-encoding. Returns a text that does not begin with https:// or http://
 * unchanged. */
static const char *spell_url(apr_pool_t *pool, const char *text)
{
    static const char blanks[] = " \t\r\n";
    const char *begin = text + strspn(text, blanks), *end = text + strlen(text);
    apr_size_t scheme = measure_scheme(begin);
    const char *path = begin + scheme + measure_host(begin + scheme);
    cat_buffer_t b;
    int is_path = 1;

    if (!scheme) {
        return text;
    }
    while (end > path && strchr(blanks, end[-1])) {
        end--;
    }
    cat_buffer_init(&b, pool, (apr_size_t)(end - begin) + 1);
    cat_buffer_add(&b, begin, (apr_size_t)(path - begin));
    for (const char *at = path; at < end; at++) {
        is_path = is_path && *at != '?' && *at != '#';
        add_spelled(&b, *at, is_path);
    }
    return cat_buffer_text(&b);
}

static const char *refuse_url(const char *text)
{
    apr_size_t scheme = measure_scheme(text), host = measure_host(text + scheme);

    if (cat_text_has_control(text)) {
        return "must have no control characters, such as a line break";
    }
    if (!scheme || !host || text[scheme] == ':') {
        return "must be a URL that begins with https:// or http:// and a host";
    }
    return strcspn(text + scheme, NO_PART_OF_URL) < host
               ? "must have a host without spaces and the characters \" < > ^ ` { | }"
               : NULL;
}

const cat_text_form_t cat_own_url = {.format = "uri", .refuse = refuse_url, .spell = spell_url};
