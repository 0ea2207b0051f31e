/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out, before anybody opens it, whether the user of httpd's children can open a SQLite database: its directory must let them create
 * files, and each of its files that exists must let them read and write. Each answer ends with the command that removes the obstacle, for
 * root's shell. root asks in a process that has become that user (db/sqlite/os_user.h); permissions are never computed here.
 */
#include "db/sqlite/database_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apr_escape.h>
#include <apr_file_info.h>
#include <apr_lib.h>
#include <apr_strings.h>

#include "lib/file.h"

#define LINKS_MAX 40 /* that one path is followed through, as Linux does */

/* ---- paths ---- */

int cat_database_file_is_path(const char *path)
{
    return *path && *path != ':' && strncmp(path, "file:", 5) != 0;
}

static const char *directory_of(apr_pool_t *pool, const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        return ".";
    }
    return slash == path ? "/" : apr_pstrmemdup(pool, path, (apr_size_t)(slash - path));
}

static int is_directory(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_TYPE, pool) == APR_SUCCESS && info.filetype == APR_DIR;
}

/* The topmost directory that the user may not enter; NULL: there is none. */
static const char *find_closed_directory(apr_pool_t *pool, const char *directory, const cat_os_user_t *user)
{
    for (const char *slash = strchr(directory + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *above = apr_pstrmemdup(pool, directory, (apr_size_t)(slash - directory));
        if (cat_os_user_access(user, above, X_OK) == EACCES) {
            return above;
        }
    }
    return NULL;
}

/* Has the directory other files than the database's own? Then it should not get another owner. */
static int has_other_files(apr_pool_t *pool, const char *directory, const char *name)
{
    apr_dir_t *dir;
    apr_finfo_t entry;
    int found = 0;

    if (apr_dir_open(&dir, directory, pool) != APR_SUCCESS) {
        return 0;
    }
    while (!found && apr_dir_read(&entry, APR_FINFO_NAME, dir) == APR_SUCCESS) {
        found = strcmp(entry.name, ".") && strcmp(entry.name, "..") && strncmp(entry.name, name, strlen(name));
    }
    apr_dir_close(dir);
    return found;
}

/* An ordinary user may check a configuration that root will start: such a process only sees the owner of a
 * directory or file. */
static int may_belong_to(apr_pool_t *pool, const char *path, const cat_os_user_t *user)
{
    apr_finfo_t info;
    apr_status_t rv = apr_stat(&info, path, APR_FINFO_OWNER, pool);

    return geteuid() != 0 && geteuid() != user->uid && (rv != APR_SUCCESS || info.user == user->uid);
}

/* ---- the files ---- */

static const char *const suffixes[] = {"", "-wal", "-shm"};
#define FILES (sizeof(suffixes) / sizeof(suffixes[0]))

/* In a directory that the user may enter, a file that this process does not find exists for nobody. */
static int try_file(const char *path, const cat_os_user_t *user)
{
    return access(path, F_OK) && errno == ENOENT ? ENOENT : cat_os_user_access(user, path, R_OK | W_OK);
}

/* Side files of the user's own are made writable when they are opened (cat_files_mend). */
static int is_denied(apr_pool_t *pool, const char *path, int is_side_file, const cat_os_user_t *user)
{
    apr_finfo_t info;

    return !may_belong_to(pool, path, user) && apr_stat(&info, path, APR_FINFO_OWNER, pool) == APR_SUCCESS &&
           !(is_side_file && info.user == user->uid);
}

/* The files that the user may not read and write, quoted for a shell, with a blank before each. */
static const char *find_denied_files(apr_pool_t *pool, const char *path, const cat_os_user_t *user, const int *errors,
                                     const char **first)
{
    const char *denied = "";

    *first = NULL;
    for (size_t i = 0; i < FILES; i++) {
        const char *file = apr_pstrcat(pool, path, suffixes[i], NULL);
        if (errors[i] == EACCES && is_denied(pool, file, i > 0, user)) {
            *first = *first ? *first : file;
            denied = apr_pstrcat(pool, denied, " ", cat_file_quote(pool, file), NULL);
        }
    }
    return denied;
}

/* What but missing rights keeps SQLite from opening a file; it creates one that does not exist. NULL: nothing does. */
static const char *find_broken_file(apr_pool_t *pool, const char *path, const int *errors)
{
    char reason[120];

    for (size_t i = 0; i < FILES; i++) {
        const char *file = apr_pstrcat(pool, path, suffixes[i], NULL);
        int error = errors[i];
        if (error == ELOOP) {
            return apr_psprintf(
                pool, "%s: is a symbolic link that leads back to itself; remove it, or name another file", file);
        }
        if (error && error != ENOENT && error != EACCES && error != EROFS) {
            return apr_psprintf(pool, "%s: %s", file, apr_strerror(error, reason, sizeof(reason)));
        }
    }
    return NULL;
}

static apr_off_t size_of(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_SIZE, pool) == APR_SUCCESS ? info.size : 0;
}

