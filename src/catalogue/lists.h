/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_LISTS_H
#define CAT_CATALOGUE_LISTS_H

/* What the rooms above include of lists: the question, parsed from a query string, and the pages that answer it. */

#include "catalogue/list/categories.h"
#include "catalogue/list/list.h"
#include "catalogue/list/suggestions.h"
#include "catalogue/list/value_page.h"
#include "catalogue/query/field_list.h"
#include "catalogue/query/synonyms.h"
#include "catalogue/query/visible.h"

#endif
