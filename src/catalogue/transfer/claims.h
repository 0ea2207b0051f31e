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

/* Records that the product has the value of the field, and frees the value that it had before. Returns APR_EEXIST if another product has the value;
 * the product gives its former value up even then. value 0: the product gives the field up. before: the product's value in the database; 0: none.
 * stored: the product that has the value in the database; 0: none. Earlier rows count before these two. */
apr_status_t cat_claims_take(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                             apr_uint64_t before, apr_uint64_t stored);

/* Tries again to take a value for which cat_claims_take returned APR_EEXIST. Returns APR_EEXIST if another product still has it. Does nothing if
 * the product has asked for another value of the field since. stored: the product that has the value in the database; 0: none. */
apr_status_t cat_claims_retry(cat_claims_map_t *claims, int field, apr_uint64_t product, apr_uint64_t value,
                              apr_uint64_t stored);

/* A new product, which no other row of the file is about, has the value. APR_EEXIST: as above. */
apr_status_t cat_claims_add(cat_claims_map_t *claims, apr_uint64_t value, apr_uint64_t stored);

#endif
