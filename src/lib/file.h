/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_FILE_H
#define CAT_LIB_FILE_H

#include <apr_pools.h>

/*
 * Reads a whole regular file of at most `most` KiB. If `closed` is true, the mode must grant others nothing (mode &
 * 0007). Returns NULL and sets *content, on the pool and NUL-terminated, and *length, in bytes. Otherwise returns an
 * error message that says what to do, on the pool: the file cannot be read (with the system's reason), is not a regular
 * file, is accessible to others, or is too large.
 */
const char *cat_file_read(apr_pool_t *pool, const char *path, int closed, int most, char **content, apr_size_t *length);

/* Reads a text file that anybody may read, as cat_file_read does. Removes a UTF-8 byte order mark, which some editors
 * write, from the beginning of *content. */
const char *cat_file_read_text(apr_pool_t *pool, const char *path, int most, char **content, apr_size_t *length);

/* Opens a file without a name in the directory for temporary files (TMPDIR, or /tmp). The system removes the file when
 * the process ends, even after a crash. The caller closes *fd. The descriptor is not inherited by programs that the
 * process starts. */
apr_status_t cat_file_open_unnamed(apr_pool_t *pool, int *fd);

/* Writes all bytes at the file's position. Returns the system's error if it cannot. */
apr_status_t cat_file_write(int fd, const char *data, apr_size_t length);

/* Maps the present contents of the file into memory until the pool is cleared. *length is 0 if the file is empty. */
apr_status_t cat_file_map(apr_pool_t *pool, int fd, const char **data, apr_size_t *length);

/* Returns the path for use in a shell command: unchanged, or a copy in single quotes on the pool if a character needs
 * them. */
const char *cat_file_quote(apr_pool_t *pool, const char *path);

#endif
