/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_CONFIRM_H
#define CAT_API_CONFIRM_H

#include "http/route.h"

/* Handle GET and POST /auth/confirm, and POST /auth/confirm/resend. */
cat_handler_t cat_confirm_check, cat_confirm_confirm, cat_confirm_resend;
extern const cat_description_t cat_confirm_about_check, cat_confirm_about_confirm, cat_confirm_about_resend;

#endif
