/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_STATUS_H
#define CAT_HTTPD_STATUS_H

/* Hook of mod_status: adds the counters of the response cache to its page. */
void cat_status_register_hook(void);

#endif
