/* SPDX-License-Identifier: Apache-2.0 */
#include "db/sqlite/files.h"

#include <apr_strings.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/hash.h"

/* Returns a number that identifies the file, or 0 if there is no such file, or if it cannot be examined; then *error is its errno. The file's birth
 * time counts where the file system keeps it, because the inode number of a deleted file is soon used again; writes do not change the birth time. */
static apr_uint64_t identify_file(const char *path, int *error)
{
    struct statx info;
    apr_uint64_t facts[4];

    *error = 0;
    if (statx(AT_FDCWD, path, 0, STATX_INO | STATX_BTIME, &info) != 0) {
        *error = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
        return 0;
    }
    facts[0] = (apr_uint64_t)info.stx_dev_major << 32 | info.stx_dev_minor;
    facts[1] = info.stx_ino;
    facts[2] = info.stx_mask & STATX_BTIME ? (apr_uint64_t)info.stx_btime.tv_sec : 0;
    facts[3] = info.stx_mask & STATX_BTIME ? info.stx_btime.tv_nsec : 0;
    return cat_hash((const char *)facts, sizeof(facts));
}

void cat_files_look(cat_files_t *files)
{
    int error;

    files->error = 0;
    for (int i = 0; i < CAT_FILES; i++) {
        files->identities[i] = identify_file(files->paths[i], &error);
        if (error) {
            files->error = error;
            files->unseen = files->paths[i];
        }
    }
}

void cat_files_find(cat_files_t *files, apr_pool_t *pool, const char *database)
{
    files->paths[CAT_FILE_DATABASE] = database;
    files->paths[CAT_FILE_WAL] = apr_pstrcat(pool, database, "-wal", NULL);
    files->paths[CAT_FILE_INDEX] = apr_pstrcat(pool, database, "-shm", NULL);
    cat_files_look(files);
}

/* chmod fails on another user's file: the next write will say so. */
void cat_files_mend(const cat_files_t *files)
{
    struct stat info;

    if (access(files->paths[CAT_FILE_DATABASE], W_OK) != 0 || stat(files->paths[CAT_FILE_DATABASE], &info) != 0) {
        return;
    }
    for (int i = CAT_FILE_WAL; i <= CAT_FILE_INDEX; i++) {
        if (access(files->paths[i], F_OK) == 0 && access(files->paths[i], W_OK) != 0) {
            (void)!chmod(files->paths[i], info.st_mode & 0666);
        }
    }
}
