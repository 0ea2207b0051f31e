/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "http/uri.h"

static void test_encodes_what_a_path_must_not_contain(void **state)
{
    static const struct {
        const char *path, *encoded;
    } cases[] = {
        {"", ""},
        {"/api/v1", "/api/v1"},
        {"/my shop", "/my%20shop"},
        {"/gr\xc3\xb6\xc3\x9f"
         "e",
         "/gr%C3%B6%C3%9Fe"},
        {"/a\"b", "/a%22b"},
        {"/100%", "/100%25"},
        {"/a?b#c", "/a%3Fb%23c"},
        {"/a\\b^c`d{e}f<g>", "/a%5Cb%5Ec%60d%7Be%7Df%3Cg%3E"},
        {"/-._~!$&'()*+,;=:@|[]", "/-._~!$&'()*+,;=:@|[]"},
        {"/\x01\x1f\x7f\xff", "/%01%1F%7F%FF"},
    };

    for (size_t i = 0; i < UNIT_COUNT(cases); i++) {
        assert_string_equal(cat_uri_encode_path(*state, cases[i].path), cases[i].encoded);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {UNIT_TEST(test_encodes_what_a_path_must_not_contain)};
    return UNIT_RUN(tests);
}
