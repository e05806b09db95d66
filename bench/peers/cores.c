// SPDX-License-Identifier: Apache-2.0
/*
 * cores: how long it takes two processors to answer each other, in ns: a word that goes from the first to the second and back,
 * the median of slices. In a virtual machine this changes from one second to the next, fivefold, as its host moves processors
 * between cores with and without a common cache; so does all that ranks do with each other's memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "times.h"

enum { SLICES = 9, SLICE_ROUNDS = 20000 };

static _Alignas(128) atomic_long word;

static void use_core(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((unsigned)core, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) {
    perror("sched_setaffinity");
    exit(1);
  }
}

static void* answer(void* unused) {
  (void)unused;
  use_core(1);
  for (long round = 0; round < (long)SLICES * SLICE_ROUNDS; round++) {
    while (atomic_load(&word) != 2 * round + 1) {}
    atomic_store(&word, 2 * round + 2);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  double slices[SLICES];
  use_core(0);
  if (pthread_create(&other, NULL, answer, NULL) != 0) return 1;
  for (long round = 0, slice = 0; slice < SLICES; slice++) {
    double from = now_us();
    for (int i = 0; i < SLICE_ROUNDS; i++, round++) {
      atomic_store(&word, 2 * round + 1);
      while (atomic_load(&word) != 2 * round + 2) {}
    }
    slices[slice] = (now_us() - from) * 1e3 / SLICE_ROUNDS;
  }
  qsort(slices, SLICES, sizeof *slices, by_value);
  printf("%.0f\n", slices[SLICES / 2]);
  return pthread_join(other, NULL) == 0 ? 0 : 1;
}
