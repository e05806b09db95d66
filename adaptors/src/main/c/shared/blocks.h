// SPDX-License-Identifier: Apache-2.0
/*
 * Entries that are numbered from 0, as many as are wanted, and that stay where they are while there come to be more: so they
 * are found without a lock. They lie in blocks, each of which has twice the entries of the one before.
 */
#ifndef TOMBOLO_BLOCKS_H
#define TOMBOLO_BLOCKS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_BLOCKS = 24 };

struct blocks {
  size_t entry_bytes; /* a multiple of what entries are aligned to, which is 64 at most */
  _Atomic(char*) at[MOST_BLOCKS];
};

/* The entry; NULL if it has not been made. Thread-safe. */
void* blocks_find(struct blocks* of, uint32_t index);

/* As blocks_find, and makes it if needed, all zeros; NULL if there is no memory, or no such number. For one thread at a time. */
void* blocks_make(struct blocks* of, uint32_t index);

#endif
