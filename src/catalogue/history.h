/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_HISTORY_H
#define CAT_CATALOGUE_HISTORY_H

/* What the rooms above include of the history of products: what changed, in which order, and how a product becomes what it was. */

#include "catalogue/changes/changes.h"
#include "catalogue/changes/change_numbers.h"
#include "catalogue/changes/restore.h"

#endif
