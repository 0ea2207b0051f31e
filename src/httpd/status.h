/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_STATUS_H
#define CAT_HTTPD_STATUS_H

/* Registers a hook of mod_status that adds the metrics to its page, each as the sum of its series. */
void cat_status_register_hook(void);

#endif
