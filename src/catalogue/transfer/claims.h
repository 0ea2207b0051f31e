/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_CLAIMS_H
#define CAT_CATALOGUE_CLAIMS_H

#include <apr_errno.h>
#include <apr_pools.h>

/*
 * Which product has which unique value, once the rows of a file so far are stored. Products and values are numbers that the caller
 * makes of them (lib/hash.h), so a file of any length needs some ten octets for each value of a new product,
 * and some tens for each of another one.
 */
typedef struct cat_claims_map_t cat_claims_map_t;

/* Lives on the pool. */
cat_claims_map_t *cat_claims_make(apr_pool_t *pool);

/* The product that has the value. 1: a row has said so; *product 0: the one that had it gave it up. 0: no row was about it. */
int cat_claims_owner(const cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t *product);

/* The product has the value; what it had of the field before is free. APR_EEXIST: another one has it, or `stored` says so, the product that
 * has it in the database, 0: none; the product gives its former value up all the same. value 0: it gives the field up. before: the product's value in
 * the database; 0: none. */
apr_status_t cat_claims_take(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                             apr_uint64_t before, apr_uint64_t stored);

/* Takes a value for which cat_claims_take has returned APR_EEXIST, once more, unless the product has asked for another value since. */
apr_status_t cat_claims_settle(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                               apr_uint64_t stored);

/* A new product, which no other row of the file is about, has the value. APR_EEXIST: as above. */
apr_status_t cat_claims_add(cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t stored);

#endif
