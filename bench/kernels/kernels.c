// SPDX-License-Identifier: Apache-2.0
/*
 * Speed of the reduction kernels, dst = a op b, by type and SIMD level, beside memcpy: GB/s of bytes read and written, the
 * median of some runs, in the second-level cache and from memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reduce.h"

enum { IN_CACHE = 128 * 1024, IN_MEMORY = 32 * 1024 * 1024, RUNS = 9 };
enum { ORDINARY = 0x3a }; /* a byte that repeated is a normal number of every floating type */

static const double ENOUGH_S = 0.2; /* slow kernels get fewer runs */

static const char* const types[REDUCE_TYPES] = {"i8",  "u8",   "i16", "u16", "i32",  "u32",     "i64",    "u64",
                                                "f16", "bf16", "f32", "f64", "bool", "f8_e4m3", "f8_e5m2"};
static const size_t type_bytes[REDUCE_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1};
static const char* const levels[REDUCE_LEVELS] = {"baseline", "avx2", "avx512"};

static unsigned char *dst, *a, *b;

static double now_s(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int by_value(const void* x, const void* y) {
  double p = *(const double*)x, q = *(const double*)y;
  return (p > q) - (p < q);
}

/* Level -1 is memcpy. */
static void once(int level, int type, size_t bytes) {
  if (level < 0) {
    memcpy(dst, a, bytes);
    __asm__ volatile("" : : "r"(dst) : "memory");
  } else if (reduce_apply(level, REDUCE_SUM, type, dst, a, b, bytes / type_bytes[type]) != REDUCE_DONE) {
    exit(1);
  }
}

static double gigabytes_per_s(int level, int type, size_t bytes) {
  double seconds[RUNS];
  int runs = 0;
  once(level, type, bytes);
  for (double begin = now_s(); runs < RUNS && (runs == 0 || now_s() - begin < ENOUGH_S); runs++) {
    double from = now_s();
    once(level, type, bytes);
    seconds[runs] = now_s() - from;
  }
  qsort(seconds, (size_t)runs, sizeof *seconds, by_value);
  return (double)bytes * (level < 0 ? 2 : 3) / seconds[runs / 2] / 1e9;
}

/* A kernel far slower than memory is measured in the cache only. */
static void row(const char* name, int level, int type) {
  double in_cache = gigabytes_per_s(level, type, IN_CACHE);
  printf("%-10s%-10s%10.2f", name, level < 0 ? "" : levels[level], in_cache);
  if (in_cache > 1) {
    printf("%10.2f", gigabytes_per_s(level, type, IN_MEMORY));
  }
  printf("\n");
  fflush(stdout);
}

int main(void) {
  dst = aligned_alloc(4096, IN_MEMORY);
  a = aligned_alloc(4096, IN_MEMORY);
  b = aligned_alloc(4096, IN_MEMORY);
  if (dst == NULL || a == NULL || b == NULL) return 1;
  memset(dst, ORDINARY, IN_MEMORY);
  memset(a, ORDINARY, IN_MEMORY);
  memset(b, ORDINARY, IN_MEMORY);
  printf("sum, GB/s level        %d KiB    %d MiB\n", IN_CACHE >> 10, IN_MEMORY >> 20);
  row("memcpy", -1, REDUCE_U8);
  for (int type = 0; type < REDUCE_TYPES; type++) {
    for (int level = 0; level < REDUCE_LEVELS; level++) {
      if (reduce_available(level)) row(types[type], level, type);
    }
  }
  return 0;
}
