/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads files that the configuration names, such as keys. Checks the type and the size of a file before it reads it,
 * and the mode if the file is secret. An error message says what to do and quotes the path for a shell.
 *
 * Uploads are kept in files without a name. The system removes such a file when the process ends, even after a crash.
 */
#include "lib/file.h"

#include <apr_file_info.h>
#include <apr_file_io.h>
#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Characters without a special meaning in any shell. */
#define UNQUOTED "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-"

#define OTHERS (APR_FPROT_WREAD | APR_FPROT_WWRITE | APR_FPROT_WEXECUTE)

static const char *explain_errno(apr_pool_t *pool, const char *path, apr_status_t rv)
{
    char reason[120];

    return apr_psprintf(pool, "%s: cannot be read: %s", path, apr_strerror(rv, reason, sizeof(reason)));
}

/* Checks the mode bits instead of trying to open the file as another user, because root can read every file. */
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

    /* Without NONBLOCK, opening a named pipe would wait forever. */
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

const char *cat_file_read_text(apr_pool_t *pool, const char *path, int most, char **content, apr_size_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    const char *fault = cat_file_read(pool, path, 0, most, content, length);

    if (!fault && !strncmp(*content, mark, sizeof(mark) - 1)) {
        *content += sizeof(mark) - 1;
        *length -= sizeof(mark) - 1;
    }
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

/* ---- files without a name ---- */

/* Creates a named file and removes the name at once if the file system has no O_TMPFILE. */
static int open_in(apr_pool_t *pool, const char *directory)
{
    int fd = open(directory, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    char *name;

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) {
        return fd;
    }
    name = apr_pstrcat(pool, directory, "/mod_catalog.XXXXXX", NULL);
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) {
        unlink(name);
    }
    return fd;
}

apr_status_t cat_file_open_unnamed(apr_pool_t *pool, int *fd)
{
    const char *directory;
    apr_status_t rv = apr_temp_dir_get(&directory, pool);

    *fd = rv == APR_SUCCESS ? open_in(pool, directory) : -1;
    return rv == APR_SUCCESS && *fd < 0 ? errno : rv;
}

apr_status_t cat_file_write(int fd, const char *data, apr_size_t length)
{
    while (length > 0) {
        ssize_t written = write(fd, data, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        data += written > 0 ? written : 0;
        length -= written > 0 ? (apr_size_t)written : 0;
    }
    return APR_SUCCESS;
}

typedef struct map_t {
    void *data;
    apr_size_t length;
} map_t;

static apr_status_t unmap_file(void *mapped)
{
    const map_t *map = mapped;

    munmap(map->data, map->length);
    return APR_SUCCESS;
}

apr_status_t cat_file_map(apr_pool_t *pool, int fd, const char **data, apr_size_t *length)
{
    map_t *map = apr_palloc(pool, sizeof(*map));
    struct stat info;

    *data = "";
    *length = 0;
    if (fstat(fd, &info) != 0) {
        return errno;
    }
    if (info.st_size == 0) {
        return APR_SUCCESS;
    }
    map->length = (apr_size_t)info.st_size;
    map->data = mmap(NULL, map->length, PROT_READ, MAP_SHARED, fd, 0);
    if (map->data == MAP_FAILED) {
        return errno;
    }
    apr_pool_cleanup_register(pool, map, unmap_file, apr_pool_cleanup_null);
    *data = map->data;
    *length = map->length;
    return APR_SUCCESS;
}
