/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_INDEX_H
#define CAT_CATALOGUE_INDEX_H

/* What the rooms above include of the index: which parts of it lists may use, and the database's indexes of products. */

#include "catalogue/search/index_builder.h"
#include "catalogue/search/indexes.h"
#include "catalogue/search/key_check.h"
#include "catalogue/search/key_filler.h"

#endif
