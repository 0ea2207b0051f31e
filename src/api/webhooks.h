/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_WEBHOOKS_H
#define CAT_API_WEBHOOKS_H

#include "http/route.h"

/* Handles GET /webhooks, for administrators. */
cat_handler_t cat_webhooks_list;
extern const cat_description_t cat_webhooks_about_list;

#endif
