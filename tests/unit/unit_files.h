/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_FILES_H
#define UNIT_FILES_H

#include "unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <apr_strings.h>

static inline int unit_remove_one(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static inline apr_status_t unit_remove(void *path)
{
    nftw(path, unit_remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return APR_SUCCESS;
}

/* Creates a directory that is deleted with its contents when the pool is. */
static inline const char *unit_directory(apr_pool_t *pool)
{
    char *path = apr_pstrdup(pool, "/tmp/unit.XXXXXX");

    assert_non_null(mkdtemp(path));
    apr_pool_cleanup_register(pool, path, unit_remove, apr_pool_cleanup_null);
    return path;
}

/* Writes a file and returns its path. */
static inline const char *unit_write(apr_pool_t *pool, const char *directory, const char *name, mode_t mode,
                                     const void *content, size_t length)
{
    const char *path = apr_pstrcat(pool, directory, "/", name, NULL);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_int_equal(write(fd, content, length), length);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
    return path;
}

/* Runs a command line, which must succeed. */
static inline void unit_run(const char *command)
{
    if (system(command) != 0) {
        fail_msg("failed: %s", command);
    }
}

/* Checks that a message contains the words. */
static inline void unit_says(const char *message, const char *words)
{
    assert_non_null(message);
    if (!strstr(message, words)) {
        fail_msg("\"%s\" does not say \"%s\"", message, words);
    }
}

#endif
