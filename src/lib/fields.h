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
 * A resource lists its fields in a field table. Validation, the arguments of statements and the JSON are derived from
 * the table.
 *
 * A record is an array of texts, one per field of the table. The text is NULL if the field is not set. Otherwise it
 * depends on the kind:
 *     CAT_STRING  the UTF-8 text
 *     CAT_NUMBER  the text that cat_number_format returns
 *     CAT_BOOLEAN "1" or "0"
 *     CAT_TIME    milliseconds since the epoch, decimal
 *     CAT_LIST    a JSON array of different strings, compact
 *     CAT_VALUE   the compact JSON text of any value but null
 */
typedef enum { CAT_STRING, CAT_NUMBER, CAT_BOOLEAN, CAT_TIME, CAT_LIST, CAT_VALUE } cat_kind_t;

enum {
    CAT_REQUIRED = 1,   /* required when a record is created */
    CAT_CLEARABLE = 2,  /* null clears the value in an update, and counts as absent when a record is created */
    CAT_SERVER = 4,     /* set by the server; a client's value is ignored without being reported */
    CAT_SECRET = 8,     /* accepted from clients, never written to an answer */
    CAT_VISIBLE = 16,   /* CAT_STRING: only white space is a fault */
    CAT_WHOLE = 32,     /* CAT_NUMBER: a fraction is a fault */
    CAT_EMBEDDED = 64,  /* CAT_STRING set by the server: the text of a JSON object, written as the object */
    CAT_OPTIONAL = 128, /* field set by the server that some records do not have */
    CAT_NULLABLE = 256, /* field set by the server that is written as null if it is not set */
    CAT_OPAQUE = 512,   /* CAT_STRING: a password, prepared by lib/opaque.h before it is checked */

    /* The flags below are for products. They derive from CatalogField (catalogue/product/own_fields.h). */
    CAT_OWN = 1 << 10,      /* field defined by a CatalogField directive, stored in the column extra */
    CAT_INDEXED = 1 << 11,  /* conditions and orders may use the field */
    CAT_UNIQUE = 1 << 12,   /* no two products have the same value */
    CAT_SEARCHED = 1 << 13, /* the search parameter q finds the words of the field */
    CAT_FACET = 1 << 14,    /* facets count the values of the field */
    CAT_DETAIL = 1 << 15,   /* lists omit the field unless the client names it */
    CAT_PRIVATE = 1 << 16,  /* only users who may write products see the field */
    CAT_MODIFIED = 1 << 17, /* CAT_TIME set by the server: time of the last change of the record */
    CAT_IMAGES = 1 << 18    /* CAT_VALUE: pictures of the product (catalogue/product/product_images.h) */
};

/* Syntax that all texts of a type have. */
typedef struct cat_text_form_t {
    const char *format; /* value of "format" in JSON Schema */
    /* Returns NULL if the text is valid, otherwise a message that begins with "must". */
    const char *(*refuse)(const char *text);
    /* True if values in conditions must have the syntax, too. */
    int is_compared;
    /* Returns the number by which texts are compared and bounded. NULL if texts are compared in folded form and bounds
     * are numbers of characters. */
    double (*measure)(const char *text);
    /* Returns the text of a measure, for conditions and bounds. */
    const char *(*write)(apr_pool_t *pool, double measure);
    /* Returns the canonical text, which is checked, stored and compared. NULL if texts are used as sent. */
    const char *(*spell)(apr_pool_t *pool, const char *text);
} cat_text_form_t;

/* A rule for the texts of a field, with its expression in JSON Schema. For CAT_VALUE, how the value is written. */
typedef struct cat_text_rule_t {
    /* Returns NULL if the text is valid, otherwise a message that begins with "must". NULL if only the server writes
     * such texts. */
    const char *(*refuse)(const struct cat_text_rule_t *rule, const char *text);
    /* Values of the keywords in JSON Schema; NULL if none. */
    const char *format, *pattern;
    /* Allowed texts, NULL-terminated; NULL if other texts are allowed. */
    const char *const *words;
    /* Name of a shared schema in the API description; NULL if each field has its own. */
    const char *schema;
    /* CAT_VALUE: writes the value for answers; NULL if answers have the stored text */
    void (*write)(const struct cat_text_rule_t *rule, cat_buffer_t *b, const char *text);
    /* NULL if the rule does not require a form */
    const cat_text_form_t *form;
} cat_text_rule_t;

/* Returns the canonical text of a field with this rule, on the pool. Returns `text` if `rule` is NULL or has no
 * canonical form. */
const char *cat_fields_spell(apr_pool_t *pool, const cat_text_rule_t *rule, const char *text);

/* Returns true if texts are compared by the measure of the rule's form. `rule` may be NULL. */
int cat_fields_has_measure(const cat_text_rule_t *rule);

extern const cat_text_rule_t cat_fields_id; /* rule for ids (lib/id.h) */

