/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTML of the static pages. A product's page says in its head, for search engines and for programs that preview links, what it shows in
 * its body, for readers without JavaScript:
 *
 *     <title>, description     the name, the beginning of the description
 *     canonical, og:...        the address, the name, the first picture, the price
 *     application/ld+json      a Product of schema.org: offer, pictures, and the fields that schema.org names so, too
 *     <body>                   pictures, price, stock, description, fields, and a link to the product's page in the catalogue
 *
 * Each product is a frame in the export's buffer, whose texts end with NUL: the name of its file, its title, the page. The pages look as
 * those of www/ do, because they have the same style sheet.
 */
#include "ctl/page_text.h"

#include <stdarg.h>
#include <string.h>

#include <apr_escape.h>
#include <apr_strings.h>

#include "catalogue/store.h"
#include "http/uri.h"
#include "lib/id.h"
#include "lib/json.h"
#include "lib/text.h"
#include "lib/time.h"

#define NAME_MOST 60         /* characters of a file's name */
#define DESCRIPTION_MOST 160 /* characters that search engines show */
#define WIDTH_SHOWN "(max-width: 40rem) 100vw, 36rem"

struct ctl_page_words_t {
    const char *language;
    const char *in_stock, *sold_out, *yes, *no, *category, *rating, *all, *more, *open;
    char mark; /* of decimals */
};

const char *const ctl_page_languages[] = {"en", "de", NULL};

static const ctl_page_words_t words[] = {
    {"en", "In stock", "Sold out", "Yes", "No", "Category", "Rating, out of 5", "All products", "More products",
     "View it in the shop", '.'},
    {"de", "Auf Lager", "Ausverkauft", "Ja", "Nein", "Kategorie", "Bewertung, von 5", "Alle Produkte",
     "Weitere Produkte", "Im Shop ansehen", ','},
};

const ctl_page_words_t *ctl_page_words(int language)
{
    return &words[language];
}

/* A page as it is written. */
typedef struct writing_t {
    cat_buffer_t *b;
    apr_pool_t *pool;
    const ctl_page_site_t *site;
    const char *const *product;
    const json_t *images;       /* as answers have them; NULL: none */
    const char *address, *live; /* of this page and of the product's page in www/, escaped */
} writing_t;

static const char *escape(apr_pool_t *pool, const char *text)
{
    return apr_pescape_entity(pool, text, 0);
}

/* Texts, of which the last one is NULL. */
static void add_texts(cat_buffer_t *b, ...)
{
    va_list texts;

    va_start(texts, b);
    for (const char *text; (text = va_arg(texts, const char *));) {
        cat_buffer_add_text(b, text);
    }
    va_end(texts);
}

/* ---- the product ---- */

static const char *value_of(const writing_t *w, const char *name)
{
    const cat_fields_t *fields = w->site->fields;
    int field = cat_field_list_find(fields, name, strlen(name));

    return field < fields->count && fields->all[field].kind == CAT_STRING ? w->product[field] : NULL;
}

/* May it be a part of an address, and the name of a file? Not one that a file of ours has, nor the id of another product. */
static int is_name(const char *text)
{
    int characters = 0;

    for (const char *at = text; *at; at++) {
        if ((unsigned char)*at <= ' ' || *at == 0x7f || strchr("/\\._%?#:", *at)) {
            return 0;
        }
        characters += (*at & 0xc0) != 0x80;
    }
    return characters > 0 && characters <= NAME_MOST && strcmp(text, "index") != 0 && !cat_id_has_form(text);
}

/* Files are named by the field slug, if it is unique. www/assets/shop/head.js has the same rule. */
static const char *name_file(const writing_t *w)
{
    const cat_fields_t *fields = w->site->fields;
    int field = cat_field_list_find(fields, "slug", 4);
    const char *slug = field < fields->count && fields->all[field].flags & CAT_UNIQUE ? value_of(w, "slug") : NULL;

    return slug && is_name(slug) ? slug : w->product[CAT_PRODUCT_ID];
}

