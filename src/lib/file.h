/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_FILE_H
#define CAT_LIB_FILE_H

#include <apr_pools.h>

/*
 * Reads a whole regular file. closed: its mode must grant others nothing (mode & 0007). most: KiB. NULL: *content is
 * on the pool, NUL-terminated, *length its octets. Otherwise what is wrong and what to do, on the pool: cannot be read
 * (with the system's reason), not a regular file, accessible to others, too large.
 */
const char *cat_file_read(apr_pool_t *pool, const char *path, int closed, int most, char **content, apr_size_t *length);

/* The same for a file of text that anybody may read; a byte order mark, which some editors write before UTF-8, is not part of *content. */
const char *cat_file_read_text(apr_pool_t *pool, const char *path, int most, char **content, apr_size_t *length);

/* Opens a file without a name in the directory for temporary files (TMPDIR, or /tmp), so that the system removes it when the process ends,
 * however that happens. The caller closes *fd; programs that the process starts do not have it. */
apr_status_t cat_file_open_unnamed(apr_pool_t *pool, int *fd);

/* Writes all of it, at the file's position. The system's reason if it cannot. */
apr_status_t cat_file_write(int fd, const char *data, apr_size_t length);

/* The file as it is now, in memory for as long as the pool lives. *length 0: it is empty. */
apr_status_t cat_file_map(apr_pool_t *pool, int fd, const char **data, apr_size_t *length);

/* A path for a command that somebody copies into a shell: as it is, or in quotes where it needs them. On the pool, or the path itself. */
const char *cat_file_quote(apr_pool_t *pool, const char *path);

#endif
