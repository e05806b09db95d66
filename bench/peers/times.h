// SPDX-License-Identifier: Apache-2.0
/* What the candidates in C share: how often they call, and a line of output per size and rank. */
#ifndef TIMES_H
#define TIMES_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Fewer where each call takes long, as by ranks that spin and share cores. */
#ifndef MOST_CALLS
#define MOST_CALLS 2000
#endif

static inline double now_us(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Processor time of this process. */
static inline double processor_us(void) {
  struct timespec used;
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return (double)used.tv_sec * 1e6 + (double)used.tv_nsec / 1e3;
}

static inline int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* As many calls as take about a third of a second, within limits. */
static inline int calls_for(size_t bytes) {
  size_t calls = (size_t)200 * 1000 * 1000 / (bytes + 20000);
  return calls > MOST_CALLS ? MOST_CALLS : calls < 7 ? 7 : (int)calls;
}

/*
 * Prints "SIZE MEDIAN_US P99_US PROCESSOR_US_PER_CALL"; `times` is sorted. Each rank does, as who waits least is not who is
 * waited for: a reader takes the slowest. A line is written at once, so that those of several ranks do not mix.
 */
static inline void report(size_t bytes, double* times, int calls, double used_us) {
  qsort(times, (size_t)calls, sizeof *times, by_value);
  printf("%zu %.3f %.3f %.3f\n", bytes, times[calls / 2], times[(calls - 1) * 99 / 100], used_us / calls);
  fflush(stdout);
}

#define MEASURE(bytes, call)                                   \
  do {                                                         \
    static double times[MOST_CALLS];                          \
    int calls = calls_for(bytes);                              \
    double used = 0;                                           \
    for (int i = -(calls / 4 + 2); i < calls; i++) {           \
      if (i == 0) used = processor_us();                       \
      double from = now_us();                                  \
      if ((call) != 0) {                                       \
        fprintf(stderr, "a call failed at %zu bytes\n", bytes); \
        exit(1);                                               \
      }                                                        \
      if (i >= 0) times[i] = now_us() - from;                  \
    }                                                          \
    report(bytes, times, calls, processor_us() - used);        \
  } while (0)

#endif
