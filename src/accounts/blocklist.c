/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of common passwords.
 *
 * The whole file is kept in memory, each line as a string in lower case. The slots of the table are offsets into that
 * text, so a list takes the size of its file and 8 to 16 bytes for each line. The table never changes after it was
 * read, so threads need no lock.
 */
#include "accounts/blocklist.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/file.h"

#define FILE_MAX (64 * 1024) /* KiB */

/* A hash table with open addressing. */
struct cat_blocklist_t {
    char *text;          /* The file in lower case, with a NUL after each line. */
    apr_uint32_t *slots; /* One plus the offset of a line in `text`. 0 if the slot is free. */
    apr_uint32_t count;  /* Number of slots: a power of two, at least twice the number of lines. */
};

static char fold_char(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* FNV-1a. */
static apr_uint32_t hash_text(const char *text)
{
    apr_uint32_t value = 2166136261U;

    for (; *text; text++) {
        value = (value ^ (unsigned char)fold_char(*text)) * 16777619U;
    }
    return value;
}

static int is_line(const char *line, const char *text)
{
    while (*line && *line == fold_char(*text)) {
        line++;
        text++;
    }
    return *line == '\0' && *text == '\0';
}

/* Returns the slot of the text, or the free slot where the text belongs. */
static apr_uint32_t *find_slot(const cat_blocklist_t *list, const char *text)
{
    apr_uint32_t i = hash_text(text) & (list->count - 1);

    while (list->slots[i] && !is_line(list->text + list->slots[i] - 1, text)) {
        i = (i + 1) & (list->count - 1);
    }
    return &list->slots[i];
}

/* Makes each line a string in lower case. Returns the number of lines. */
static apr_uint32_t split_lines(char *text, apr_size_t length)
{
    apr_uint32_t lines = 1;

    for (apr_size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || (text[i] == '\r' && text[i + 1] == '\n')) {
            lines += text[i] == '\n';
            text[i] = '\0';
        } else {
            text[i] = fold_char(text[i]);
        }
    }
    return lines;
}

const char *cat_blocklist_read(apr_pool_t *pool, const char *path, cat_blocklist_t **list)
{
    cat_blocklist_t *l = apr_palloc(pool, sizeof(*l));
    apr_size_t length, size;
    const char *fault = cat_file_read_text(pool, path, FILE_MAX, &l->text, &length);
    apr_uint32_t lines;

    *list = NULL;
    if (fault) {
        return fault;
    }
    if (memchr(l->text, '\0', length)) {
        return apr_psprintf(pool, "%s: is not a text file; name a file with one password per line", path);
    }
    lines = split_lines(l->text, length);
    for (l->count = 2; l->count < 2 * lines; l->count *= 2) {
    }
    l->slots = apr_pcalloc(pool, l->count * sizeof(*l->slots));
    for (const char *line = l->text; line < l->text + length; line += size + 1) {
        size = strlen(line);
        if (size) {
            *find_slot(l, line) = (apr_uint32_t)(line - l->text) + 1;
        }
    }
    *list = l;
    return NULL;
}

int cat_blocklist_has(const cat_blocklist_t *list, const char *password)
{
    return *find_slot(list, password) != 0;
}
