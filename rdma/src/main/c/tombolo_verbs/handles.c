// SPDX-License-Identifier: Apache-2.0
#include "handles.h"

#include <errno.h>
#include <pthread.h>

enum { INDEX_BITS = 18, MOST = 1 << INDEX_BITS, GENERATION_MASK = 0x7fffffff };

/* Untouched pages of it cost nothing. */
static handle_entry entries[MOST];
static uint32_t next_free[MOST];
static uint32_t first_free; /* index + 1; 0 for none */
static uint32_t never_used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t name_of(uint32_t index) {
  return (int64_t)(entries[index].generation & GENERATION_MASK) << 32 | index;
}

static int take_index(uint32_t* index) {
  if (first_free != 0) {
    *index = first_free - 1;
    first_free = next_free[*index];
    return 1;
  }
  *index = never_used;
  return never_used < MOST && ++never_used != 0;
}

int64_t handle_new(handle_kind kind, const verbs_library* library, void* object) {
  uint32_t index;
  (void)pthread_mutex_lock(&lock);
  int64_t handle = -ENOSPC;
  if (take_index(&index)) {
    handle_entry* entry = &entries[index];
    entry->object = object;
    entry->library = library;
    entry->kind = kind;
    entry->generation++;
    handle = name_of(index);
  }
  (void)pthread_mutex_unlock(&lock);
  return handle;
}

const handle_entry* handle_any(int64_t handle) {
  uint64_t index = (uint64_t)handle & UINT32_MAX;
  if (index >= MOST || entries[index].kind == FREE_HANDLE || name_of((uint32_t)index) != handle) {
    return NULL;
  }
  return &entries[index];
}

const handle_entry* handle_find(int64_t handle, handle_kind kind) {
  const handle_entry* entry = handle_any(handle);
  return entry != NULL && entry->kind == kind ? entry : NULL;
}

void handle_drop(int64_t handle) {
  (void)pthread_mutex_lock(&lock);
  if (handle_any(handle) != NULL) {
    uint32_t index = (uint32_t)handle;
    entries[index].kind = FREE_HANDLE;
    entries[index].generation++;
    next_free[index] = first_free;
    first_free = index + 1;
  }
  (void)pthread_mutex_unlock(&lock);
}
