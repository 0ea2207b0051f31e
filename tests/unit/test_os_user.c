/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "db/sqlite/os_user.h"

static const cat_os_user_t root = {0, 0}, nobody = {65534, 65534};

/* Makes a directory that every user may enter. */
static const char *make_directory(apr_pool_t *pool)
{
    const char *directory = unit_directory(pool);

    assert_int_equal(chmod(directory, 0755), 0);
    return directory;
}

static void test_a_missing_file_is_reported(void **state)
{
    const char *path = apr_pstrcat(*state, make_directory(*state), "/missing", NULL);

    assert_int_equal(cat_os_user_access(&root, path, F_OK), ENOENT);
    assert_int_equal(cat_os_user_access(&nobody, path, F_OK), ENOENT);
}

static void test_another_users_permissions_are_found(void **state)
{
    const char *directory = make_directory(*state);
    const char *secret = unit_write(*state, directory, "secret", 0600, "x", 1);
    const char *shared = unit_write(*state, directory, "shared", 0644, "x", 1);

    if (geteuid() != 0) {
        skip(); /* only root can become another user */
    }
    assert_int_equal(cat_os_user_access(&root, secret, R_OK), 0);
    assert_int_equal(cat_os_user_access(&nobody, secret, R_OK), EACCES);
    assert_int_equal(cat_os_user_access(&nobody, shared, R_OK), 0);
    assert_int_equal(cat_os_user_access(&nobody, shared, W_OK), EACCES);
    assert_int_equal(cat_os_user_access(&nobody, directory, X_OK), 0);
    assert_int_equal(geteuid(), 0);
}

/* A server that ignores SIGCHLD cannot read the exit status of the process that tries the access. */
static void test_an_unknown_result_is_no_fault(void **state)
{
    const char *secret = unit_write(*state, make_directory(*state), "secret", 0600, "x", 1);

    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(cat_os_user_access(&nobody, secret, R_OK),
                     geteuid() == 0 ? 0 : cat_os_user_access(&root, secret, R_OK));
    signal(SIGCHLD, SIG_DFL);
}

/* In a process of its own: it cannot become root again. */
static int become_twice(void)
{
    if (cat_os_user_become(&nobody) || getuid() != nobody.uid || getgid() != nobody.gid) {
        return 1;
    }
    return cat_os_user_become(&root) == EPERM ? 0 : 2;
}

static void test_a_process_cannot_become_root_again(void **)
{
    int status;
    pid_t pid;

    if (geteuid() != 0) {
        skip();
    }
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        exit(become_twice());
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_missing_file_is_reported),
        UNIT_TEST(test_another_users_permissions_are_found),
        UNIT_TEST(test_an_unknown_result_is_no_fault),
        UNIT_TEST(test_a_process_cannot_become_root_again),
    };
    return UNIT_RUN(tests);
}