const char *cat_database_file_find_orphan(apr_pool_t *pool, const char *path)
{
    const char *wal = apr_pstrcat(pool, path, "-wal", NULL);

    return size_of(pool, path) || !size_of(pool, wal)
               ? NULL
               : apr_psprintf(
                     pool,
                     "%s: is missing or empty, but commits of it are in %s, which SQLite would delete; stop the "
                     "server, and put the file back or restore a copy, as \"When the file was removed\" in "
                     "docs/how-to/backup.md says",
                     path, wal);
}

/* Returns a fault if the file has other names (hard links). SQLite keeps a WAL for each name, and a process that uses one name would overwrite the
 * commits in the WAL of another. */
static const char *find_other_names(apr_pool_t *pool, const char *path)
{
    apr_finfo_t info;

    return apr_stat(&info, path, APR_FINFO_NLINK, pool) != APR_SUCCESS || info.nlink < 2
               ? NULL
               : apr_psprintf(
                     pool,
                     "%s: has another name (hard link), under which SQLite would not see its -wal file; find it "
                     "and remove it: find / -xdev -samefile %s",
                     path, cat_file_quote(pool, path));
}

static const char *check_files(apr_pool_t *pool, const char *path, const cat_os_user_t *user)
{
    const char *first, *denied, *broken, *name = cat_os_user_name(pool, user->uid);
    int errors[FILES];
    apr_finfo_t info;

    for (size_t i = 0; i < FILES; i++) {
        errors[i] = try_file(apr_pstrcat(pool, path, suffixes[i], NULL), user);
    }
    broken = find_broken_file(pool, path, errors);
    broken = broken ? broken : cat_database_file_find_orphan(pool, path);
    broken = broken ? broken : find_other_names(pool, path);
    if (broken) {
        return broken;
    }
    denied = find_denied_files(pool, path, user, errors, &first);
    if (!first || apr_stat(&info, first, APR_FINFO_OWNER, pool) != APR_SUCCESS) {
        return NULL;
    }
    if (info.user == user->uid) {
        return apr_psprintf(pool, "%s: its mode keeps its owner, %s, from reading and writing it; run: chmod 640%s",
                            first, name, denied);
    }
    return apr_psprintf(pool, "%s: belongs to %s, and the user %s may not %s it; run: chown %s:%s%s && chmod 640%s",
                        first, cat_os_user_name(pool, info.user), name,
                        cat_os_user_access(user, first, R_OK) ? "open" : "write to", name,
                        cat_os_user_group_name(pool, user->gid), denied, denied);
}

/* ---- the check ---- */

static const char *explain_denied(apr_pool_t *pool, const char *path, const char *directory, const cat_os_user_t *user)
{
    const char *name = cat_os_user_name(pool, user->uid), *closed;

    if (may_belong_to(pool, directory, user)) {
        return NULL;
    }
    closed = find_closed_directory(pool, directory, user);
    if (closed) {
        return apr_psprintf(pool,
                            "%s: the user %s may not enter %s; run: chmod o+x %s; or put the database into a directory "
                            "that the user can "
                            "enter: %s",
                            path, name, closed, cat_file_quote(pool, closed),
                            cat_os_user_install(pool, user, "/var/lib/catalog"));
    }
    if (has_other_files(pool, directory, apr_filepath_name_get(path))) {
        const char *own = apr_pstrcat(pool, strcmp(directory, "/") ? directory : "", "/catalog", NULL);
        return apr_psprintf(pool,
                            "%s: the user %s may not write to the directory %s, which contains other files; give the "
                            "database a directory of its own, %s, created with: %s",
                            path, name, directory, own, cat_os_user_install(pool, user, own));
    }
    return apr_psprintf(pool, "%s: the directory %s must belong to the user %s, who may not write to it; run: %s", path,
                        directory, name, cat_os_user_install(pool, user, directory));
}

