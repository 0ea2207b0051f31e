/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_HTTPD_STATUS_H
#define CAT_HTTPD_STATUS_H

/* Lets mod_status, where it is loaded, tell of the answers that are kept. A hook table's entry: mod_status has the hook. */
void cat_status_register_hook(void);

#endif
