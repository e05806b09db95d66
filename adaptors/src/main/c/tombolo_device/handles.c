// SPDX-License-Identifier: Apache-2.0
#include "handles.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct slot {
  thing held;
  uint32_t generation; /* never 0, so that no handle is 0 */
  uint32_t next_free;
} slot;

enum { NONE = UINT32_MAX };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static slot* slots;
static uint32_t capacity;
static uint32_t first_free = NONE;

static bool grow(void) {
  uint32_t wanted = capacity == 0 ? 64 : 2 * capacity;
  slot* larger = wanted < capacity ? NULL : realloc(slots, wanted * sizeof *slots);
  if (larger == NULL) {
    return false;
  }
  slots = larger;
  for (uint32_t i = wanted; i-- > capacity;) {
    slots[i] = (slot){.generation = 1, .next_free = first_free};
    first_free = i;
  }
  capacity = wanted;
  return true;
}

static slot* find(jlong handle) {
  uint32_t index = (uint32_t)((uint64_t)handle >> 32);
  bool known = index < capacity && slots[index].generation == (uint32_t)handle && slots[index].held.kind != FREE_SLOT;
  return known ? &slots[index] : NULL;
}

jlong handle_new(const thing* made) {
  jlong handle = 0;
  (void)pthread_mutex_lock(&lock);
  if (first_free != NONE || grow()) {
    uint32_t index = first_free;
    first_free = slots[index].next_free;
    slots[index].held = *made;
    handle = (jlong)((uint64_t)index << 32 | slots[index].generation);
  }
  (void)pthread_mutex_unlock(&lock);
  return handle;
}

bool handle_get(jlong handle, thing* found) {
  (void)pthread_mutex_lock(&lock);
  slot* at = find(handle);
  if (at != NULL) {
    *found = at->held;
  }
  (void)pthread_mutex_unlock(&lock);
  return at != NULL;
}

bool handle_take(jlong handle, thing* found) {
  (void)pthread_mutex_lock(&lock);
  slot* at = find(handle);
  if (at != NULL) {
    *found = at->held;
    at->held.kind = FREE_SLOT;
    at->generation = at->generation == UINT32_MAX ? 1 : at->generation + 1;
    at->next_free = first_free;
    first_free = (uint32_t)(at - slots);
  }
  (void)pthread_mutex_unlock(&lock);
  return at != NULL;
}
