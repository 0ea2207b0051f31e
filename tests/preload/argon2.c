/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argon2_ctx(), preloaded into httpd and catalogctl for tests that are not about passwords: a hash with the costs of new passwords takes a
 * few microseconds of processor time instead of 20 ms. Hashes with other costs, which other programs have made, are compared as they are.
 * Files under t/ that measure hashes, or need that one takes its time, are marked "# hashes: real".
 */
#include <dlfcn.h>

#include <argon2.h>

#include "accounts/password_hash.h"

int argon2_ctx(argon2_context *context, argon2_type type)
{
    int (*hash)(argon2_context *, argon2_type) = (int (*)(argon2_context *, argon2_type))dlsym(RTLD_NEXT, "argon2_ctx");

    if (context->m_cost == CAT_PASSWORD_MEMORY && context->t_cost == CAT_PASSWORD_PASSES) {
        context->m_cost = 8 * context->lanes;
        context->t_cost = 1;
    }
    return hash(context, type);
}
