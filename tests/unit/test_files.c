/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_files.h"

#include "db/sqlite/files.h"

enum { TRIES = 50 };

static void make_file(const char *path)
{
    int descriptor = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(descriptor >= 0);
    close(descriptor);
}

static ino_t number_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_ino;
}

static void test_identity_lasts_as_long_as_the_file(void **state)
{
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    cat_files_t files, later;

    make_file(path);
    cat_files_find(&files, *state, path);
    assert_true(files.identities[CAT_FILE_DATABASE] != 0);
    assert_true(files.identities[CAT_FILE_WAL] == 0);
    assert_int_equal(truncate(path, 100), 0);
    assert_int_equal(chmod(path, 0400), 0);
    later = files;
    cat_files_look(&later);
    assert_memory_equal(later.identities, files.identities, sizeof(files.identities));
    assert_int_equal(unlink(path), 0);
    cat_files_look(&later);
    assert_true(later.identities[CAT_FILE_DATABASE] == 0);
}

static void test_distinguishes_a_missing_file_from_an_unseen_one(void **state)
{
    const char *directory = unit_directory(*state), *path = apr_pstrcat(*state, directory, "/catalog.db", NULL),
               *loop = apr_pstrcat(*state, path, "-wal", NULL);
    cat_files_t files;

    cat_files_find(&files, *state, path);
    assert_int_equal(files.error, 0);
    assert_int_equal(symlink(loop, loop), 0);
    cat_files_look(&files);
    assert_int_equal(files.error, ELOOP);
    assert_string_equal(files.unseen, loop);
    assert_int_equal(unlink(loop), 0);
    cat_files_look(&files);
    assert_int_equal(files.error, 0);
}

/* File systems give the inode number of a deleted file to a new one. */
static void test_identity_is_more_than_the_inode_number(void **state)
{
    const char *path = apr_pstrcat(*state, unit_directory(*state), "/catalog.db", NULL);
    cat_files_t files[TRIES];
    ino_t numbers[TRIES];
    int same = 0;

    for (int i = 0; i < TRIES; i++) {
        make_file(path);
        cat_files_find(&files[i], *state, path);
        numbers[i] = number_of(path);
        for (int before = 0; before < i; before++) {
            same += numbers[before] == numbers[i];
            assert_true(files[before].identities[CAT_FILE_DATABASE] != files[i].identities[CAT_FILE_DATABASE]);
        }
        assert_int_equal(unlink(path), 0);
        usleep(10000); /* longer than a kernel tick, the resolution of file times */
    }
    if (!same) {
        skip(); /* this file system does not reuse inode numbers */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_identity_lasts_as_long_as_the_file),
        UNIT_TEST(test_distinguishes_a_missing_file_from_an_unseen_one),
        UNIT_TEST(test_identity_is_more_than_the_inode_number),
    };
    return UNIT_RUN(tests);
}
