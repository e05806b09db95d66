// SPDX-License-Identifier: Apache-2.0
/* The parts of an all-reduce: each member combines one. */
#ifndef TOMBOLO_HOST_CCL_SHARDS_H
#define TOMBOLO_HOST_CCL_SHARDS_H

#include <stddef.h>

/* Shards, and what they are cut into, begin at multiples of this many elements: so cache lines have one writer. */
enum { SHARD_ELEMENTS = 64 };

/* Where shard `rank` of `count` elements begins; shard `size` begins at the end. No shard is longer than the first. */
static inline size_t shard_begin(size_t count, int size, int rank) {
  size_t whole = (size_t)size * SHARD_ELEMENTS;
  size_t begin = (count + whole - 1) / whole * SHARD_ELEMENTS * (size_t)rank;
  return begin < count ? begin : count;
}

#endif
