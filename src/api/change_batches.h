/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_CHANGE_BATCHES_H
#define CAT_API_CHANGE_BATCHES_H

#include "http/route.h"

/* Handle GET /changes/batches and POST /changes/batches/:batch/undo. */
cat_handler_t cat_change_batches_list, cat_change_batches_undo;

extern const cat_description_t cat_change_batches_about_list, cat_change_batches_about_undo;

#endif
