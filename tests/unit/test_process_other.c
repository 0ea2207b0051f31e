/* SPDX-License-Identifier: Apache-2.0 */
/* lib/process.c as it is compiled for a processor whose system calls its filter does not know. */
#include "unit.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>

#include "lib/time.h"

#undef __x86_64__
#undef __aarch64__
#include "lib/process.c" /* NOLINT(bugprone-suspicious-include) */

static void test_it_says_that_there_is_no_filter(void **)
{
    const char *lack = cat_process_lack();

    assert_non_null(lack);
    assert_string_equal(lack, find_rights() ? "mod_catalog has no filter of system calls for processors of this kind"
                                            : "the kernel has no Landlock");
}

static void test_programs_run_all_the_same(void **state)
{
    static const char *const argv[] = {"/usr/bin/echo", "here", NULL}, *const env[] = {NULL};
    const cat_process_t program = {argv, env, open("/dev/null", O_RDONLY), (apr_size_t)1 << 30, 64, 100};
    cat_process_budget_t budget = {cat_time_monotonic() + apr_time_from_sec(20), apr_time_from_sec(10)};
    cat_buffer_t output;

    cat_buffer_init(&output, *state, 16);
    assert_int_equal(cat_process_run(&program, &budget, &output), CAT_PROCESS_DONE);
    assert_string_equal(cat_buffer_text(&output), "here\n");
    close(program.input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_it_says_that_there_is_no_filter),
        UNIT_TEST(test_programs_run_all_the_same),
    };

    return UNIT_RUN(tests);
}
