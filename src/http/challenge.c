/* SPDX-License-Identifier: Apache-2.0 */
#include "http/challenge.h"

#include <apr_strings.h>
#include <string.h>

/* Returns the content of a quoted-string (RFC 9110 5.6.4). A pair that httpd has escaped already stays as it is. */
static const char *quote_text(apr_pool_t *pool, const char *text)
{
    char *quoted = apr_palloc(pool, 2 * strlen(text) + 1), *end = quoted;

    while (*text) {
        int is_escaped = *text == '\\' && (text[1] == '\\' || text[1] == '"');
        if (!is_escaped && (*text == '\\' || *text == '"')) {
            *end++ = '\\';
        }
        *end++ = *text++;
        if (is_escaped) {
            *end++ = *text++;
        }
    }
    *end = '\0';
    return quoted;
}

const char *cat_challenge_format(apr_pool_t *pool, const char *realm, const char *code, const char *reason)
{
    return apr_pstrcat(pool, "Bearer realm=\"", quote_text(pool, realm), "\"", code ? ", error=\"" : "",
                       code ? code : "", code ? "\"" : "", reason ? ", error_description=\"" : "", reason ? reason : "",
                       reason ? "\"" : "", NULL);
}

cat_answer_t *cat_challenge_refuse(apr_pool_t *pool, const cat_conf_t *conf, cat_problem_t problem, const char *code,
                                   const char *reason)
{
    cat_answer_t *answer = cat_answer_problem(pool, problem, reason);

    cat_answer_header(answer, pool, "WWW-Authenticate",
                      cat_challenge_format(pool, cat_conf_location(conf), code, reason));
    return answer;
}

cat_answer_t *cat_challenge_refuse_role(apr_pool_t *pool, const cat_conf_t *conf)
{
    return cat_challenge_refuse(pool, conf, CAT_PROBLEM_SCOPE, "insufficient_scope",
                                "the user's role does not allow this");
}
