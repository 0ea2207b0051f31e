/* SPDX-License-Identifier: Apache-2.0 */
#include "http/options.h"

#include <string.h>

#include <apr_strings.h>

#include "lib/text.h"

static void choose_word(cat_parameters_t *p, cat_option_t *option, const char *value)
{
    int which = cat_text_find(option->words, value ? value : "");

    if (option->words[which]) {
        option->chosen = which;
    } else {
        cat_parameters_add_error(p, option->name, "choice",
                                 apr_pstrcat(p->pool, "must be ", cat_text_join(p->pool, option->words), NULL));
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