/* SQLite follows links to files: it creates the file that one leads to, and -wal and -shm are beside that. */
static const char *follow_links(apr_pool_t *pool, const char *path)
{
    char target[PATH_MAX];
    ssize_t length;

    for (int i = 0; i < LINKS_MAX && (length = readlink(path, target, sizeof(target))) > 0; i++) {
        const char *name = apr_pstrmemdup(pool, target, (apr_size_t)length);
        path = *name == '/' ? name : apr_pstrcat(pool, directory_of(pool, path), "/", name, NULL);
    }
    return path;
}

const char *cat_database_file_check(apr_pool_t *pool, const char *named, const cat_os_user_t *user)
{
    const char *path = cat_database_file_is_path(named) ? follow_links(pool, named) : NULL, *directory;
    char reason[120];
    int error;

    if (!path) {
        return NULL;
    }
    directory = directory_of(pool, path);
    if (is_directory(pool, path)) {
        return apr_psprintf(pool, "%s: is a directory; name a file in it, such as catalog.db", path);
    }
    error = cat_os_user_access(user, apr_pstrcat(pool, directory, "/.", NULL), R_OK | W_OK | X_OK);
    switch (error) {
    case 0:
        return check_files(pool, path, user);
    case EROFS:
        return NULL;
    case ENOENT:
        return apr_psprintf(pool, "%s: there is no directory %s; run: %s", path, directory,
                            cat_os_user_install(pool, user, directory));
    case EACCES:
        return explain_denied(pool, path, directory, user);
    default:
        return apr_psprintf(pool, "%s: %s: %s", path, directory, apr_strerror(error, reason, sizeof(reason)));
    }
}

const char *cat_database_file_explain(apr_pool_t *pool, const char *named)
{
    const cat_os_user_t user = {geteuid(), getegid()};
    const char *fault = cat_database_file_check(pool, named, &user), *directory;

    if (fault || !cat_database_file_is_path(named)) {
        return fault;
    }
    directory = directory_of(pool, follow_links(pool, named));
    return access(directory, W_OK) == 0 || errno != EROFS
               ? NULL
               : apr_psprintf(pool,
                              "%s: the file system is read-only; make it writable: mount -o remount,rw \"$(findmnt -no "
                              "TARGET -T %s)\"",
                              named, cat_file_quote(pool, directory));
}

/* ---- names ---- */

/* Returns the path that SQLite makes of a name: "/path" for file:/path?mode=ro and file://localhost/path. */
static const char *path_in(apr_pool_t *pool, const char *name)
{
    apr_status_t rv;
    char *path;

    if (strncmp(name, "file:", 5) != 0) {
        return name;
    }
    name += 5;
    if (!strncmp(name, "//", 2)) {
        name += 2 + strcspn(name + 2, "/");
    }
    path = apr_pstrmemdup(pool, name, strcspn(name, "?#"));
    rv = apr_unescape_url(path, path, APR_ESCAPE_STRING, NULL, NULL, 0, NULL);
    return rv == APR_SUCCESS || rv == APR_NOTFOUND ? path : name; /* APR_NOTFOUND: nothing is escaped */
}

const char *cat_database_file_name(apr_pool_t *pool, const char *named)
{
    const char *path = path_in(pool, named);
    char directory[PATH_MAX];

    path = *path == '/' ? follow_links(pool, path) : path;
    return *path == '/' && realpath(directory_of(pool, path), directory)
               ? apr_pstrcat(pool, strcmp(directory, "/") ? directory : "", "/", apr_filepath_name_get(path), NULL)
               : named;
}
