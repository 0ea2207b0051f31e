/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_LIB_FIELDS_H
#define CAT_LIB_FIELDS_H

#include <apr_errno.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <jansson.h>

#include "lib/buffer.h"
#include "lib/conf.h"

/*
 * A resource's field table lists its fields; validation, the arguments of statements and the JSON derive from it.
 *
 * A record is an array of texts, one per row of the table, NULL for a field that is not set:
 *   CAT_STRING  the UTF-8 text        CAT_NUMBER  cat_number_format's text
 *   CAT_BOOLEAN "1" or "0"            CAT_TIME    milliseconds since the epoch, decimal
 *   CAT_LIST    a JSON array of strings, compact, without two that are equal
 *   CAT_VALUE   the compact JSON text of any value but null
 */
typedef enum { CAT_STRING, CAT_NUMBER, CAT_BOOLEAN, CAT_TIME, CAT_LIST, CAT_VALUE } cat_kind_t;

enum {
    CAT_REQUIRED = 1,   /* required when a record is created */
    CAT_CLEARABLE = 2,  /* null clears the value in an update, and counts as absent where a record is created */
    CAT_SERVER = 4,     /* set by the server: a client's value is ignored without being reported */
    CAT_SECRET = 8,     /* accepted, never written to an answer */
    CAT_VISIBLE = 16,   /* CAT_STRING: white space only is a fault */
    CAT_WHOLE = 32,     /* CAT_NUMBER: a fraction is a fault */
    CAT_EMBEDDED = 64,  /* CAT_STRING of the server's: a JSON object's text, written as the object */
    CAT_OPTIONAL = 128, /* of the server's: not every record has it */
    CAT_NULLABLE = 256, /* of the server's: null where it is not set */
    CAT_OPAQUE = 512,   /* CAT_STRING: a password, which is checked and read as lib/opaque.h prepares it */

    /* Of products: what a CatalogField line says (catalogue/product/own_fields.h). */
    CAT_OWN = 1 << 10,      /* a field of the shop's own: stored in the column extra */
    CAT_INDEXED = 1 << 11,  /* conditions and orders may use it */
    CAT_UNIQUE = 1 << 12,   /* no two products have the same value */
    CAT_SEARCHED = 1 << 13, /* q finds its words */
    CAT_FACET = 1 << 14,    /* its values are counted */
    CAT_DETAIL = 1 << 15,   /* lists leave it out unless the client names it */
    CAT_PRIVATE = 1 << 16,  /* only who may write products sees it */
    CAT_MODIFIED = 1 << 17, /* CAT_TIME of the server's: when the record was last changed */
    CAT_IMAGES = 1 << 18    /* CAT_VALUE: the product's pictures (catalogue/product/product_images.h) */
};

/* The form that all texts of a type have. */
typedef struct cat_text_form_t {
    const char *format;                      /* as JSON Schema has it */
    const char *(*refuse)(const char *text); /* Returns NULL or "must ..." */
    int is_compared;                         /* True if values of conditions must have the form, too */
    double (*measure)(
        const char *text); /* Returns the number by which texts of the form are compared and bounded. NULL if they
                                          * are compared folded and their bounds are numbers of characters */
    const char *(*write)(apr_pool_t *pool,
                         double measure); /* Returns the text that conditions and bounds have for a measure */
    const char *(*spell)(
        apr_pool_t *pool,
        const char *
            text); /* Returns the text as it is checked, stored and compared. NULL if that is the text as it was sent */
} cat_text_form_t;

/* A rule of texts, and how JSON Schema says it; or how a value is written. */
typedef struct cat_text_rule_t {
    const char *(*refuse)(const struct cat_text_rule_t *rule,
                          const char *text); /* NULL or "must ..."; NULL: only the server writes such texts */
    const char *format, *pattern;            /* as JSON Schema has them; NULL: none */
    const char *const *words;                /* the only texts; ends with NULL. NULL: there are others */
    const char *schema; /* the name of what the API's description says of it; NULL: said of each field */
    void (*write)(const struct cat_text_rule_t *rule, cat_buffer_t *b,
                  const char *text); /* CAT_VALUE: writes what answers have in its place; NULL: the text itself */
    const cat_text_form_t *form;     /* NULL if texts of any form follow the rule */
} cat_text_rule_t;

/* Returns the text as a field with the rule stores and compares it, on the pool. rule NULL: as it is. */
const char *cat_fields_spell(apr_pool_t *pool, const cat_text_rule_t *rule, const char *text);

/* Returns true if the texts of the rule are compared by their measure. rule NULL: false. */
int cat_fields_has_measure(const cat_text_rule_t *rule);

extern const cat_text_rule_t cat_fields_id; /* of ids (lib/id.h) */

