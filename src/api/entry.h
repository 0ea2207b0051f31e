/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_ENTRY_H
#define CAT_API_ENTRY_H

#include "http/answer.h"
#include "http/request.h"

/* Handles GET of the mount itself. Returns name, version, and links to resources with which a client can begin. */
cat_answer_t *cat_entry_get(cat_request_t *q);
extern const cat_description_t cat_entry_about;

#endif
