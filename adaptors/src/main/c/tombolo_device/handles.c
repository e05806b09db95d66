// SPDX-License-Identifier: Apache-2.0
/*
 * The table behind handles. Things are copied out, so that nobody holds a pointer into it.
 *
 * Every call of a runtime goes through here, on callers' threads and the agent's at once, so who reads takes no lock and
 * writes nothing: it copies the thing, and looks whether the row is of the same generation still.
 *
 * Orders: who finds a generation reads what was written before it, or later things (release by handle_new, acquire by
 * handle_get). Who has read a word of a later thing finds that the generation has gone on, as that had when the word was
 * written: by handle_take before handle_new, which the lock orders (release by handle_new for each word, acquire by
 * handle_get, for each word too). So words that are all found under one generation are of its thing.
 */
#include "handles.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../shared/blocks.h"

enum { WORDS = sizeof(thing) / sizeof(uint64_t) };

_Static_assert(sizeof(thing) % sizeof(uint64_t) == 0, "a thing is copied in words");

/* On cache lines of its own: who reads one does not wait for who writes the next. */
struct row {
  _Alignas(64) _Atomic uint32_t generation; /* odd while in use */
  uint32_t next_free;          /* with the lock: the index + 1 of the next row that is nobody's */
  _Atomic uint64_t words[WORDS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for who changes the table */
static struct blocks rows = {.entry_bytes = sizeof(struct row)};
static uint32_t made;       /* rows so far */
static uint32_t first_free; /* the index + 1 */

/* A row that is nobody's, making one if needed; NULL if there is no memory. With the lock. */
static struct row* free_row(uint32_t* index) {
  if (first_free != 0) {
    *index = first_free - 1;
    struct row* row = blocks_find(&rows, *index);
    first_free = row->next_free;
    return row;
  }
  struct row* row = blocks_make(&rows, made);
  if (row != NULL) {
    *index = made++;
  }
  return row;
}

/* Nobody else changes a row that is nobody's. */
static uint32_t fill(struct row* row, const thing* with) {
  uint64_t words[WORDS];
  (void)memcpy(words, with, sizeof words);
  for (int i = 0; i < WORDS; i++) {
    atomic_store_explicit(&row->words[i], words[i], memory_order_release);
  }
  uint32_t generation = atomic_load_explicit(&row->generation, memory_order_relaxed) + 1;
  atomic_store_explicit(&row->generation, generation, memory_order_release);
  return generation;
}

jlong handle_new(const thing* with) {
  jlong handle = 0;
  (void)pthread_mutex_lock(&lock);
  uint32_t index;
  struct row* row = free_row(&index);
  if (row != NULL) {
    handle = (jlong)((uint64_t)fill(row, with) << 32 | index);
  }
  (void)pthread_mutex_unlock(&lock);
  return handle;
}

static uint32_t generation_of(jlong handle) { return (uint32_t)((uint64_t)handle >> 32); }

/* The row that the handle names; NULL: it never was one. */
static struct row* row_of(jlong handle) {
  return generation_of(handle) % 2 == 1 ? blocks_find(&rows, (uint32_t)handle) : NULL;
}

bool handle_get(jlong handle, thing* found) {
  struct row* row = row_of(handle);
  if (row == NULL || atomic_load_explicit(&row->generation, memory_order_acquire) != generation_of(handle)) {
    return false;
  }
  uint64_t words[WORDS];
  for (int i = 0; i < WORDS; i++) {
    words[i] = atomic_load_explicit(&row->words[i], memory_order_acquire);
  }
  if (atomic_load_explicit(&row->generation, memory_order_relaxed) != generation_of(handle)) {
    return false;
  }
  (void)memcpy(found, words, sizeof words);
  return true;
}

/* The generation goes on before the row is anybody's to fill. */
bool handle_take(jlong handle, thing* found) {
  uint32_t generation = generation_of(handle);
  if (!handle_get(handle, found)) {
    return false;
  }
  struct row* row = row_of(handle);
  if (!atomic_compare_exchange_strong_explicit(&row->generation, &generation, generation + 1, memory_order_relaxed,
                                               memory_order_relaxed)) {
    return false; /* another one has it */
  }
  (void)pthread_mutex_lock(&lock);
  row->next_free = first_free;
  first_free = (uint32_t)handle + 1;
  (void)pthread_mutex_unlock(&lock);
  return true;
}
