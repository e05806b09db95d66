// SPDX-License-Identifier: Apache-2.0
#include "blocks.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ENTRIES_BITS = 4, FIRST_ENTRIES = 1 << FIRST_ENTRIES_BITS, LINE_BYTES = 64 };

/*
 * Block b begins with entry FIRST_ENTRIES * (2^b - 1). So the highest bit of an entry's number and FIRST_ENTRIES says in which
 * block it is, and the bits below it which of the block's it is.
 */
static unsigned block_of(uint64_t place) { return 63U - (unsigned)__builtin_clzll(place) - FIRST_ENTRIES_BITS; }

static uint64_t entries_of(unsigned block) { return (uint64_t)FIRST_ENTRIES << block; }

void* blocks_find(struct blocks* of, uint32_t index) {
  uint64_t place = (uint64_t)index + FIRST_ENTRIES;
  unsigned block = block_of(place);
  char* entries = block < MOST_BLOCKS ? atomic_load_explicit(&of->at[block], memory_order_acquire) : NULL;
  return entries == NULL ? NULL : entries + (place - entries_of(block)) * of->entry_bytes;
}

void* blocks_make(struct blocks* of, uint32_t index) {
  unsigned block = block_of((uint64_t)index + FIRST_ENTRIES);
  if (block < MOST_BLOCKS && atomic_load_explicit(&of->at[block], memory_order_relaxed) == NULL) {
    size_t bytes = entries_of(block) * of->entry_bytes;
    char* entries = aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    if (entries != NULL) {
      (void)memset(entries, 0, bytes);
      atomic_store_explicit(&of->at[block], entries, memory_order_release);
    }
  }
  return blocks_find(of, index);
}
