/* SPDX-License-Identifier: Apache-2.0 */
/* An accepted address is safe on an SMTP command line and never adds a second recipient. */
#include "fuzz.h"
#include "mail/email.h"

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    const char *text = fuzz_text(pool, data, size);

    FUZZ_CHECK(strlen(cat_email_fold(pool, text)) == strlen(text));
    if (cat_email_check(text)) {
        FUZZ_CHECK(strlen(text) <= 254);
        FUZZ_CHECK(!text[strcspn(text, " \t\r\n<>\"(),:;[]\\")]);
        FUZZ_CHECK(strchr(text, '@') && strchr(text, '@') == strrchr(text, '@'));
        FUZZ_CHECK(cat_email_check(cat_email_fold(pool, text)));
    }
}
