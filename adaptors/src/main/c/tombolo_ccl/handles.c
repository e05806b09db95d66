// SPDX-License-Identifier: Apache-2.0
/* The table behind handles. Objects are copied out, so that nobody holds a pointer into it. */
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "ccl.h"

struct row {
  struct ccl_object object;
  uint32_t generation; /* odd while in use */
  uint32_t entered;
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

/* The index of a free row, making more if needed; row_count if there is no memory. */
static uint32_t free_row(void) {
  for (uint32_t i = 0; i < row_count; i++) {
    if (rows[i].generation % 2 == 0 && rows[i].entered == 0) {
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

static bool lookup(int64_t handle, struct ccl_object* object, bool remove, bool enter) {
  (void)pthread_mutex_lock(&lock);
  struct row* row = find(handle);
  if (row != NULL) {
    *object = row->object;
    row->generation += remove ? 1 : 0;
    row->entered += enter ? 1 : 0;
  }
  (void)pthread_mutex_unlock(&lock);
  return row != NULL;
}

bool handle_get(int64_t handle, struct ccl_object* object) { return lookup(handle, object, false, false); }

bool handle_enter(int64_t handle, struct ccl_object* object) { return lookup(handle, object, false, true); }

bool handle_take(int64_t handle, struct ccl_object* object) { return lookup(handle, object, true, false); }

/* A row that somebody has entered is given to nobody else, so its place is enough. */
void handle_leave(int64_t handle) {
  (void)pthread_mutex_lock(&lock);
  rows[(uint32_t)handle].entered--;
  (void)pthread_cond_broadcast(&left);
  (void)pthread_mutex_unlock(&lock);
}

bool handle_await_leaving(int64_t handle, int patience_ms) {
  uint32_t generation = (uint32_t)(handle >> 32) + 1; /* taken, and given to nobody since */
  struct timespec until;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += patience_ms / 1000;
  until.tv_nsec += patience_ms % 1000 * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  (void)pthread_mutex_lock(&lock);
  int waited = 0;
  uint32_t index = (uint32_t)handle;
  while (waited == 0 && rows[index].generation == generation && rows[index].entered > 0) {
    waited = pthread_cond_timedwait(&left, &lock, &until);
  }
  bool all_left = rows[index].generation != generation || rows[index].entered == 0;
  (void)pthread_mutex_unlock(&lock);
  return all_left;
}
