/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_API_MAILS_H
#define CAT_API_MAILS_H

#include "http/route.h"

/* Handle GET /mails, POST /mails/retry, POST /mails/:id/retry and POST /mails/test, for administrators. */
cat_handler_t cat_mails_list, cat_mails_retry_all, cat_mails_retry, cat_mails_test;
extern const cat_description_t cat_mails_about_list, cat_mails_about_retry_all, cat_mails_about_retry,
    cat_mails_about_test;

#endif
