/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_DIALECTS_SQL_FRAGMENTS_H
#define CAT_DB_DIALECTS_SQL_FRAGMENTS_H

#include "db/dialects/product.def"

/* Fragments of SQL that several statements share, for db/dialects/sql.def and db/dialects/. */

/* Each column of a product, with extra as the last one: "id, name, ..."; as a column of a table p or r: "p.id, p.name, ..."; as an INSERT has them, with
 * n in the place of the time; a value for each: "%s, %s, ...". */
#define PRODUCT_COLUMNS CAT_PRODUCT_TABLE(PRODUCT_COLUMN) ", extra"
#define PRODUCT_COLUMNS_OF_P CAT_PRODUCT_TABLE(PRODUCT_COLUMN_OF_P) ", p.extra"
#define PRODUCT_COLUMNS_OF_R CAT_PRODUCT_TABLE(PRODUCT_COLUMN_OF_R) ", r.extra"
#define PRODUCT_INSERTED_COLUMNS CAT_PRODUCT_TABLE(PRODUCT_INSERTED_COLUMN) ", extra"
#define PRODUCT_PLACEHOLDERS CAT_PRODUCT_TABLE(PRODUCT_PLACEHOLDER) ", %s"

/* Sets the columns that an update may change: "name = COALESCE(%s, name), ...", so that one whose value is NULL stays. A column that may
 * be cleared takes a value more, before its own: '1' clears it. */
#define PRODUCT_ASSIGNMENTS CAT_PRODUCT_TABLE(PRODUCT_ASSIGNMENT) PRODUCT_CLEAR("extra")

/* The columns that are derived from those, in the order of catalogue/product/product_keys.h: "name_key, ...", a value for each, and "name_key = %s,
 * ...". */
#define PRODUCT_KEY_COLUMNS CAT_PRODUCT_TABLE(PRODUCT_KEY_COLUMN) "words"
#define PRODUCT_KEY_PLACEHOLDERS CAT_PRODUCT_TABLE(PRODUCT_KEY_PLACEHOLDER) "%s"
#define PRODUCT_KEY_ASSIGNMENTS CAT_PRODUCT_TABLE(PRODUCT_KEY_ASSIGNMENT) "words = %s"

/* How many products there are. */
#define PRODUCT_TOTAL                                                                                                  \
    "(SELECT n FROM product_counts WHERE name = 'products') + (SELECT COALESCE(SUM(delta), 0) FROM product_deltas)"

/* Rows of category, n and in_stock, of which the sums are the category's indexed products, and those of them that are in
 * stock. */
#define CATEGORY_ROWS                                                                                                  \
    "(SELECT category, n, in_stock FROM category_counts"                                                               \
    " UNION ALL SELECT category, category_delta, in_stock FROM product_deltas WHERE category IS NOT NULL)"

/* How many of them are in stock. */
#define PRODUCTS_IN_STOCK                                                                                              \
    "(SELECT in_stock FROM product_counts WHERE name = 'products')"                                                    \
    " + (SELECT COALESCE(SUM(in_stock), 0) FROM product_deltas)"

/* A user as accounts/user.h's view has it. */
#define USER_VIEW                                                                                                      \
    "id, username, email, CASE WHEN confirmed_at IS NULL THEN 0 ELSE 1 END, role,"                                     \
    " CASE WHEN locked_at IS NULL THEN 0 ELSE 1 END, created_at, signed_in_at"

/* ---- what a row of the field table becomes ---- */

#define PRODUCT_COLUMN(name, field, column, update, ...) PRODUCT_COMMA_##update column
#define PRODUCT_INSERTED_COLUMN(name, field, column, update, ...) PRODUCT_INSERTED_##update(column)
#define PRODUCT_COLUMN_OF_P(name, field, column, update, ...) PRODUCT_COMMA_##update "p." column
#define PRODUCT_COLUMN_OF_R(name, field, column, update, ...) PRODUCT_COMMA_##update "r." column
#define PRODUCT_PLACEHOLDER(name, field, column, update, ...) PRODUCT_COMMA_##update "%s"
#define PRODUCT_ASSIGNMENT(name, field, column, update, ...) PRODUCT_##update(column)

#define PRODUCT_KEY_COLUMN(name, field, column, update, compare, ...) PRODUCT_KEY_OF_##compare(column "_key, ")
#define PRODUCT_KEY_PLACEHOLDER(name, field, column, update, compare, ...) PRODUCT_KEY_OF_##compare("%s, ")
#define PRODUCT_KEY_ASSIGNMENT(name, field, column, update, compare, ...) PRODUCT_KEY_OF_##compare(column "_key = %s, ")

#define PRODUCT_KEY_OF_PLAIN(text)
#define PRODUCT_KEY_OF_KEYED(text) text
#define PRODUCT_KEY_OF_NONE(text)

#define PRODUCT_INSERTED_KEY(column) column
#define PRODUCT_INSERTED_FIXED(column) ", n"
#define PRODUCT_INSERTED_FIRST(column) ", " column
#define PRODUCT_INSERTED_SET(column) ", " column
#define PRODUCT_INSERTED_CLEAR(column) ", " column

#define PRODUCT_COMMA_KEY
#define PRODUCT_COMMA_FIXED ", "
#define PRODUCT_COMMA_FIRST ", "
#define PRODUCT_COMMA_SET ", "
#define PRODUCT_COMMA_CLEAR ", "

#define PRODUCT_KEY(column)
#define PRODUCT_FIXED(column)
#define PRODUCT_FIRST(column) column " = COALESCE(%s, " column ")"
#define PRODUCT_SET(column) ", " PRODUCT_FIRST(column)
#define PRODUCT_CLEAR(column) ", " column " = CASE WHEN %s = '1' THEN NULL ELSE COALESCE(%s, " column ") END"

/* In a dialect's table, the texts of a statement that db/dialects/sql.def has for 1, 2, 4, 8, 16 and 64 rows. */
#define FOR_ROWS(name, text, row)                                                                                      \
    [name] = text(row), [name##_2] = text(TWICE(row)), [name##_4] = text(TWICE(TWICE(row))),                           \
    [name##_8] = text(TWICE(TWICE(TWICE(row)))), [name##_16] = text(TIMES_16(row)), [name##_64] = text(TIMES_64(row))

#endif
