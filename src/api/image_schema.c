/* SPDX-License-Identifier: Apache-2.0 */
#include "api/image_schema.h"

static const cat_text_rule_t url_rule = {.format = "uri-reference"};
static const cat_shape_t url = {.kind = CAT_SHAPE_TEXT,
                                .rule = &url_rule,
                                .example = "\"/api/images/01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21-320.webp\""};
static const cat_shape_t id = {
    .kind = CAT_SHAPE_TEXT, .rule = &cat_fields_id, .example = "\"01a2060f-5c1e-7b3c-8a69-5d1f0c4b7e21\""};
static const cat_shape_t pixels = {.kind = CAT_SHAPE_WHOLE, .example = "320"};
#define SIZE_MEMBERS                                                                                                   \
    {"url", &url, CAT_ALWAYS, "Where it is"}, {"width", &pixels, CAT_ALWAYS, "Its width, in pixels"},                  \
        {"height", &pixels, CAT_ALWAYS, "Its height"}
static const cat_member_t size_members[] = {SIZE_MEMBERS, CAT_MEMBER_END};
static const cat_shape_t size_shape = {.kind = CAT_SHAPE_OBJECT, .name = "ImageSize", .members = size_members};
static const cat_shape_t sizes = {.kind = CAT_SHAPE_LIST, .of = &size_shape};
static const cat_member_t image_members[] = {
    {"id", &id, CAT_ALWAYS, "The picture's id"},
    SIZE_MEMBERS,
    {"alt", &cat_schema_text, CAT_ALWAYS, "What it shows, for those who cannot see it; may be empty"},
    {"sizes", &sizes, CAT_ALWAYS, "All sizes in which it is served, the smallest first"},
    CAT_MEMBER_END,
};
const cat_shape_t cat_image_schema_one = {.kind = CAT_SHAPE_OBJECT, .name = "Image", .members = image_members};
const cat_shape_t cat_image_schema_all = {.kind = CAT_SHAPE_LIST, .of = &cat_image_schema_one};
