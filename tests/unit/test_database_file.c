/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/sqlite/database_file.h"

static const char *check(apr_pool_t *pool, const char *path)
{
    const cat_os_user_t user = {geteuid(), getegid()};

    return cat_database_file_check(pool, path, &user);
}

static void test_distinguishes_paths_from_other_names(void **state)
{
    assert_true(cat_database_file_is_path("/var/lib/catalog/catalog.db"));
    assert_true(cat_database_file_is_path("catalog.db"));
    assert_false(cat_database_file_is_path(":memory:"));
    assert_false(cat_database_file_is_path(""));
    assert_false(cat_database_file_is_path("file:catalog.db"));
    assert_null(check(*state, ":memory:"));
}

static void test_accepts_usable_paths(void **state)
{
    const char *directory = unit_directory(*state);

    assert_null(check(*state, apr_pstrcat(*state, directory, "/new.db", NULL)));
    assert_null(check(*state, unit_write(*state, directory, "old.db", 0600, "", 0)));
}

static void test_refuses_a_directory(void **state)
{
    unit_says(check(*state, unit_directory(*state)), "is a directory; name a file in it");
}

static void test_refuses_a_missing_directory(void **state)
{
    const char *directory = unit_directory(*state);

    unit_says(check(*state, apr_pstrcat(*state, directory, "/it's/catalog.db", NULL)), "there is no directory");
    unit_says(check(*state, apr_pstrcat(*state, directory, "/my db/catalog.db", NULL)),
              apr_pstrcat(*state, " 750 '", directory, "/my db'", NULL));
}

static void test_link_is_followed(void **state)
{
    const char *directory = unit_directory(*state), *link = apr_pstrcat(*state, directory, "/catalog.db", NULL);

    assert_int_equal(symlink("none/catalog.db", link), 0);
    unit_says(check(*state, link), "/none; run: install -d ");
    assert_int_equal(mkdir(apr_pstrcat(*state, directory, "/none", NULL), 0700), 0);
    assert_null(check(*state, link)); /* SQLite creates the file there */
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(directory, link), 0);
    unit_says(check(*state, link), "is a directory");
}

static void test_refuses_links_that_lead_nowhere(void **state)
{
    const char *directory = unit_directory(*state), *path = unit_write(*state, directory, "old.db", 0600, "", 0),
               *wal = apr_pstrcat(*state, path, "-wal", NULL), *loop = apr_pstrcat(*state, directory, "/loop", NULL),
               *link = apr_pstrcat(*state, directory, "/link", NULL);
    char name[300] = "";

    assert_int_equal(symlink("loop", loop), 0);
    unit_says(check(*state, loop), "/loop: is a symbolic link that leads back to itself");
    assert_int_equal(symlink("loop", link), 0);
    unit_says(check(*state, link), "/loop: is a symbolic link that leads back to itself");
    unit_says(check(*state, apr_pstrcat(*state, loop, "/catalog.db", NULL)), "Too many levels of symbolic links");
    assert_int_equal(symlink(wal, wal), 0);
    unit_says(check(*state, path), "old.db-wal: is a symbolic link");
    memset(name, 'x', sizeof(name) - 1);
    unit_says(check(*state, apr_pstrcat(*state, directory, "/", name, NULL)), "File name too long");
}

static void test_refuses_a_directory_closed_to_the_user(void **state)
{
    const char *directory = unit_directory(*state), *own = apr_pstrcat(*state, directory, "/own", NULL),
               *path = apr_pstrcat(*state, own, "/catalog.db", NULL);
    const cat_os_user_t nobody = {65534, 65534};

    if (geteuid() != 0) {
        skip(); /* only root can become another user */
    }
    assert_int_equal(mkdir(own, 0755), 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "may not enter");
    assert_int_equal(chmod(directory, 0755), 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "must belong to the user");
    unit_write(*state, own, "other", 0600, "", 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "other files");
    assert_int_equal(chmod(own, 0777), 0);
    assert_null(cat_database_file_check(*state, path, &nobody));
}

