/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations on a semaphore, compared with a model. The first octet has the number of slots and the length of the queue. An operation
 * is an octet: acquire a slot, release one, or report a refusal. One thread runs all of them, with a timeout of zero, so a semaphore
 * without a free slot refuses, and its queue is empty again.
 */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "shm/semaphore.h"

#define SLOTS_MAX 4
#define QUEUE_MAX 4
#define INTERVAL apr_time_from_sec(10)

typedef struct model_t {
    int slots;
    int taken[SLOTS_MAX]; /* flags */
    apr_time_t now, reported;
    int unreported;
} model_t;

static int count_taken(const model_t *model)
{
    int count = 0;

    for (int i = 0; i < model->slots; i++) {
        count += model->taken[i];
    }
    return count;
}

static void enter(cat_semaphore_t *semaphore, model_t *model, unsigned party)
{
    static const char *const parties[] = {NULL, "192.0.2.1", "192.0.2.2", "2001:db8::"};
    int slot = -1;
    apr_status_t rv = cat_semaphore_enter(semaphore, parties[party % 4], 0, &slot);

    if (count_taken(model) == model->slots) {
        FUZZ_CHECK(rv == APR_EAGAIN);
        return;
    }
    FUZZ_CHECK(rv == APR_SUCCESS);
    FUZZ_CHECK(slot >= 0 && slot < model->slots && !model->taken[slot]);
    model->taken[slot] = 1;
}

static void leave(cat_semaphore_t *semaphore, model_t *model, unsigned number)
{
    int slot = (int)number % model->slots;

    if (model->taken[slot]) {
        cat_semaphore_leave(semaphore, slot);
        model->taken[slot] = 0;
    }
}

static void report(cat_semaphore_t *semaphore, model_t *model, unsigned seconds)
{
    char text[CAT_REPEATS_TEXT], expected[CAT_REPEATS_TEXT] = "";
    int is_due;

    model->now += apr_time_from_sec(seconds);
    is_due = !model->reported || model->now - model->reported >= INTERVAL;
    FUZZ_CHECK(cat_repeats_note(cat_semaphore_refusals(semaphore), model->now, text) == is_due);
    if (!is_due) {
        model->unreported++;
        return;
    }
    if (model->unreported) {
        snprintf(expected, sizeof(expected), ", and %d more in the last %d s", model->unreported,
                 (int)apr_time_sec(model->now - model->reported));
    }
    FUZZ_CHECK(!strcmp(text, expected));
    model->reported = model->now;
    model->unreported = 0;
}

void fuzz_one(apr_pool_t *pool, const uint8_t *data, size_t size)
{
    model_t model = {.slots = size ? 1 + data[0] % SLOTS_MAX : 1, .now = apr_time_from_sec(1000)};
    int queue = size ? data[0] / SLOTS_MAX % (QUEUE_MAX + 1) : 0;
    cat_semaphore_t *semaphore;

    queue = model.slots == 1 && queue == QUEUE_MAX ? CAT_SEMAPHORE_ANY : queue;
    FUZZ_CHECK(cat_semaphore_create(&semaphore, pool, &(cat_semaphore_size_t){model.slots, queue, 0}) == APR_SUCCESS);
    for (size_t i = 1; i < size; i++) {
        unsigned argument = data[i] >> 2;
        switch (data[i] % 4) {
        case 0:
        case 1:
            enter(semaphore, &model, argument);
            break;
        case 2:
            leave(semaphore, &model, argument);
            break;
        default:
            report(semaphore, &model, argument % 16);
        }
    }
    for (int i = 0; i < model.slots; i++) {
        leave(semaphore, &model, (unsigned)i); /* before its memory is freed */
    }
}
