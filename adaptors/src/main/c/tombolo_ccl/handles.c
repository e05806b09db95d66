// SPDX-License-Identifier: Apache-2.0
/* The table behind handles. Objects are copied out, so that nobody holds a pointer into it. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ccl.h"

enum {
  QUESTION_MS = 60000,
};

struct row {
  struct ccl_object object;
  uint32_t generation; /* odd while in use */
  uint32_t entered[USES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static struct row* rows;
static uint32_t row_count;

static struct row* find(int64_t handle) {
  uint32_t index = (uint32_t)handle;
  uint32_t generation = (uint32_t)(handle >> 32);
  return index < row_count && generation % 2 == 1 && rows[index].generation == generation ? &rows[index] : NULL;
}

static bool is_left(const struct row* row) { return row->entered[QUESTION] == 0 && row->entered[CALL] == 0; }

/* The index of a free row, making more if needed; row_count if there is no memory. */
static uint32_t free_row(void) {
  for (uint32_t i = 0; i < row_count; i++) {
    if (rows[i].generation % 2 == 0 && is_left(&rows[i])) {
      return i;
    }
  }
  uint32_t more = row_count + 16;
  struct row* grown = realloc(rows, more * sizeof *rows);
  if (grown == NULL) {
    return row_count;
  }
  rows = grown;
  for (uint32_t i = row_count; i < more; i++) {
    rows[i] = (struct row){.generation = 0};
  }
  uint32_t first = row_count;
  row_count = more;
  return first;
}

int64_t handle_new(const struct ccl_object* object) {
  (void)pthread_mutex_lock(&lock);
  int64_t handle = 0;
  uint32_t index = free_row();
  if (index < row_count) {
    rows[index].object = *object;
    rows[index].generation++;
    handle = (int64_t)((uint64_t)rows[index].generation << 32 | index);
  }
  (void)pthread_mutex_unlock(&lock);
  return handle;
}

/* Enters for `use`, unless that is USES. */
static bool lookup(int64_t handle, struct ccl_object* object, bool remove, enum ccl_use use) {
  (void)pthread_mutex_lock(&lock);
  struct row* row = find(handle);
  if (row != NULL) {
    *object = row->object;
    row->generation += remove ? 1 : 0;
    if (use != USES) {
      row->entered[use]++;
    }
  }
  (void)pthread_mutex_unlock(&lock);
  return row != NULL;
}

bool handle_get(int64_t handle, struct ccl_object* object) { return lookup(handle, object, false, USES); }

bool handle_enter(int64_t handle, enum ccl_use use, struct ccl_object* object) {
  return lookup(handle, object, false, use);
}

bool handle_take(int64_t handle, struct ccl_object* object) { return lookup(handle, object, true, USES); }

/* A row that somebody has entered is given to nobody else, so its place is enough. */
void handle_leave(int64_t handle, enum ccl_use use) {
  (void)pthread_mutex_lock(&lock);
  rows[(uint32_t)handle].entered[use]--;
  (void)pthread_cond_broadcast(&left);
  (void)pthread_mutex_unlock(&lock);
}

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
  const struct row* row = &rows[(uint32_t)handle];
  return row->generation == (uint32_t)(handle >> 32) + 1 && row->entered[use] > 0;
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
