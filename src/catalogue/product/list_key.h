/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_KEY_H
#define CAT_CATALOGUE_LIST_KEY_H

/* A position in the list of products: values of the columns that order it, as stored. There need not be a product. */
typedef struct cat_list_key_t {
    const char *created_at, *id;
} cat_list_key_t;

#define CAT_LIST_KEY_MAX ((cat_list_key_t){"9223372036854775807", ""})  /* newer than every product */
#define CAT_LIST_KEY_MIN ((cat_list_key_t){"-1000000000000000000", ""}) /* older */

#define CAT_LIST_SORT_MAX 3 /* fields that a client may order a list by */

/* A position in a list in any order. */
typedef struct cat_list_position_t {
    /* One for each field of the query's sort, in its order, the rest NULL; of a plain list none. Text: as the column
     * *_key has it; number: decimal text of the column *_key, "-1" if the field is not set; boolean: "0" or "1"; time:
     * key.created_at again. */
    const char *values[CAT_LIST_SORT_MAX];
    cat_list_key_t key;
} cat_list_position_t;

#endif
