/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/suggestion.h"

#include <string.h>

#include <apr_lib.h>
#include <apr_strings.h>

#include "lib/spelling.h"

#define LENGTH_MAX 100 /* Bytes of an unknown name; comparing a longer one would take too long. */

/* Returns the name in lower case without "_" and "-", so that in_stock and InStock equal inStock. */
static const char *fold_name(apr_pool_t *pool, const char *name)
{
    char *folded = apr_palloc(pool, strlen(name) + 1), *end = folded;

    for (; *name; name++) {
        if (*name != '_' && *name != '-') {
            *end++ = (char)apr_tolower(*name);
        }
    }
    *end = '\0';
    return folded;
}

/* Returns the number of typos that a folded name may have. */
static int count_typos(const char *folded)
{
    size_t length = strlen(folded);

    return length < 3 ? 0 : length < 6 ? 1 : CAT_SPELLING_EDITS_MAX;
}

const char *cat_suggestion_find(apr_pool_t *pool, const char *name, const char *const *names)
{
    const char *folded = fold_name(pool, name), *nearest = NULL;
    int most = *folded && strlen(name) <= LENGTH_MAX ? count_typos(folded) : -1;

    for (; most >= 0 && *names; names++) {
        int edits = cat_spelling_compare(folded, fold_name(pool, *names), 0, most);
        if (edits <= most) {
            nearest = *names;
            most = edits - 1;
        }
    }
    return nearest;
}

const char *cat_suggestion_add(apr_pool_t *pool, const char *message, const char *name, const char *const *names)
{
    const char *nearest = names ? cat_suggestion_find(pool, name, names) : NULL;

    return nearest ? apr_psprintf(pool, "%s; did you mean %s?", message, nearest) : message;
}
