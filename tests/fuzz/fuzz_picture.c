/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a client calls a picture, and files that a program has made of them: what is stripped is a picture of the same kind and size. */
#include "fuzz.h"
#include "lib/picture.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    cat_picture_t picture = cat_picture_read((const char *)data, size), left;
    apr_size_t length = size, again;
    const char *stripped = cat_picture_strip(pool, (const char *)data, &length);

    FUZZ_CHECK(picture.kind == CAT_PICTURE_NONE ? picture.width == 0 : picture.width && picture.height);
    if (!stripped) {
        return;
    }
    FUZZ_CHECK(length <= size + 20);
    left = cat_picture_read(stripped, length);
    FUZZ_CHECK(left.kind == CAT_PICTURE_WEBP || left.kind == CAT_PICTURE_NONE);
    again = length;
    stripped = left.kind == CAT_PICTURE_WEBP ? cat_picture_strip(pool, stripped, &again) : NULL;
    FUZZ_CHECK(!stripped || again == length);
}
