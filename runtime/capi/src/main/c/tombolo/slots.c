/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "failure.h"

/* As WorkSlots.java has them. */
enum { CHUNK = 1024, CHUNKS = 1024, FREE_NONE = -1 };

enum { PHASE_STARTED = 1, PHASE_DONE = 2, PHASE_BITS = 0xFF, SEQUENCE_SHIFT = 16, GENERATION_SHIFT = 32 };

/* 32 bytes; Java writes the first two. */
struct slot {
  uint64_t state_address;
  uint64_t sequence;
  _Atomic uint32_t generation; /* odd while the place is taken */
  int32_t next_free;
  uint64_t unused;
};

_Static_assert(sizeof(struct slot) == 32, "WorkSlots.RECORD_BYTES");

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct slot*) chunks[CHUNKS];
static int chunk_count;               /* under `mutex` */
static int32_t first_free = FREE_NONE; /* under `mutex` */

static struct slot* at(int32_t slot) {
  return atomic_load_explicit(&chunks[slot / CHUNK], memory_order_acquire) + slot % CHUNK;
}

/* Under `mutex`: more places, which Java is told of. */
static tombolo_status grow(JNIEnv* env) {
  if (chunk_count == CHUNKS) {
    return fail(TOMBOLO_RESOURCE, "%d works have handles already; release those that have ended", CHUNK * CHUNKS);
  }
  struct slot* chunk = calloc(CHUNK, sizeof *chunk);
  if (chunk == NULL) {
    return fail(TOMBOLO_RESOURCE, "no memory for the handles of works");
  }
  tombolo_status status;
  const jvalue arguments[] = {{.i = chunk_count}, {.j = (jlong)(size_t)chunk}};
  shell_call(env, SHELL_ADD_SLOTS, arguments, &status);
  if (status != TOMBOLO_OK) {
    free(chunk);
    return status;
  }
  for (int i = CHUNK - 1; i >= 0; i--) {
    chunk[i].next_free = first_free;
    first_free = chunk_count * CHUNK + i;
  }
  atomic_store_explicit(&chunks[chunk_count], chunk, memory_order_release);
  chunk_count++;
  return TOMBOLO_OK;
}

int32_t slot_take(JNIEnv* env, tombolo_status* status) {
  *status = TOMBOLO_OK;
  int32_t slot = NO_SLOT;
  (void)pthread_mutex_lock(&mutex);
  if (first_free == FREE_NONE) {
    *status = grow(env);
  }
  if (*status == TOMBOLO_OK) {
    slot = first_free;
    first_free = at(slot)->next_free;
    atomic_fetch_add_explicit(&at(slot)->generation, 1, memory_order_relaxed);
  }
  (void)pthread_mutex_unlock(&mutex);
  return slot;
}

/* Places count from 1 in handles, so that 0 is none. */
tombolo_work slot_handle(int32_t slot) {
  uint64_t generation = atomic_load_explicit(&at(slot)->generation, memory_order_relaxed);
  return generation << GENERATION_SHIFT | (uint64_t)(slot + 1);
}

int32_t slot_of(tombolo_work work) {
  uint64_t number = (work & UINT32_MAX) - 1;
  if (number < (uint64_t)CHUNK * CHUNKS &&
      atomic_load_explicit(&chunks[number / CHUNK], memory_order_acquire) != NULL) {
    int32_t slot = (int32_t)number;
    uint32_t generation = atomic_load_explicit(&at(slot)->generation, memory_order_acquire);
    if (generation % 2 == 1 && generation == work >> GENERATION_SHIFT) {
      return slot;
    }
  }
  (void)fail(TOMBOLO_USAGE, "there is no work %llu: it was released, or never given", (unsigned long long)work);
  return NO_SLOT;
}

void slot_give_back(int32_t slot) {
  (void)pthread_mutex_lock(&mutex);
  atomic_fetch_add_explicit(&at(slot)->generation, 1, memory_order_release);
  at(slot)->next_free = first_free;
  first_free = slot;
  (void)pthread_mutex_unlock(&mutex);
}

/* A later number in the word: the word is used again, hence the work has ended well. */
struct slot_state slot_look(int32_t slot) {
  const struct slot* here = at(slot);
  const uint64_t* address = (const uint64_t*)(size_t)here->state_address;
  uint64_t word = __atomic_load_n(address, __ATOMIC_ACQUIRE);
  unsigned phase = word & PHASE_BITS;
  bool later = word >> SEQUENCE_SHIFT > here->sequence;
  bool ours = word >> SEQUENCE_SHIFT == here->sequence;
  return (struct slot_state){
      .sequence = here->sequence,
      .started = later || (ours && phase >= PHASE_STARTED),
      .ended = later || (ours && phase >= PHASE_DONE),
      .failed = ours && phase > PHASE_DONE,
  };
}
