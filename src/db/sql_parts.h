/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_DB_SQL_PARTS_H
#define CAT_DB_SQL_PARTS_H

/* Parts that several statements have, for db/sql.def and db/dialects/. */

/* How many products there are. */
#define PRODUCT_TOTAL                                                                                                  \
    "(SELECT n FROM product_counts WHERE level = 3) + (SELECT COALESCE(SUM(delta), 0) FROM product_deltas)"

#endif
