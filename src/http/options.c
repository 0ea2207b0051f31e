/* SPDX-License-Identifier: Apache-2.0 */
#include "http/options.h"

#include <string.h>

static const char *list_words(apr_pool_t *pool, const char *const *words)
{
    cat_buffer_t b;

    cat_buffer_init(&b, pool, 64);
    cat_buffer_add_text(&b, "must be ");
    for (int i = 0; words[i]; i++) {
        cat_buffer_add_text(&b, !i ? "" : words[i + 1] ? ", " : " or ");
        cat_buffer_add_text(&b, words[i]);
    }
    return cat_buffer_text(&b);
}

static void choose_word(cat_parameters_t *p, cat_option_t *option, const char *value)
{
    int i = 0;

    while (option->words[i] && (!value || strcmp(option->words[i], value) != 0)) {
        i++;
    }
    if (option->words[i]) {
        option->chosen = i;
    } else {
        cat_parameters_add_error(p, option->name, "choice", list_words(p->pool, option->words));
    }
}

int cat_options_take(cat_parameters_t *p, cat_option_t *options, const cat_parameter_t *parameter)
{
    cat_option_t *option = options;

    while (option->name && strcmp(option->name, parameter->name) != 0) {
        option++;
    }
    if (!option->name) {
        return 0;
    }
    if (option->is_sent) {
        cat_parameters_add_repeated(p, option->name);
    } else {
        option->is_sent = 1;
        choose_word(p, option, parameter->value);
    }
    return 1;
}

void cat_options_describe(cat_describer_t *d, const cat_option_t *options)
{
    for (const cat_option_t *option = options; option->name; option++) {
        cat_description_add_parameter(d, option->name, option->about,
                                      cat_description_words(option->words, option->chosen),
                                      json_string(option->words[option->chosen]));
    }
}