typedef struct cat_field_t {
    const char *name;
    cat_kind_t kind;
    int flags;
    /* Bounds, inclusive: of the value for CAT_NUMBER, of the number of characters or the form's measure for CAT_STRING,
     * of the number of texts for CAT_LIST. */
    double least, most;
    /* Text for a record that is created without the field; NULL leaves the field unset. */
    const char *absent;
    /* Rule for a CAT_STRING, or the writer of a CAT_VALUE; NULL if none. */
    const cat_text_rule_t *rule;
    /* Meaning of the field for /openapi.json, a sentence without full stop; NULL if the API does not have the field. */
    const char *about;
    /* Example in JSON, texts and times without quotation marks; NULL if `about` is NULL. */
    const char *example;
} cat_field_t;

#define CAT_FIELDS_LIST_MAX 32       /* texts in a CAT_LIST */
#define CAT_FIELDS_LIST_TEXT_MAX 100 /* characters of such a text; the minimum is 1 */
#define CAT_FIELDS_VALUE_MAX 16384   /* bytes of the text of a CAT_VALUE */

/* A field table. */
struct cat_fields_t {
    const cat_field_t *all;
    int count;
    /* Further settings from CatalogField, by field index; NULL if no field has any. */
    const struct cat_own_field_t *const *own;
};

/* Reason why a value is refused. `code` is NULL if the value is valid. */
typedef struct cat_field_fault_t {
    const char *code, *message;
} cat_field_fault_t;

extern const cat_field_fault_t cat_fields_no_fault;

typedef enum { CAT_CREATE, CAT_UPDATE } cat_purpose_t;

/* Result of cat_fields_check. */
typedef struct cat_input_t {
    const cat_field_t *fields; /* table that the body was checked against */
    int count;
    const char **values;    /* one text per field; NULL if the field was not given, or was cleared */
    unsigned char *cleared; /* one flag per field: true if null was given for a CAT_CLEARABLE field */
    /* By field index: number of the attempt that derived the value from other fields (catalogue/product/own_slug.h), or
     * 0. NULL if no value is derived. */
    int *made;
    int given; /* number of fields in the body that a client may set */
    /* One merge patch per field for its stored value, or NULL; the array is NULL if no field has one. */
    const json_t **patches;
    /* Text of the column extra: replaces the stored members that have no field; NULL if none. */
    const char *hidden;
    /* Array of {field, code, message} in the table's order, other names last; NULL if the body is valid. */
    json_t *errors;
    /* Names (const char *) of unknown fields, in the body's order; may be empty. */
    apr_array_header_t *ignored;
} cat_input_t;

/* Largest number of unknown fields that are reported. Without a limit, the answer could be longer than the request. */
#define CAT_FIELDS_UNKNOWN_MAX 20

/*
 * Checks a JSON value against the table and reports every fault at once. Everything is on the pool. input->errors is
 * NULL if the body is valid.
 *
 * The codes of faults are required, type, null, too_short, too_long, too_small, too_large, too_many, duplicate,
 * precision, blank, format and unknown. A body that is not an object has one fault of the field "" with the code
 * "type". A CAT_VISIBLE string that consists of ASCII white space is "blank".
 *
 * If `strict` is true, an unknown field is a fault ("unknown"); otherwise its name is added to input->ignored. Only the
 * first CAT_FIELDS_UNKNOWN_MAX unknown fields are reported in either way.
 *
 * null clears a CAT_CLEARABLE field. If the field is also CAT_OWN, "" clears a text that has no rule and no minimum
 * length, and [] clears a list.
 */
void cat_fields_check(apr_pool_t *pool, const cat_field_t *fields, int count, cat_purpose_t purpose, int strict,
                      const json_t *body, cat_input_t *input);

/* Checks a JSON value other than null as cat_fields_check does, and sets *text to the record's text, on the pool. */
cat_field_fault_t cat_fields_read_value(apr_pool_t *pool, const cat_field_t *field, const json_t *value,
                                        const char **text);

/* Checks the number of characters of a CAT_STRING against the field's bounds. The codes are too_short and too_long. */
cat_field_fault_t cat_fields_check_length(apr_pool_t *pool, const cat_field_t *field, const char *text);

/* Returns a fault as answers have it, {field, code, message}, as a new reference. Returns NULL if one of the texts is
 * not UTF-8. */
json_t *cat_fields_make_error(const char *field, const char *code, const char *message);

/* Adds a fault to input->errors in the table's order, for rules that need several fields or the database. */
void cat_fields_add_error(apr_pool_t *pool, cat_input_t *input, const char *field, const char *code,
                          const char *message);

/* Returns all faults as one sentence for the member `error`, on the pool: "name is required; price must be at least
 * 0". */
const char *cat_fields_summary(apr_pool_t *pool, const json_t *errors);

/* Writes a record as a JSON object in the table's order. Omits fields that are CAT_SECRET, and fields that are not set
 * unless they are CAT_NULLABLE. */
void cat_fields_write(cat_buffer_t *b, const cat_field_t *fields, int count, const char *const *values);

/* Writes the JSON of one value, as cat_fields_write does. */
void cat_fields_write_value(cat_buffer_t *b, const cat_field_t *field, const char *value);

/* Returns the JSON of one value as a text on the pool. */
const char *cat_fields_value_text(apr_pool_t *pool, const cat_field_t *field, const char *value);

/* Returns true if the value is a number without a fraction, however it is written: 1e3, 1000.0 or 1000. */
int cat_fields_is_whole(const json_t *value);

#endif