static const json_t *read_images(const writing_t *w)
{
    const cat_fields_t *fields = w->site->fields;
    int field = cat_product_images_find(fields);
    const char *why;
    cat_buffer_t text;

    if (field == fields->count || !w->product[field]) {
        return NULL;
    }
    cat_buffer_init(&text, w->pool, 1024);
    cat_fields_write_value(&text, &fields->all[field], w->product[field]);
    return cat_json_parse(w->pool, text.data, text.length, &why);
}

static const char *write_number(const writing_t *w, const char *number)
{
    char *text = apr_pstrdup(w->pool, number), *point = strchr(text, '.');

    if (point) {
        *point = w->site->words->mark;
    }
    return text;
}

/* 9.2 is 9.20; a whole number stays one, because not every currency has decimals. */
static const char *write_price(const writing_t *w)
{
    const char *number = w->product[CAT_PRODUCT_PRICE], *point = strchr(number, '.'), *currency = w->site->currency;
    const char *price = write_number(w, point && strlen(point) == 2 ? apr_pstrcat(w->pool, number, "0", NULL) : number);

    return currency ? apr_pstrcat(w->pool, price, " ", currency, NULL) : price;
}

static const char *describe(const writing_t *w)
{
    const char *text = value_of(w, "description"), *category = w->product[CAT_PRODUCT_CATEGORY];

    return text ? cat_text_shorten(w->pool, text, DESCRIPTION_MOST)
                : apr_pstrcat(w->pool, w->product[CAT_PRODUCT_NAME], category && *category ? ", " : "",
                              category ? category : "", ", ", write_price(w), NULL);
}

/* ---- the head ---- */

static void add_meta(const writing_t *w, const char *property, const char *content)
{
    if (content) {
        add_texts(w->b, "<meta property=\"", property, "\" content=\"", escape(w->pool, content), "\">\n", NULL);
    }
}

static const char *address_image(const writing_t *w, const json_t *image)
{
    return apr_pstrcat(w->pool, w->site->origin, json_string_value(json_object_get(image, "url")), NULL);
}

static void add_previews(const writing_t *w)
{
    const json_t *image = json_array_get(w->images, 0);

    add_meta(w, "og:type", "product");
    add_meta(w, "og:title", w->product[CAT_PRODUCT_NAME]);
    add_meta(w, "og:description", describe(w));
    add_meta(w, "og:site_name", w->site->brand);
    add_texts(w->b, "<meta property=\"og:url\" content=\"", w->address, "\">\n", NULL);
    if (image) {
        add_meta(w, "og:image", address_image(w, image));
        add_meta(w, "og:image:alt", json_string_value(json_object_get(image, "alt")));
    }
    if (w->site->currency) {
        add_meta(w, "product:price:amount", w->product[CAT_PRODUCT_PRICE]);
        add_meta(w, "product:price:currency", w->site->currency);
    }
}

static json_t *list_addresses(const writing_t *w)
{
    json_t *all = json_array();
    const json_t *image;
    size_t i;

    json_array_foreach (w->images, i, image) {
        json_array_append_new(all, json_string(address_image(w, image)));
    }
    return all;
}

static json_t *make_offer(const writing_t *w, const char *live)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "@type", "Offer", "url", live, "price", w->product[CAT_PRODUCT_PRICE],
                     "priceCurrency", w->site->currency, "availability",
                     *w->product[CAT_PRODUCT_IN_STOCK] == '1' ? "https://schema.org/InStock"
                                                              : "https://schema.org/OutOfStock");
}

/* Fields that schema.org has under the same name. */
static const char *const known[] = {"sku", "mpn", "gtin", "color", "material", NULL};

