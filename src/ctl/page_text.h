/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTL_PAGE_TEXT_H
#define CTL_PAGE_TEXT_H

#include "catalogue/files.h"
#include "lib/buffer.h"
#include "lib/fields.h"

/* The texts of the static pages: HTML of a product and of a list of links, and sitemaps. All that comes from a product is escaped. */

typedef struct ctl_page_words_t ctl_page_words_t;

/* What the pages of one export have in common. Addresses have no slash at their end. */
typedef struct ctl_page_site_t {
    const char *base;   /* where the static pages are served */
    const char *pages;  /* where the pages of www/ are */
    const char *origin; /* of these: scheme and host, where pictures are too */
    const char *brand;  /* the name of the shop; NULL: not given */
    const char *currency;
    const ctl_page_words_t *words;
    const cat_fields_t *fields; /* that visitors see */
} ctl_page_site_t;

/* The languages of the few words that are not the shop's; ends with NULL. The first is the default. */
extern const char *const ctl_page_languages[];
const ctl_page_words_t *ctl_page_words(int language);

/* A format of export (catalogue/transfer/export_format.h): each product becomes a ctl_page_t. style->baton: a ctl_page_site_t. */
extern const cat_export_format_t ctl_page_format;

typedef struct ctl_page_t {
    const char *name;  /* of the file, without its suffix */
    const char *title; /* the product's name */
    const char *text;  /* HTML */
} ctl_page_t;

/* Steps through what the format has written. 0: *data is at its end. */
int ctl_page_next(const char **data, const char *end, ctl_page_t *page);

/* The address of a file, for HTML and XML, on the buffer's pool. name: with its suffix. */
const char *ctl_page_address(apr_pool_t *pool, const ctl_page_site_t *site, const char *name);

/* A page of links to products: its beginning, a link, its end. next: the file that continues the list; NULL: none does. */
void ctl_page_begin_list(cat_buffer_t *b, const ctl_page_site_t *site, const char *name);
void ctl_page_add_link(cat_buffer_t *b, const ctl_page_site_t *site, const ctl_page_t *page);
void ctl_page_end_list(cat_buffer_t *b, const ctl_page_site_t *site, const char *next);

#endif
