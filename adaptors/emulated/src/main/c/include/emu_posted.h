// SPDX-License-Identifier: Apache-2.0
/*
 * Writes of a NIC to device memory that the device does not see yet.
 *
 * A dma-buf of the emulated device is a memfd that is longer than the memory it stands for: behind `bytes` of memory come
 * as many of shadow, and then this list. A NIC that knows of it (the emulated one) writes to the shadow and lists what
 * it wrote; the device's flush carries it over. So whoever reads without a flush reads what was there before, as a real
 * device may. To everyone else the descriptor is plain memory.
 */
#ifndef EMU_POSTED_H
#define EMU_POSTED_H

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { EMU_POSTED_RANGES = 128 };

#define EMU_POSTED_MAGIC UINT64_C(0x4445545350554d45)

typedef struct emu_posted {
  uint64_t magic;
  uint64_t bytes; /* of the memory, whole pages; so many of the shadow too */
  atomic_uint locked;
  uint32_t count;
  struct {
    uint64_t from;
    uint64_t length;
  } range[EMU_POSTED_RANGES];
} emu_posted;

static inline void emu_posted_lock(emu_posted* list) {
  while (atomic_exchange_explicit(&list->locked, 1, memory_order_acquire) != 0) {
    (void)sched_yield();
  }
}

static inline void emu_posted_unlock(emu_posted* list) {
  atomic_store_explicit(&list->locked, 0, memory_order_release);
}

/* Carries over all that is listed, oldest first; the caller holds the lock. */
static inline void emu_posted_land(emu_posted* list, unsigned char* memory, const unsigned char* shadow) {
  for (uint32_t i = 0; i < list->count && i < EMU_POSTED_RANGES; i++) {
    memcpy(memory + list->range[i].from, shadow + list->range[i].from, list->range[i].length);
  }
  list->count = 0;
}

#endif