static json_t *make_data(const writing_t *w, const char *live)
{
    const char *category = w->product[CAT_PRODUCT_CATEGORY], *brand = value_of(w, "brand");
    json_t *data = json_pack("{s:s, s:s, s:s, s:s*, s:s*}", "@context", "https://schema.org", "@type", "Product",
                             "name", w->product[CAT_PRODUCT_NAME], "description", value_of(w, "description"),
                             "category", category && *category ? category : NULL);

    for (int i = 0; known[i]; i++) {
        if (value_of(w, known[i])) {
            json_object_set_new(data, known[i], json_string(value_of(w, known[i])));
        }
    }
    if (brand) {
        json_object_set_new(data, "brand", json_pack("{s:s, s:s}", "@type", "Brand", "name", brand));
    }
    if (w->images) {
        json_object_set_new(data, "image", list_addresses(w));
    }
    if (w->site->currency) {
        json_object_set_new(data, "offers", make_offer(w, live));
    }
    return cat_json_own(w->pool, data);
}

/* No text ends the element: "<" is written as an escape of JSON. */
static void add_data(const writing_t *w, const char *live)
{
    add_texts(w->b, "<script type=\"application/ld+json\">", NULL);
    for (const char *at = cat_json_text(w->pool, make_data(w, live)); *at; at++) {
        if (*at == '<' || *at == '>' || *at == '&') {
            cat_buffer_add_text(w->b, apr_psprintf(w->pool, "\\u00%02x", *at));
        } else {
            cat_buffer_add(w->b, at, 1);
        }
    }
    add_texts(w->b, "</script>\n", NULL);
}

/* title: escaped. */
static void begin_page(cat_buffer_t *b, const ctl_page_site_t *site, const char *title, const char *address)
{
    const char *brand = site->brand ? escape(b->pool, site->brand) : NULL;

    add_texts(b, "<!doctype html>\n<html lang=\"", site->words->language, "\">\n<head>\n<meta charset=\"utf-8\">\n",
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>", title,
              brand ? " · " : "", brand ? brand : "", "</title>\n<link rel=\"canonical\" href=\"", address,
              "\">\n<link rel=\"stylesheet\" href=\"", escape(b->pool, site->pages), "/assets/style.css\">\n", NULL);
}

/* more: classes of the content. */
static void begin_body(cat_buffer_t *b, const ctl_page_site_t *site, const char *more)
{
    add_texts(b, "</head>\n<body>\n<header class=\"top\"><div class=\"container\"><a class=\"brand\" href=\"",
              escape(b->pool, site->pages), "/\">",
              escape(b->pool, site->brand ? site->brand : cat_text_host(site->origin)),
              "</a></div></header>\n<main class=\"container", more, "\">\n", NULL);
}

static void end_page(cat_buffer_t *b)
{
    add_texts(b, "</main>\n</body>\n</html>\n", NULL);
}

/* ---- the body ---- */

static const char *list_sizes(const writing_t *w, const json_t *image)
{
    const char *text = "";
    const json_t *size;
    size_t i;

    json_array_foreach (json_object_get(image, "sizes"), i, size) {
        text = apr_psprintf(w->pool, "%s%s%s %dw", text, i ? ", " : "", address_image(w, size),
                            (int)json_integer_value(json_object_get(size, "width")));
    }
    return text;
}

static void add_image(const writing_t *w, const json_t *image, int is_first)
{
    const char *alt = json_string_value(json_object_get(image, "alt"));

    add_texts(w->b, "<p class=\"stage\"><img class=\"tile\" src=\"", escape(w->pool, address_image(w, image)),
              "\" srcset=\"", escape(w->pool, list_sizes(w, image)), "\" sizes=\"" WIDTH_SHOWN "\" width=\"",
              apr_itoa(w->pool, (int)json_integer_value(json_object_get(image, "width"))), "\" height=\"",
              apr_itoa(w->pool, (int)json_integer_value(json_object_get(image, "height"))), "\" alt=\"",
              escape(w->pool, alt && *alt ? alt : w->product[CAT_PRODUCT_NAME]),
              is_first ? "\"></p>\n" : "\" loading=\"lazy\"></p>\n", NULL);
}

