/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/file.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <string.h>

/* What no shell gives a meaning. */
#define UNQUOTED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-"

#define OTHERS (APR_FPROT_WREAD | APR_FPROT_WWRITE | APR_FPROT_WEXECUTE)

static const char *explain_errno(apr_pool_t *pool, const char *path, apr_status_t rv)
{
    char reason[120];

    return apr_psprintf(pool, "%s: cannot be read: %s", path, apr_strerror(rv, reason, sizeof(reason)));
}

/* The mode decides, not what this process may do: root may read everything. */
static const char *check_kind(apr_pool_t *pool, const char *path, const apr_finfo_t *info, int closed, int most)
{
    if (info->filetype != APR_REG) {
        return apr_pstrcat(pool, path, ": is not a regular file; name a file", NULL);
    }
    if (closed && (info->protection & OTHERS)) {
        return apr_psprintf(pool, "%s: is accessible to others; run: chmod o-rwx %s", path, cat_file_quote(pool, path));
    }
    if (info->size > (apr_off_t)most * 1024) {
        return apr_psprintf(pool, "%s: is larger than %d KiB; name another file", path, most);
    }
    return NULL;
}

static const char *read_content(apr_pool_t *pool, const char *path, apr_file_t *file, apr_off_t size, char **content,
                                apr_size_t *length)
{
    apr_status_t rv;

    *content = apr_palloc(pool, (apr_size_t)size + 1);
    rv = apr_file_read_full(file, *content, (apr_size_t)size, length);
    if (rv != APR_SUCCESS && rv != APR_EOF) {
        return explain_errno(pool, path, rv);
    }
    (*content)[*length] = '\0';
    return NULL;
}

const char *cat_file_read(apr_pool_t *pool, const char *path, int closed, int most, char **content, apr_size_t *length)
{
    apr_file_t *file;
    apr_finfo_t info;
    const char *fault;
    apr_status_t rv;

    /* Without NONBLOCK the name of a pipe would wait here for ever. */
    rv = apr_file_open(&file, path, APR_FOPEN_READ | APR_FOPEN_BINARY | APR_FOPEN_NONBLOCK, 0, pool);
    if (rv != APR_SUCCESS) {
        return explain_errno(pool, path, rv);
    }
    rv = apr_file_info_get(&info, APR_FINFO_TYPE | APR_FINFO_PROT | APR_FINFO_SIZE, file);
    fault = rv == APR_SUCCESS ? check_kind(pool, path, &info, closed, most) : explain_errno(pool, path, rv);
    if (!fault) {
        fault = read_content(pool, path, file, info.size, content, length);
    }
    apr_file_close(file);
    return fault;
}

const char *cat_file_quote(apr_pool_t *pool, const char *path)
{
    const char *quoted = "'", *mark;

    if (!path[strspn(path, UNQUOTED)]) {
        return path;
    }
    for (; (mark = strchr(path, '\'')); path = mark + 1) {
        quoted = apr_pstrcat(pool, quoted, apr_pstrmemdup(pool, path, (apr_size_t)(mark - path)), "'\\''", NULL);
    }
    return apr_pstrcat(pool, quoted, path, "'", NULL);
}
