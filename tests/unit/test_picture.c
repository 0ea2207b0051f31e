/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "lib/picture.h"

typedef struct sample_t {
    const char *data;
    apr_size_t length;
    cat_picture_t picture;
} sample_t;

#define SAMPLE(a_kind, a_width, a_height, text)                                                                        \
    {                                                                                                                  \
        text, sizeof(text) - 1,                                                                                        \
        {                                                                                                              \
            .kind = CAT_PICTURE_##a_kind, .width = (a_width), .height = (a_height)                                     \
        }                                                                                                              \
    }

static const sample_t samples[] = {
    SAMPLE(JPEG, 600, 400, "\xff\xd8\xff\xe0\0\4ab\xff\xff\xc0\0\x11\x08\1\x90\2\x58\3\1\x22\0"),
    SAMPLE(JPEG, 600, 400, "\xff\xd8\xff\xc2\0\x11\x08\1\x90\2\x58\3\1\x22\0"),
    SAMPLE(JPEG, 600, 400, "\xff\xd8\xff\x01\xff\xc0\0\x11\x08\1\x90\2\x58\3\1\x22\0"), /* 01 has no length */
    SAMPLE(PNG, 1, 65536, "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\1\0\0"),
    SAMPLE(GIF, 258, 3, "GIF89a\2\1\3\0\0\0\0,\0\0\0\0\2\1\3\0\0"),
    SAMPLE(GIF, 258, 3, "GIF87a\2\1\3\0\0\0\0,\0\0\0\0\1\1\1\0\0"),
    SAMPLE(GIF, 600, 400, "GIF89a\1\0\1\0\0\0\0,\1\0\2\0\x57\2\x8e\1\0"), /* the image is larger */
    SAMPLE(GIF, 601, 400, "GIF89a\x59\2\1\0\x80\0\0abcdef!\xf9\4abcd\0!\xfe\1a\2bc\0,\0\0\0\0\x58\2\x90\1\0"),
    SAMPLE(GIF, 600, 400, "GIF89a\1\0\1\0\0\0\0!\xfe\0!\xf9\0\x0a,\0\0\0\0\1\0\1\0\0\0,\0\0\0\0\x58\2\x90\1\0"),
    SAMPLE(NONE, 0, 0, "GIF89a\2\1\3\0\0\0\0!\xfe\xff"),
    SAMPLE(NONE, 0, 0, "GIF89a\2\1\3\0\0\0\0;"),
    SAMPLE(WEBP, 258, 3, "RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\1\1\0\2\0\0"),
    SAMPLE(WEBP, 640, 480, "RIFF\x16\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01"),
    SAMPLE(WEBP, 2, 3, "RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x01\x80\0\0\0\0\0\0\0"),
    SAMPLE(AVIF, 70000, 2,
           "\0\0\0\x18"
           "ftypmif1\0\0\0\0miafavif\0\0\0\x14ispe\0\0\0\0\0\1\x11\x70\0\0\0\2"
           "\0\0\0\x14ispe\0\0\0\0\0\0\0\3\0\0\0\2"),
    SAMPLE(NONE, 0, 0,
           "\0\0\0\x18"
           "ftypheic\0\0\0\0miafheic\0\0\0\x14ispe\0\0\0\0\0\1\x11\x70\0\0\0\2"),
    SAMPLE(NONE, 0, 0, "\xff\xd8\xff\xda\0\0\0\0\0\0\0\0\0\0"),
    SAMPLE(NONE, 0, 0, "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"),
    SAMPLE(NONE, 0, 0, ""),
};

static void test_profiles_for_the_channels_of_a_picture_are_found(void **)
{
#define JPEG(channels) "\xff\xd8\xff\xc0\0\x11\x08\0\1\0\1" channels "\1\x22\0"
#define PNG(colour) "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08" colour "\0\0"
#define PROFILE(space) "mntr" space "XYZ 0123456789abacsp"
    static const struct {
        const char *data;
        apr_size_t length;
        int is_grey, has_profile;
    } cases[] = {
#define CASE(data, grey, profile) {data, sizeof(data) - 1, grey, profile}
        CASE(JPEG("\3"), 0, 0),
        CASE(JPEG("\1"), 1, 0),
        CASE(JPEG("\4") PROFILE("CMYK"), 0, 1),
        CASE(JPEG("\3") PROFILE("RGB "), 0, 1),
        CASE(JPEG("\3") PROFILE("GRAY"), 0, 0),
        CASE(JPEG("\3") PROFILE("GRAY") PROFILE("RGB "), 0, 1),
        CASE(JPEG("\1") PROFILE("GRAY"), 1, 1),
        CASE(JPEG("\1") "acsp", 1, 0),
        CASE(PNG("\2"), 0, 0),
        CASE(PNG("\0"), 1, 0),
        CASE(PNG("\4") "iCCP", 1, 1),
        CASE(PNG("\6") "iCCP", 0, 1),
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        cat_picture_t picture = cat_picture_read(cases[i].data, cases[i].length);
        assert_int_equal(picture.is_grey, cases[i].is_grey);
        assert_int_equal(picture.has_profile, cases[i].has_profile);
    }
}

