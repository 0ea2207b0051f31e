/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a child knows of a database file dies with it; this table, in memory that all children share, does not. It has a
 * word for each question, so no lock is needed, and an entry for each of 16 files. An entry is never given up: the search for one begins
 * where the hash of the path says, and ends at the first that has the hash or is free.
 *
 *     name  identity  has_schema     set once, by the first child that opens the file
 *     wal   index                    set anew when SQLite creates them: index last, and read first, so that an index which
 *                                    is known always has the WAL that belongs to it
 *     timeline                       of a cluster of PostgreSQL, which has an entry as a file has: only ever replaced by a newer one
 */
#include "db/sqlite/file_registry.h"

#include <string.h>

#include <apr_shm.h>

#include "lib/hash.h"
#include "shm/shared.h"

#define ENTRIES 16

/* In memory that the children share. name, identity and has_schema are written once. */
typedef struct entry_t {
    cat_shared_word_t name; /* hash of the path, or of the cluster; 0: free */
    cat_shared_word_t identity;
    cat_shared_word_t has_schema;
    cat_shared_word_t timeline;
    cat_shared_word_t wal, index; /* identities, which change: the index is written last and read first */
} entry_t;

struct cat_file_registry_t {
    entry_t *entries; /* ENTRIES of them */
};

apr_status_t cat_file_registry_create(cat_file_registry_t **registry, apr_pool_t *pool)
{
    apr_shm_t *shm;
    apr_status_t rv = apr_shm_create(&shm, ENTRIES * sizeof(entry_t), NULL, pool);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    *registry = apr_palloc(pool, sizeof(**registry));
    (*registry)->entries = apr_shm_baseaddr_get(shm);
    memset((*registry)->entries, 0, ENTRIES * sizeof(entry_t));
    return APR_SUCCESS;
}

/* Sets a word that is still 0. Returns whether it has the value now. */
static int claim_word(cat_shared_word_t *word, apr_uint64_t value)
{
    apr_uint64_t found = 0;

    return atomic_compare_exchange_strong_explicit(word, &found, value, memory_order_acq_rel, memory_order_acquire) ||
           found == value;
}

/* NULL: others have all entries. */
static entry_t *find_entry(const cat_file_registry_t *registry, apr_uint64_t name)
{
    for (int i = 0; i < ENTRIES; i++) {
        entry_t *entry = &registry->entries[(name + (apr_uint64_t)i) % ENTRIES];
        if (claim_word(&entry->name, name)) {
            return entry;
        }
    }
    return NULL;
}

static entry_t *find_file(const cat_file_registry_t *registry, const char *file)
{
    return find_entry(registry, cat_hash(file, strlen(file)));
}

int cat_file_registry_is_same_file(const cat_file_registry_t *registry, const cat_files_t *files)
{
    entry_t *entry = find_file(registry, files->paths[CAT_FILE_DATABASE]);

    return !entry || claim_word(&entry->identity, files->identities[CAT_FILE_DATABASE]);
}

int cat_file_registry_find_removed(const cat_file_registry_t *registry, const cat_files_t *files)
{
    entry_t *entry = find_file(registry, files->paths[CAT_FILE_DATABASE]);
    apr_uint64_t index = entry ? atomic_load_explicit(&entry->index, memory_order_acquire) : 0;
    int has_index = index == files->identities[CAT_FILE_INDEX], has_wal;

    if (!index) {
        return CAT_FILES;
    }
    has_wal = atomic_load_explicit(&entry->wal, memory_order_acquire) == files->identities[CAT_FILE_WAL];
    return has_index == has_wal ? CAT_FILES : has_index ? CAT_FILE_WAL : CAT_FILE_INDEX;
}

void cat_file_registry_note_wal(const cat_file_registry_t *registry, const cat_files_t *files)
{
    entry_t *entry = find_file(registry, files->paths[CAT_FILE_DATABASE]);

    if (entry) {
        atomic_store_explicit(&entry->wal, files->identities[CAT_FILE_WAL], memory_order_release);
        atomic_store_explicit(&entry->index, files->identities[CAT_FILE_INDEX], memory_order_release);
    }
}

void cat_file_registry_note_schema(const cat_file_registry_t *registry, const char *file)
{
    entry_t *entry = find_file(registry, file);

    if (entry) {
        atomic_store_explicit(&entry->has_schema, 1, memory_order_release);
    }
}

int cat_file_registry_had_schema(const cat_file_registry_t *registry, const char *file)
{
    entry_t *entry = find_file(registry, file);

    return entry && atomic_load_explicit(&entry->has_schema, memory_order_acquire);
}

apr_uint32_t cat_file_registry_note_timeline(const cat_file_registry_t *registry, apr_uint32_t cluster,
                                             apr_uint32_t timeline)
{
    entry_t *entry = find_entry(registry, cluster);
    apr_uint64_t known = entry ? cat_shared_acquire(&entry->timeline) : timeline;

    while (known < timeline) {
        if (atomic_compare_exchange_weak_explicit(&entry->timeline, &known, timeline, memory_order_acq_rel,
                                                  memory_order_acquire)) {
            return timeline;
        }
    }
    return (apr_uint32_t)known;
}
