/* SPDX-License-Identifier: Apache-2.0 */
/* First line: If-Match; second: If-None-Match. An empty line leaves its header out. */
#include "fuzz.h"
#include "http/etag.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *match = fuzz_line(pool, &data, &size);
    const char *none_match = fuzz_line(pool, &data, &size);
    const char *tag = cat_etag_make(pool, "body", 4, 0);
    cat_conditions_t conditions = {*match ? match : NULL, *none_match ? none_match : NULL};
    cat_condition_t outcome = cat_etag_judge(&conditions, tag);

    FUZZ_CHECK(conditions.match || outcome != CAT_IF_MATCH_FAILS);
    FUZZ_CHECK(conditions.none_match || outcome != CAT_IF_NONE_MATCH_FAILS);
    if (!strcmp(match, tag) && !conditions.none_match) {
        FUZZ_CHECK(outcome == CAT_CONDITION_HOLDS);
    }
}
