/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_FILES_H
#define CAT_CATALOGUE_FILES_H

/* What the rooms above include of files of products: export and import. */

#include "catalogue/transfer/export.h"
#include "catalogue/transfer/file_head.h"
#include "catalogue/transfer/import.h"

#endif
