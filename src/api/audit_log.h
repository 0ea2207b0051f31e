/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_AUDIT_LOG_H
#define CAT_API_AUDIT_LOG_H

#include "http/route.h"

/* Handles GET /audit. */
cat_handler_t cat_audit_log_list;
extern const cat_description_t cat_audit_log_about;

#endif
