// SPDX-License-Identifier: Apache-2.0
/*
 * The operations on f32 that candidates in C time by name, and their results to the last bit: element i of rank r's vector is
 * i % 1000 + r. A count is that of the larger of a rank's vectors; a block is a rank's share of it.
 */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum operation { ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST, SEND_RECEIVE, OPERATIONS };

static inline enum operation operation_called(const char* name) {
  static const char* const names[OPERATIONS] = {"all_reduce", "all_gather", "reduce_scatter",
                                                "all_to_all", "broadcast",  "send_receive"};
  for (int found = 0; found < OPERATIONS; found++) {
    if (strcmp(names[found], name) == 0) return (enum operation)found;
  }
  fprintf(stderr, "no operation is called %s\n", name);
  exit(2);
}

/* Elements that a rank gives. */
static inline size_t given(enum operation operation, size_t count, int ranks) {
  return operation == ALL_GATHER ? count / (size_t)ranks : count;
}

/* Elements that a rank gets. */
static inline size_t got(enum operation operation, size_t count, int ranks) {
  size_t block = count / (size_t)ranks;
  switch (operation) {
    case REDUCE_SCATTER: return block;
    case ALL_GATHER:
    case ALL_TO_ALL: return block * (size_t)ranks;
    default: return count;
  }
}

static inline float value_of(size_t i, int rank) { return (float)(i % 1000 + (size_t)rank); }

static inline float sum_of(size_t i, int ranks) {
  return (float)((i % 1000) * (size_t)ranks + (size_t)ranks * (size_t)(ranks - 1) / 2);
}

static inline float expected(enum operation operation, size_t i, size_t block, int rank, int ranks) {
  switch (operation) {
    case ALL_REDUCE: return sum_of(i, ranks);
    case REDUCE_SCATTER: return sum_of((size_t)rank * block + i, ranks);
    case ALL_GATHER: return value_of(i % block, (int)(i / block));
    case ALL_TO_ALL: return value_of((size_t)rank * block + i % block, (int)(i / block));
    case BROADCAST: return value_of(i, 0);
    default: return value_of(i, (rank + ranks - 1) % ranks);
  }
}

static inline void fill(float* in, size_t count, int rank) {
  for (size_t i = 0; i < count; i++) in[i] = value_of(i, rank);
}

/* 0, or 1 with a word about the first element that is wrong. */
static inline int check(enum operation operation, const float* out, size_t count, int rank, int ranks) {
  size_t all = got(operation, count, ranks);
  for (size_t i = 0; i < all; i++) {
    float right = expected(operation, i, count / (size_t)ranks, rank, ranks);
    if (out[i] != right) {
      fprintf(stderr, "rank %d: element %zu of %zu is %g, not %g\n", rank, i, all, (double)out[i], (double)right);
      return 1;
    }
  }
  return 0;
}

#endif
