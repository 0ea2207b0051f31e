/* SPDX-License-Identifier: Apache-2.0 */
#include "ctl/ask.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "lib/secret.h"

#define LENGTH_MAX 1100 /* bytes: 256 characters of four bytes, the newline, and some more */
#define GENERATED_LENGTH 24

static const char *read_line(apr_pool_t *pool, char **line)
{
    apr_size_t length;

    *line = apr_palloc(pool, LENGTH_MAX);
    if (!fgets(*line, LENGTH_MAX, stdin)) {
        return "a password is expected on standard input";
    }
    length = strcspn(*line, "\r\n");
    if (!(*line)[length]) {
        return "the password on standard input is too long, contains NUL, or its line does not end";
    }
    (*line)[length] = '\0';
    return NULL;
}

static const char *ask_twice(apr_pool_t *pool, char **typed)
{
    char *again = apr_palloc(pool, LENGTH_MAX);
    apr_size_t length = LENGTH_MAX, length_again = LENGTH_MAX;

    *typed = apr_palloc(pool, LENGTH_MAX);
    if (apr_password_get("Password: ", *typed, &length) != APR_SUCCESS ||
        apr_password_get("Again: ", again, &length_again) != APR_SUCCESS) {
        return "no password was entered, or it is too long";
    }
    return strcmp(*typed, again) ? "the passwords differ" : NULL;
}

const char *ctl_ask_password(apr_pool_t *pool, const char **password)
{
    char *text;
    const char *fault = isatty(STDIN_FILENO) ? ask_twice(pool, &text) : read_line(pool, &text);

    *password = text;
    return fault;
}

const char *ctl_ask_generate_password(apr_pool_t *pool)
{
    const char *secret = cat_secret_make(pool);

    return secret ? apr_pstrmemdup(pool, secret, GENERATED_LENGTH) : NULL;
}
