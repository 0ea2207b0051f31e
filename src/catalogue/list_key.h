/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LIST_KEY_H
#define CAT_CATALOGUE_LIST_KEY_H

/* A position in the list of products: values of the columns that order it, as stored. There need not be a product. */
typedef struct cat_list_key_t {
    const char *created_at, *id;
} cat_list_key_t;

#define CAT_LIST_KEY_MAX ((cat_list_key_t){"9223372036854775807", ""}) /* newer than every product */

#endif