typedef struct cat_field_t {
    const char *name;
    cat_kind_t kind;
    int flags;
    double least,
        most; /* CAT_STRING: characters, or the measure of the rule's form; CAT_NUMBER: value; CAT_LIST: texts */
    const char *absent;          /* default of a record text when a record is created; NULL: stays unset */
    const cat_text_rule_t *rule; /* a further rule for CAT_STRING; NULL: none */
    const char *about;   /* what it means, in a sentence without full stop, for /openapi.json; NULL: not of the API */
    const char *example; /* as JSON has it, texts and times without quotation marks; NULL likewise */
} cat_field_t;

#define CAT_FIELDS_LIST_MAX 32       /* texts of a CAT_LIST */
#define CAT_FIELDS_LIST_TEXT_MAX 100 /* characters of such a text, which has at least one */
#define CAT_FIELDS_VALUE_MAX 16384   /* octets of a CAT_VALUE's text */

/* A field table. */
struct cat_fields_t {
    const cat_field_t *all;
    int count;
    const struct cat_own_field_t *const *own; /* by field: the rest of a CatalogField line; NULL: no field has any */
};

/* Why a value is refused; code NULL: it is not. */
typedef struct cat_field_fault_t {
    const char *code, *message;
} cat_field_fault_t;

extern const cat_field_fault_t cat_fields_no_fault;

typedef enum { CAT_CREATE, CAT_UPDATE } cat_purpose_t;

/* The result of a check. */
typedef struct cat_input_t {
    const cat_field_t *fields; /* the table that it was checked against */
    int count;
    const char **values;    /* one per field; NULL: not given, or cleared */
    unsigned char *cleared; /* one per field: null was given for a CAT_CLEARABLE field */
    int *made; /* by field, which attempt made it of others (catalogue/product/own_slug.h); NULL: none is */
    int given; /* number of fields given that a client may set */
    const json_t **patches; /* One per field: the merge patch for its stored value, or NULL. NULL if no field has one */
    const char *hidden; /* the column extra whose members without a field replace those that are there; NULL: none */
    json_t *errors;     /* array of {field, code, message} in the table's order, other names last; NULL: none */
    apr_array_header_t *ignored; /* const char *: names of unknown fields, in the body's order; may be empty */
} cat_input_t;

/* Most unknown fields that are named: more would not help, and could make the answer longer than the request. */
#define CAT_FIELDS_UNKNOWN_MAX 20

/*
 * Checks a JSON value against the table and reports every fault at once. strict: an unknown field is a fault (code
 * "unknown"); the first CAT_FIELDS_UNKNOWN_MAX are named, here or in ignored. Codes: required, type, null, too_short,
 * too_long, too_small, too_large, too_many, duplicate, precision, blank, format, unknown; a body that is not an object is one fault of field "" and code
 * "type". A CAT_VISIBLE string of (ASCII) white space only is "blank". A valid body leaves input->errors NULL.
 * Of a CAT_OWN field that may be cleared, "" and [] clear it, as null does: a text without a rule and a least length, and a list.
 * Everything lives on the pool.
 */
void cat_fields_check(apr_pool_t *pool, const cat_field_t *fields, int count, cat_purpose_t purpose, int strict,
                      const json_t *body, cat_input_t *input);

/* Checks a JSON value that is not null, as cat_fields_check does, and turns it into a record's text, on the pool. */
cat_field_fault_t cat_fields_read_value(apr_pool_t *pool, const cat_field_t *field, const json_t *value,
                                        const char **text);

/* Is the text of a CAT_STRING as long as the row says? Codes: too_short, too_long. */
cat_field_fault_t cat_fields_check_length(apr_pool_t *pool, const cat_field_t *field, const char *text);

/* A fault as answers have it, {field, code, message}: a new reference. NULL: one of the texts is not UTF-8. */
json_t *cat_fields_make_error(const char *field, const char *code, const char *message);

/* Adds a fault to input->errors, in the table's order, for rules that need more than one field or the database. */
void cat_fields_add_error(apr_pool_t *pool, cat_input_t *input, const char *field, const char *code,
                          const char *message);

/* The faults in one sentence for the field `error`: "name is required; price must be at least 0". On the pool. */
const char *cat_fields_summary(apr_pool_t *pool, const json_t *errors);

/* Writes a record as a JSON object in the table's order: fields that are set or CAT_NULLABLE, nothing CAT_SECRET. */
void cat_fields_write(cat_buffer_t *b, const cat_field_t *fields, int count, const char *const *values);

/* Adds a value of the field, as cat_fields_write does. */
void cat_fields_write_value(cat_buffer_t *b, const cat_field_t *field, const char *value);

/* The same as a text, on the pool. */
const char *cat_fields_value_text(apr_pool_t *pool, const cat_field_t *field, const char *value);

/* Is it a number without a fraction? 1e3, 1000.0 and 1000 are one number. */
int cat_fields_is_whole(const json_t *value);

#endif
