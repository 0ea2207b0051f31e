/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores records in a temporary file without a name, which the system removes when the process ends, even after a
 * crash. Each text has a mark before it, '-' for NULL or '+' for a text, and a NUL after it.
 */
#include "lib/spool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/buffer.h"
#include "lib/file.h"

/* Marks before a text. */
enum { ABSENT = '-', TEXT = '+' };

struct cat_spool_t {
    FILE *file;
};

static apr_status_t close_file(void *file)
{
    return fclose(file) == 0 ? APR_SUCCESS : errno;
}

apr_status_t cat_spool_open(apr_pool_t *pool, cat_spool_t **spool)
{
    int fd;
    apr_status_t rv = cat_file_open_unnamed(pool, &fd);

    *spool = apr_palloc(pool, sizeof(**spool));
    if (rv != APR_SUCCESS) {
        return rv;
    }
    (*spool)->file = fdopen(fd, "w+");
    if (!(*spool)->file) {
        rv = errno;
        close(fd);
        return rv;
    }
    apr_pool_cleanup_register(pool, (*spool)->file, close_file, apr_pool_cleanup_null);
    return APR_SUCCESS;
}

apr_status_t cat_spool_add(cat_spool_t *spool, const char *const *texts, int count)
{
    for (int i = 0; i < count; i++) {
        putc_unlocked(texts[i] ? TEXT : ABSENT, spool->file);
        if (texts[i]) {
            fwrite_unlocked(texts[i], 1, strlen(texts[i]) + 1, spool->file);
        }
    }
    return ferror(spool->file) ? errno : APR_SUCCESS;
}

/* fseeko also writes buffered data. */
apr_status_t cat_spool_seek(cat_spool_t *spool, apr_off_t position)
{
    return fseeko(spool->file, position, SEEK_SET) == 0 ? APR_SUCCESS : errno;
}

apr_off_t cat_spool_tell(cat_spool_t *spool)
{
    return ftello(spool->file);
}

static int read_text(FILE *file, apr_pool_t *pool, const char **text)
{
    cat_buffer_t b;
    int c;

    cat_buffer_init(&b, pool, 64);
    while ((c = getc_unlocked(file)) > 0) {
        const char byte = (char)c;
        cat_buffer_add(&b, &byte, 1);
    }
    *text = cat_buffer_text(&b);
    return c == 0;
}

apr_status_t cat_spool_read(cat_spool_t *spool, apr_pool_t *pool, const char **texts, int count)
{
    for (int i = 0; i < count; i++) {
        int c = getc_unlocked(spool->file);
        texts[i] = NULL;
        if (c != ABSENT && (c != TEXT || !read_text(spool->file, pool, &texts[i]))) {
            return ferror(spool->file) ? errno : APR_EOF;
        }
    }
    return APR_SUCCESS;
}
