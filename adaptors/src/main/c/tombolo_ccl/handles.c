// SPDX-License-Identifier: Apache-2.0
/*
 * The table behind handles. Objects are copied out, so that nobody holds a pointer into it.
 *
 * Every call of a library goes through here, so who enters and leaves takes no lock: a row is one word that says at once
 * whose it is and how many are inside. The word changes as a whole, so nobody enters a row of another generation, not even
 * for a moment; and a row's object is written only while its generation is even and nobody is inside. The lock is for who
 * makes handles and for who waits, and only a row that was taken has somebody who waits.
 *
 * Orders: who finds a generation in use reads the object that was written before it (release by handle_new, acquire by
 * who enters), and who finds a row left may write its object, or free what it stands for, after all readings of it
 * (release by who leaves, acquire by handle_new and by who waits; each later change of the word goes on with the release).
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "../shared/blocks.h"
#include "ccl.h"

enum {
  QUESTION_MS = 60000,
  COUNT_BITS = 16,
  MOST_INSIDE = (1 << COUNT_BITS) - 1, /* for one use at a time */
  GENERATION_BIT = USES * COUNT_BITS,
};

struct row {
  struct ccl_object object;
  _Atomic uint64_t state; /* the generation, which is odd while in use, and how many are inside for each use */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static struct blocks rows = {.entry_bytes = sizeof(struct row)};

static uint32_t generation_of(uint64_t state) { return (uint32_t)(state >> GENERATION_BIT); }

static bool is_in_use(uint64_t state) { return generation_of(state) % 2 == 1; }

static uint64_t one(enum ccl_use use) { return (uint64_t)1 << (unsigned)use * COUNT_BITS; }

static uint32_t inside(uint64_t state, enum ccl_use use) {
  return (uint32_t)(state >> (unsigned)use * COUNT_BITS) & MOST_INSIDE;
}

/* NULL: there are not so many. */
static struct row* row_at(uint32_t index) { return blocks_find(&rows, index); }

/* A row that is nobody's, making more if needed; NULL if there is no memory. With the lock. */
static struct row* free_row(uint32_t* index) {
  for (uint32_t i = 0;; i++) {
    struct row* row = blocks_make(&rows, i);
    if (row == NULL) {
      return NULL;
    }
    uint64_t state = atomic_load_explicit(&row->state, memory_order_acquire);
    if (!is_in_use(state) && inside(state, QUESTION) == 0 && inside(state, CALL) == 0) {
      *index = i;
      return row;
    }
  }
}

int64_t handle_new(const struct ccl_object* object) {
  (void)pthread_mutex_lock(&lock);
  int64_t handle = 0;
  uint32_t index;
  struct row* row = free_row(&index);
  if (row != NULL) {
    row->object = *object;
    /* Nobody else changes a row that is nobody's. */
    uint32_t generation = generation_of(atomic_load_explicit(&row->state, memory_order_relaxed)) + 1;
    atomic_store_explicit(&row->state, (uint64_t)generation << GENERATION_BIT, memory_order_release);
    handle = (int64_t)((uint64_t)generation << 32 | index);
  }
  (void)pthread_mutex_unlock(&lock);
  return handle;
}

/* Enters the handle's row for `use`, and takes it if `generations` is 1; NULL: it is not the handle's any more. */
static struct row* come_in(int64_t handle, enum ccl_use use, uint64_t generations) {
  uint32_t generation = (uint32_t)(handle >> 32);
  struct row* row = generation % 2 == 1 ? row_at((uint32_t)handle) : NULL;
  if (row == NULL) {
    return NULL;
  }
  uint64_t state = atomic_load_explicit(&row->state, memory_order_relaxed);
  while (generation_of(state) == generation) {
    if (inside(state, use) == MOST_INSIDE) { /* one more would change the other counts */
      (void)sched_yield();
      state = atomic_load_explicit(&row->state, memory_order_relaxed);
      continue;
    }
    uint64_t next = state + one(use) + (generations << GENERATION_BIT);
    if (atomic_compare_exchange_weak_explicit(&row->state, &state, next, memory_order_acquire, memory_order_relaxed)) {
      return row;
    }
  }
  return NULL;
}

/* Who waits looks at the row with the lock, so it sees that one has left, or it is waiting when it is told. */
static void go_out(struct row* row, enum ccl_use use) {
  uint64_t before = atomic_fetch_sub_explicit(&row->state, one(use), memory_order_release);
  if (!is_in_use(before)) {
    (void)pthread_mutex_lock(&lock);
    (void)pthread_cond_broadcast(&left);
    (void)pthread_mutex_unlock(&lock);
  }
}

bool handle_enter(int64_t handle, enum ccl_use use, struct ccl_object* object) {
  const struct row* row = come_in(handle, use, 0);
  if (row != NULL) {
    *object = row->object;
  }
  return row != NULL;
}

/* A row that somebody has entered is given to nobody else, so its place is enough. */
void handle_leave(int64_t handle, enum ccl_use use) { go_out(row_at((uint32_t)handle), use); }

/* Whoever copies an object is inside meanwhile, so that the row is given to nobody under the copy. */
static bool copy_out(int64_t handle, uint64_t generations, struct ccl_object* object) {
  struct row* row = come_in(handle, QUESTION, generations);
  if (row != NULL) {
    *object = row->object;
    go_out(row, QUESTION);
  }
  return row != NULL;
}

bool handle_get(int64_t handle, struct ccl_object* object) { return copy_out(handle, 0, object); }

bool handle_take(int64_t handle, struct ccl_object* object) { return copy_out(handle, 1, object); }

static struct timespec from_now(int ms) {
  struct timespec until;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += ms / 1000;
  until.tv_nsec += ms % 1000 * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  return until;
}

/* Whether somebody is in the row, which was taken, for `use`. Nobody gets a row that somebody is in. */
static bool is_inside(int64_t handle, enum ccl_use use) {
  uint64_t state = atomic_load_explicit(&row_at((uint32_t)handle)->state, memory_order_acquire);
  return generation_of(state) == (uint32_t)(handle >> 32) + 1 && inside(state, use) > 0;
}

static void await_leaving(int64_t handle, enum ccl_use use, int patience_ms) {
  struct timespec until = from_now(patience_ms);
  int waited = 0;
  while (waited == 0 && is_inside(handle, use)) {
    waited = pthread_cond_timedwait(&left, &lock, &until);
  }
}

bool handle_await_leaving(int64_t handle, int patience_ms) {
  (void)pthread_mutex_lock(&lock);
  await_leaving(handle, QUESTION, QUESTION_MS);
  await_leaving(handle, CALL, patience_ms);
  bool all_left = !is_inside(handle, CALL);
  (void)pthread_mutex_unlock(&lock);
  return all_left;
}
