// SPDX-License-Identifier: Apache-2.0
/* What the tests of the emulated runtimes share: checks, and a host function that notes where and when it ran. */
#ifndef CHECK_H
#define CHECK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PATIENCE_MS = 10000, BYTES = 4096 };

#define CHECK(holds) check((holds), #holds, __LINE__)

static inline void check(bool holds, const char* what, int line) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED in line %d: %s\n", line, what);
    exit(1);
  }
}

typedef struct seen {
  pthread_t caller;
  const unsigned char* bytes;
  unsigned char value;
  bool is_apart;
  atomic_bool done;
} seen;

static inline void look(void* argument) {
  seen* into = argument;
  into->value = *into->bytes;
  into->is_apart = !pthread_equal(pthread_self(), into->caller);
  atomic_store(&into->done, true);
}

/* Until the function has run: streams are asked for nothing meanwhile. */
static inline bool has_seen(seen* from, unsigned char value) {
  for (int waited = 0; !atomic_load(&from->done) && waited < PATIENCE_MS; waited++) {
    (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
  }
  return atomic_load(&from->done) && from->is_apart && from->value == value;
}

#endif
