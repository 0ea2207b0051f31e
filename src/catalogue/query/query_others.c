/* SPDX-License-Identifier: Apache-2.0 */
#include "catalogue/query/query_others.h"

#include <string.h>

#include <apr_lib.h>

cat_query_others_t cat_query_others_begin(apr_pool_t *pool, const char *word)
{
    return (cat_query_others_t){word, apr_array_make(pool, 4, sizeof(const char *))};
}

static int begins(const char *beginning, const char *word)
{
    return strncmp(beginning, word, strlen(beginning)) == 0;
}

/* What begins with the word, or with another one, is found anyway. */
static int is_implied(const cat_query_others_t *others, const char *other)
{
    int i = 0;

    while (i < others->all->nelts && !begins(APR_ARRAY_IDX(others->all, i, const char *), other)) {
        i++;
    }
    return i < others->all->nelts || begins(others->word, other);
}

void cat_query_others_add(cat_query_others_t *others, const char *other)
{
    if (others->all->nelts < CAT_QUERY_OTHERS_MAX && !is_implied(others, other)) {
        APR_ARRAY_PUSH(others->all, const char *) = other;
    }
}

int cat_query_others_is_number(const char *word, const char *other)
{
    size_t length = strlen(word), end = strlen(other);

    return apr_isdigit(*other) && end < length && !strcmp(word + length - end, other);
}

const char *const *cat_query_others_end(cat_query_others_t *others)
{
    if (others->all->nelts == 0) {
        return NULL;
    }
    APR_ARRAY_PUSH(others->all, const char *) = NULL;
    others->all->nelts--;
    return (const char *const *)others->all->elts;
}
