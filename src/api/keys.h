/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_KEYS_H
#define CAT_API_KEYS_H

#include "http/route.h"

/* Handles GET /auth/jwks.json. */
cat_handler_t cat_keys_jwks;
extern const cat_description_t cat_keys_about;

#endif
