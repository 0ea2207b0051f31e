/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAT_SHM_GENERATIONS_H
#define CAT_SHM_GENERATIONS_H

#include <apr.h>
#include <apr_time.h>

/*
 * Whether what was read from a database is still what it holds, in memory that all children of a server share. Nobody takes
 * a lock, and who dies leaves nothing that the next one takes for true.
 *
 * A ticket is drawn before the rows are read, and what is made of them is good for as long as a ticket for the same thing
 * would be the same. A write marks what it changed after its commit and before it is acknowledged.
 */
typedef struct cat_generations_t cat_generations_t; /* of one database */

typedef struct cat_ticket_t {
    apr_uint64_t epoch, generation;
} cat_ticket_t;

/* Octets of shared memory that all databases need together; zeroed. */
apr_size_t cat_generations_size(void);

/* The database's own, by its name. One process at a time; NULL: there is no room for so many. */
cat_generations_t *cat_generations_find(void *memory, const char *name);

/* id: a product's; NULL: the lists'. Ids share 32,768 generations. */
cat_ticket_t cat_generations_draw(const cat_generations_t *fresh, const char *id);

/* The product is another one now, or gone, and so are all lists. NULL: only the lists, by a product that is new. */
void cat_generations_mark(cat_generations_t *fresh, const char *id);

/* What happened to the database is unknown: no ticket that was drawn before is good any more. */
void cat_generations_forget(cat_generations_t *fresh);

/*
 * Where the database itself tells its state, a number that each commit changes, others may write to it too. `seen` is the
 * state up to which all commits are ours and have marked what they changed. Tickets count while it is the database's.
 *
 * A reader loads it, then asks the database. If they differ, _settle decides whether one of us has just committed and is
 * about to say so (0), or somebody else wrote: then all tickets become void, and the state is seen (1; 0: it changed again).
 */
apr_uint64_t cat_generations_seen(const cat_generations_t *fresh);
int cat_generations_settle(cat_generations_t *fresh, apr_uint64_t seen, apr_uint64_t state);

/* A writer: the state before, when nobody else can write; just before its commit; and after it, when it has marked what it
 * changed. after: the state that its commit alone made of before, or before again where it is not known to be that. */
void cat_generations_begin(cat_generations_t *fresh, apr_uint64_t before);
void cat_generations_commit(cat_generations_t *fresh);
void cat_generations_end(cat_generations_t *fresh, apr_uint64_t before, apr_uint64_t after);

#endif