/* In memory of its own, so that a sanitizer sees what is read behind it. */
static cat_picture_t read_part(const sample_t *sample, apr_size_t length)
{
    char *copy = malloc(length ? length : 1);
    cat_picture_t picture;

    assert_non_null(copy);
    memcpy(copy, sample->data, length);
    picture = cat_picture_read(copy, length);
    free(copy);
    return picture;
}

static void test_first_octets_tell_kind_and_size(void **)
{
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        cat_picture_t picture = read_part(&samples[i], samples[i].length);
        assert_int_equal(picture.kind, samples[i].picture.kind);
        assert_int_equal(picture.width, samples[i].picture.width);
        assert_int_equal(picture.height, samples[i].picture.height);
    }
}

static void test_what_is_cut_off_is_not_read_beyond_its_end(void **)
{
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        for (apr_size_t length = 0; length < samples[i].length; length++) {
            cat_picture_t picture = read_part(&samples[i], length);
            assert_true(picture.kind == CAT_PICTURE_NONE || picture.kind == samples[i].picture.kind);
        }
    }
}

/* Strips a file, and compares it with what should be left. */
static void strip(apr_pool_t *pool, const char *data, apr_size_t size, const char *left, apr_size_t left_size)
{
    apr_size_t length = size;
    const char *stripped = cat_picture_strip(pool, data, &length);

    if (!left) {
        assert_null(stripped);
        return;
    }
    assert_non_null(stripped);
    assert_int_equal(length, left_size);
    assert_memory_equal(stripped, left, left_size);
}

#define VP8 "VP8 \x0b\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01x\0"
#define STRIP(pool, text, left) strip(pool, text, sizeof(text) - 1, left, sizeof(left) - 1)

static void test_only_the_picture_is_left(void **state)
{
    STRIP(*state,
          "RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x2c\0\0\0\x7f\2\0\xdf\1\0ICCP\3\0\0\0abc\0" VP8
          "EXIF\2\0\0\0GPXMP \1\0\0\0x\0",
          "RIFF\x18\0\0\0WEBP" VP8);
    STRIP(*state, "RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\x3c\0\0\0\x7f\2\0\xdf\1\0ALPH\3\0\0\0abc\0" VP8 "EXIF\2\0\0\0GP",
          "RIFF\x36\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x7f\2\0\xdf\1\0ALPH\3\0\0\0abc\0" VP8);
    STRIP(*state, "RIFF\x18\0\0\0WEBP" VP8, "RIFF\x18\0\0\0WEBP" VP8);
}

static void test_what_is_no_single_picture_is_refused(void **state)
{
    static const char animated[] = "RIFF\x40\0\0\0WEBPVP8X\x0a\0\0\0\2\0\0\0\x7f\2\0\xdf\1\0ANMF\2\0\0\0ab" VP8;
    static const char cut[] = "RIFF\x18\0\0\0WEBPVP8X\x0a\0\0\0\2\0\0\0\x7f\2\0\xdf\1\0VP8 \xff\xff\xff\xff";
    static const char none[] = "RIFF\x18\0\0\0WEBPVP8X\x0a\0\0\0\2\0\0\0\x7f\2\0\xdf\1\0";

    strip(*state, animated, sizeof(animated) - 1, NULL, 0);
    strip(*state, cut, sizeof(cut) - 1, NULL, 0);
    strip(*state, none, sizeof(none) - 1, NULL, 0);
    strip(*state, "GIF89a\2\1\3\0\0\0", 12, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_first_octets_tell_kind_and_size),
        UNIT_TEST(test_profiles_for_the_channels_of_a_picture_are_found),
        UNIT_TEST(test_what_is_cut_off_is_not_read_beyond_its_end),
        UNIT_TEST(test_only_the_picture_is_left),
        UNIT_TEST(test_what_is_no_single_picture_is_refused),
    };
    return UNIT_RUN(tests);
}