static const char *write_list(const writing_t *w, const char *list)
{
    const char *text = "", *why;
    const json_t *item, *all = cat_json_parse(w->pool, list, strlen(list), &why);
    size_t i;

    json_array_foreach (all, i, item) {
        text = apr_pstrcat(w->pool, text, i ? ", " : "", json_string_value(item), NULL);
    }
    return text;
}

static const char *write_time(const writing_t *w, const char *milliseconds)
{
    char text[CAT_TIME_LENGTH + 1];

    cat_time_format(text, apr_strtoi64(milliseconds, NULL, 10));
    return apr_psprintf(w->pool, "%.10s %.5s UTC", text, text + 11);
}

/* The text of a value; NULL: it is not for people. */
static const char *write_value(const writing_t *w, const cat_field_t *field, const char *value)
{
    const ctl_page_words_t *own = w->site->words;

    switch (field->kind) {
    case CAT_STRING:
        return value;
    case CAT_NUMBER:
        return write_number(w, value);
    case CAT_BOOLEAN:
        return *value == '1' ? own->yes : own->no;
    case CAT_TIME:
        return field->flags & CAT_SERVER ? NULL : write_time(w, value);
    case CAT_LIST:
        return write_list(w, value);
    default:
        return NULL;
    }
}

static void add_fact(const writing_t *w, const char *label, const char *html)
{
    add_texts(w->b, "<dt>", escape(w->pool, label), "</dt><dd dir=\"auto\">", html, "</dd>\n", NULL);
}

static void add_own_fact(const writing_t *w, int field, int is_prose)
{
    const cat_own_field_t *own = w->site->fields->own[field];
    const char *value = w->product[field], *text = value ? write_value(w, &w->site->fields->all[field], value) : NULL,
               *html;

    if (!text || !*text || (strcmp(own->type, "text") == 0) != is_prose) {
        return;
    }
    html = escape(w->pool, text);
    if (is_prose) {
        html = apr_pstrcat(w->pool, "<p class=\"long-text\">", html, "</p>", NULL);
    } else if (!strcmp(own->type, "url")) {
        html = apr_pstrcat(w->pool, "<a href=\"", html, "\" rel=\"nofollow\">", html, "</a>", NULL);
    }
    add_fact(w, own->label ? own->label : w->site->fields->all[field].name, html);
}

static void add_facts(const writing_t *w)
{
    const char *category = w->product[CAT_PRODUCT_CATEGORY], *rating = w->product[CAT_PRODUCT_RATING];

    for (int is_prose = 1; is_prose >= 0; is_prose--) {
        add_texts(w->b, is_prose ? "<dl class=\"prose\">\n" : "<dl class=\"facts-list\">\n", NULL);
        if (!is_prose && category && *category) {
            add_fact(w, w->site->words->category, escape(w->pool, category));
        }
        if (!is_prose && rating) {
            add_fact(w, w->site->words->rating, write_number(w, rating));
        }
        for (int i = CAT_PRODUCT_FIELDS; i < w->site->fields->count; i++) {
            add_own_fact(w, i, is_prose);
        }
        add_texts(w->b, "</dl>\n", NULL);
    }
}

