/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entity tags, and the conditions that name them.
 *
 * A tag is 64 bits of a hash of the response body, so two servers give the same product the same tag, and no tag is
 * stored. httpd's filters add a suffix to the tags of bodies that they encode, "a1b2-gzip". Such a tag counts as the
 * tag without the suffix.
 */
#include "http/etag.h"

#include <string.h>

#include <apr_lib.h>

#include "lib/hash.h"

#define DIGITS 16 /* Digits of a tag, between its quotes. */

/* Uses a hash without a secret: a client that can write a record gains nothing if two of its states have the same
 * tag. */
apr_uint64_t cat_etag_hash(const char *body, apr_size_t length)
{
    return cat_hash(body, length);
}

static const char *format_tag(apr_pool_t *pool, apr_uint64_t hash, int weak)
{
    static const char digits[] = "0123456789abcdef";
    char *tag = apr_palloc(pool, sizeof("W/\"\"") + DIGITS);
    char *p = tag;

    if (weak) {
        *p++ = 'W';
        *p++ = '/';
    }
    *p++ = '"';
    for (int i = DIGITS - 1; i >= 0; i--, hash >>= 4) {
        p[i] = digits[hash & 15];
    }
    memcpy(p + DIGITS, "\"", sizeof("\""));
    return tag;
}

const char *cat_etag_make(apr_pool_t *pool, const char *body, apr_size_t length, int weak)
{
    return format_tag(pool, cat_etag_hash(body, length), weak);
}

static int is_weak(const char *tag)
{
    return tag[0] == 'W' && tag[1] == '/';
}

/* Returns true if `quoted`, which begins at the opening quote of a tag in a list, is `tag`, apart from a suffix for a
 * coding ("-gzip"). */
static int is_same(const char *quoted, const char *tag)
{
    const char *p = quoted + 1 + DIGITS;

    if (strncmp(quoted, is_weak(tag) ? tag + 2 : tag, 1 + DIGITS) != 0) {
        return 0;
    }
    if (p[0] == '-' && apr_isalnum(p[1])) {
        do {
            p++;
        } while (apr_isalnum(*p));
    }
    return *p == '"';
}

/* Returns true if the list contains the tag. The list ends at the first element that is no tag. */
static int has_tag(const char *list, const char *tag, int strong)
{
    if (*list == '*') {
        return 1;
    }
    while (*(list += strspn(list, ", \t"))) {
        int weak = is_weak(list);
        const char *quoted = weak ? list + 2 : list;
        const char *end = *quoted == '"' ? strchr(quoted + 1, '"') : NULL;

        if (!end) {
            return 0;
        }
        if (!(strong && (weak || is_weak(tag))) && is_same(quoted, tag)) {
            return 1;
        }
        list = end + 1;
    }
    return 0;
}

static int has_either(const char *list, const char *tag, const char *other, int strong)
{
    return has_tag(list, tag, strong) || (other && has_tag(list, other, strong));
}

cat_condition_t cat_etag_judge_either(const cat_conditions_t *conditions, const char *tag, const char *other)
{
    if (conditions->match && !has_either(conditions->match, tag, other, 1)) {
        return CAT_IF_MATCH_FAILS;
    }
    if (conditions->none_match && has_either(conditions->none_match, tag, other, 0)) {
        return CAT_IF_NONE_MATCH_FAILS;
    }
    return CAT_CONDITION_HOLDS;
}

cat_condition_t cat_etag_judge(const cat_conditions_t *conditions, const char *tag)
{
    return cat_etag_judge_either(conditions, tag, NULL);
}

/* Does not use ap_meets_conditions, which does not recognize a tag that a filter changed, and treats a resource without
 * Last-Modified as modified now. */
cat_answer_t *cat_etag_apply(apr_pool_t *pool, cat_answer_t *answer, const cat_conditions_t *conditions)
{
    apr_uint64_t hash = answer->hash;

    if (answer->tag == CAT_TAG_NONE || answer->status != 200) {
        return answer;
    }
    answer->etag =
        format_tag(pool, hash ? hash : cat_etag_hash(answer->body, answer->length), answer->tag == CAT_TAG_WEAK);
    switch (cat_etag_judge(conditions, answer->etag)) {
    case CAT_IF_MATCH_FAILS:
        return cat_answer_problem(pool, CAT_PROBLEM_PRECONDITION, NULL);
    case CAT_IF_NONE_MATCH_FAILS:
        answer->status = 304;
        return answer;
    default:
        return answer;
    }
}