static void test_refuses_files_closed_to_the_user(void **state)
{
    const char *directory = unit_directory(*state), *path = unit_write(*state, directory, "old.db", 0600, "", 0);
    const cat_os_user_t nobody = {65534, 65534};

    if (geteuid() != 0) {
        skip();
    }
    assert_int_equal(chmod(directory, 0777), 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "belongs to root, and the user nobody may not open it");
    assert_int_equal(chmod(path, 0644), 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "may not write to it; run: chown nobody:nogroup ");
    assert_int_equal(chown(path, 65534, 65534), 0);
    assert_null(cat_database_file_check(*state, path, &nobody));
    unit_write(*state, directory, "old.db-shm", 0644, "", 0);
    unit_says(cat_database_file_check(*state, path, &nobody), "old.db-shm: belongs to root");
}

static void test_refuses_to_create_a_file_whose_commits_exist(void **state)
{
    const char *directory = unit_directory(*state), *path = apr_pstrcat(*state, directory, "/catalog.db", NULL),
               *wal = unit_write(*state, directory, "catalog.db-wal", 0600, "x", 1);

    unit_says(check(*state, path), "catalog.db: is missing or empty, but commits of it are in ");
    unit_write(*state, directory, "catalog.db", 0600, "", 0);
    unit_says(check(*state, path), "is missing or empty");
    assert_int_equal(truncate(wal, 0), 0);
    assert_null(check(*state, path));
    unit_write(*state, directory, "catalog.db-wal", 0600, "x", 1);
    unit_write(*state, directory, "catalog.db", 0600, "x", 1);
    assert_null(check(*state, path));
}

static void test_refuses_a_file_with_two_names(void **state)
{
    const char *directory = unit_directory(*state), *path = unit_write(*state, directory, "old.db", 0600, "", 0);

    assert_int_equal(link(path, apr_pstrcat(*state, directory, "/other.db", NULL)), 0);
    unit_says(check(*state, path), "old.db: has another name (hard link)");
}

static void test_names_of_a_file_are_one(void **state)
{
    char directory[PATH_MAX];
    const char *link, *path;

    assert_non_null(realpath(unit_directory(*state), directory));
    path = apr_pstrcat(*state, directory, "/catalog.db", NULL);
    link = apr_pstrcat(*state, directory, "/link", NULL);
    assert_int_equal(symlink(".", link), 0);
    assert_string_equal(cat_database_file_name(*state, path), path);
    assert_string_equal(cat_database_file_name(*state, apr_pstrcat(*state, link, "/./catalog.db", NULL)), path);
    assert_string_equal(
        cat_database_file_name(*state, apr_pstrcat(*state, "file://localhost", path, "?mode=ro#x", NULL)), path);
    assert_string_equal(cat_database_file_name(*state, "catalog.db"), "catalog.db");
    assert_string_equal(cat_database_file_name(*state, ":memory:"), ":memory:");
    assert_string_equal(cat_database_file_name(*state, "file:catalog.db"), "file:catalog.db");
    assert_string_equal(cat_database_file_name(*state, "/none/there/../catalog.db"), "/none/there/../catalog.db");
    assert_string_equal(cat_database_file_name(*state, "/catalog.db"), "/catalog.db");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_distinguishes_paths_from_other_names),
        UNIT_TEST(test_accepts_usable_paths),
        UNIT_TEST(test_refuses_a_directory),
        UNIT_TEST(test_refuses_a_missing_directory),
        UNIT_TEST(test_link_is_followed),
        UNIT_TEST(test_refuses_links_that_lead_nowhere),
        UNIT_TEST(test_refuses_a_directory_closed_to_the_user),
        UNIT_TEST(test_refuses_files_closed_to_the_user),
        UNIT_TEST(test_refuses_to_create_a_file_whose_commits_exist),
        UNIT_TEST(test_refuses_a_file_with_two_names),
        UNIT_TEST(test_names_of_a_file_are_one),
    };
    return UNIT_RUN(tests);
}