static void add_product(const writing_t *w)
{
    const ctl_page_words_t *own = w->site->words;
    const json_t *image;
    size_t i;

    add_texts(w->b, "<p class=\"crumb\"><a href=\"index.html\">", own->all, "</a></p>\n<article class=\"product\">\n",
              w->images ? "<div class=\"gallery\">\n" : "", NULL);
    json_array_foreach (w->images, i, image) {
        add_image(w, image, i == 0);
    }
    add_texts(w->b, w->images ? "</div>\n" : "", "<div class=\"about\">\n<h1 dir=\"auto\">",
              escape(w->pool, w->product[CAT_PRODUCT_NAME]), "</h1>\n<p class=\"price\">", write_price(w),
              "</p>\n<p class=\"facts\">",
              *w->product[CAT_PRODUCT_IN_STOCK] == '1' ? "<span class=\"stock\">" : "<span class=\"stock out\">",
              *w->product[CAT_PRODUCT_IN_STOCK] == '1' ? own->in_stock : own->sold_out,
              "</span></p>\n<p class=\"actions\"><a class=\"btn btn-primary\" href=\"", w->live, "\">", own->open,
              "</a></p>\n", NULL);
    add_facts(w);
    add_texts(w->b, "</div>\n</article>\n", NULL);
}

static void write_page(cat_buffer_t *b, const cat_export_style_t *style, const char *const *product, int)
{
    const ctl_page_site_t *site = style->baton;
    writing_t w = {.b = b, .pool = b->pool, .site = site, .product = product};
    const char *name = name_file(&w),
               *live = apr_pstrcat(b->pool, site->pages, "/product.html?id=", product[CAT_PRODUCT_ID], NULL);

    w.images = read_images(&w);
    w.address = ctl_page_address(b->pool, site, apr_pstrcat(b->pool, name, ".html", NULL));
    w.live = escape(b->pool, live);
    cat_buffer_add(b, name, strlen(name) + 1);
    cat_buffer_add(b, product[CAT_PRODUCT_NAME], strlen(product[CAT_PRODUCT_NAME]) + 1);
    begin_page(b, site, escape(b->pool, product[CAT_PRODUCT_NAME]), w.address);
    add_texts(b, "<meta name=\"description\" content=\"", escape(b->pool, describe(&w)), "\">\n", NULL);
    add_previews(&w);
    add_data(&w, live);
    begin_body(b, site, "");
    add_product(&w);
    end_page(b);
    CAT_BUFFER_LITERAL(b, "\0");
}

static void begin_nothing(cat_buffer_t *, const cat_export_style_t *)
{
}

static void end_nothing(cat_buffer_t *)
{
}

const cat_export_format_t ctl_page_format = {"html", "text/html", begin_nothing, write_page, end_nothing};

int ctl_page_next(const char **data, const char *end, ctl_page_t *page)
{
    if (*data == end) {
        return 0;
    }
    page->name = *data;
    page->title = page->name + strlen(page->name) + 1;
    page->text = page->title + strlen(page->title) + 1;
    *data = page->text + strlen(page->text) + 1;
    return 1;
}

/* ---- lists ---- */

const char *ctl_page_address(apr_pool_t *pool, const ctl_page_site_t *site, const char *name)
{
    return escape(pool, apr_pstrcat(pool, site->base, "/", cat_uri_encode_path(pool, name), NULL));
}

void ctl_page_begin_list(cat_buffer_t *b, const ctl_page_site_t *site, const char *name)
{
    begin_page(b, site, site->words->all, ctl_page_address(b->pool, site, name));
    begin_body(b, site, " reading");
    add_texts(b, "<h1>", site->words->all, "</h1>\n<ul>\n", NULL);
}

void ctl_page_add_link(cat_buffer_t *b, const ctl_page_site_t *site, const ctl_page_t *page)
{
    const char *name = apr_pstrcat(b->pool, page->name, ".html", NULL);

    add_texts(b, "<li><a href=\"", ctl_page_address(b->pool, site, name), "\" dir=\"auto\">",
              escape(b->pool, page->title), "</a></li>\n", NULL);
}

void ctl_page_end_list(cat_buffer_t *b, const ctl_page_site_t *site, const char *next)
{
    add_texts(b, "</ul>\n", NULL);
    if (next) {
        add_texts(b, "<p><a rel=\"next\" href=\"", next, "\">", site->words->more, "</a></p>\n", NULL);
    }
    end_page(b);
}
