/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_CATALOGUE_BULK_H
#define CAT_CATALOGUE_BULK_H

/* What the rooms above include of changes of all products that match, of the job that makes large ones, and of undo. */

#include "catalogue/bulk/bulk.h"
#include "catalogue/bulk/bulk_job.h"
#include "catalogue/bulk/undo.h"

#endif
