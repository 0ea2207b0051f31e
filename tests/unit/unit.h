/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_H
#define UNIT_H

/* These four must come before cmocka.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <apr_general.h>
#include <apr_pools.h>
#include <stdlib.h>

static inline int unit_start(void **)
{
    apr_status_t rv = apr_initialize();
    atexit(apr_terminate);
    return rv;
}

static inline int unit_setup(void **state)
{
    return apr_pool_create((apr_pool_t **)state, NULL);
}

static inline int unit_teardown(void **state)
{
    apr_pool_destroy(*state);
    return 0;
}

#define UNIT_COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Gives the test its own pool: apr_pool_t *pool = *state. */
#define UNIT_TEST(function) cmocka_unit_test_setup_teardown(function, unit_setup, unit_teardown)

#define UNIT_RUN(tests) cmocka_run_group_tests(tests, unit_start, NULL)

#endif
