// SPDX-License-Identifier: Apache-2.0
/* Every level against the baseline, bit by bit: all types, operators and short counts, in place and not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_reduce/reduce.h"
#include "float8.h"
#include "half.h"

enum { MOST = 300 };

static const size_t sizes[REDUCE_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1};

static void check(bool holds, const char* what, int level, int type, size_t detail) {
  if (!holds) {
    (void)fprintf(stderr, "FAILED: %s: level %d, type %d, detail %zu\n", what, level, type, detail);
    exit(1);
  }
}

/* A block of exactly this size, so that the sanitizer sees a step beyond it. */
static unsigned char* block(size_t size) {
  unsigned char* bytes = malloc(size == 0 ? 1 : size);
  check(bytes != NULL, "malloc", 0, 0, size);
  return bytes;
}

static uint64_t state = 42;

static unsigned char next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned char)(state >> 56);
}

static void fill(unsigned char* bytes, size_t size) {
  for (size_t i = 0; i < size; i++) bytes[i] = next();
}

static bool applies(int op, int type) { return reduce_kernels_baseline.binary[op][type] != NULL; }

static void compare_binary(int level, int op, int type, size_t count) {
  size_t size = count * sizes[type];
  unsigned char *a = block(size), *b = block(size), *expected = block(size), *actual = block(size);
  fill(a, size);
  fill(b, size);
  check(reduce_apply(REDUCE_BASELINE, op, type, expected, a, b, count) == REDUCE_DONE, "baseline", level, type, count);
  check(reduce_apply(level, op, type, actual, a, b, count) == REDUCE_DONE, "apply", level, type, count);
  check(memcmp(expected, actual, size) == 0, "out of place", level, type, count);
  memcpy(actual, b, size);
  check(reduce_apply(level, op, type, actual, a, actual, count) == REDUCE_DONE, "apply", level, type, count);
  check(memcmp(expected, actual, size) == 0, "into the right operand", level, type, count);
  check(reduce_apply(level, op, type, a, a, b, count) == REDUCE_DONE, "apply", level, type, count);
  check(memcmp(expected, a, size) == 0, "into the left operand", level, type, count);
  free(a);
  free(b);
  free(expected);
  free(actual);
}

static void compare_unary(int level, int type, size_t count) {
  size_t size = count * sizes[type];
  unsigned char *a = block(size), *b = block(size), *expected = block(size);
  fill(a, size);
  memcpy(b, a, size);
  uint32_t divisor = (uint32_t)count % 7 + 1;
  check(reduce_average(REDUCE_BASELINE, type, expected, a, count, divisor) == REDUCE_DONE, "baseline", level, type, 0);
  check(reduce_average(level, type, a, a, count, divisor) == REDUCE_DONE, "average", level, type, count);
  check(memcmp(expected, a, size) == 0, "divide in place", level, type, count);
  double factor = (double)divisor - 4;
  check(reduce_multiply(REDUCE_BASELINE, type, expected, b, count, factor) == REDUCE_DONE, "baseline", level, type, 0);
  check(reduce_multiply(level, type, b, b, count, factor) == REDUCE_DONE, "multiply", level, type, count);
  check(memcmp(expected, b, size) == 0, "scale in place", level, type, count);
  free(a);
  free(b);
  free(expected);
}

static void compare_level(int level) {
  for (int type = 0; type < REDUCE_TYPES; type++) {
    for (size_t count = 0; count <= MOST; count++) {
      for (int op = 0; op < REDUCE_OPS; op++) {
        if (applies(op, type)) compare_binary(level, op, type, count);
      }
      if (type != REDUCE_BOOL) compare_unary(level, type, count);
    }
  }
}

/* Every 8-bit pattern against every other, in every operator. */
static void exhaust_bytes(int level, int type) {
  enum { PAIRS = 65536 };
  unsigned char *a = block(PAIRS), *b = block(PAIRS), *expected = block(PAIRS), *actual = block(PAIRS);
  for (size_t i = 0; i < PAIRS; i++) {
    a[i] = (unsigned char)i;
    b[i] = (unsigned char)(i >> 8);
  }
  for (int op = 0; op < REDUCE_OPS; op++) {
    if (!applies(op, type)) continue;
    check(reduce_apply(REDUCE_BASELINE, op, type, expected, a, b, PAIRS) == REDUCE_DONE, "baseline", 0, type, 0);
    check(reduce_apply(level, op, type, actual, a, b, PAIRS) == REDUCE_DONE, "apply", level, type, 0);
    check(memcmp(expected, actual, PAIRS) == 0, "all pairs", level, type, (size_t)op);
  }
  free(a);
  free(b);
  free(expected);
  free(actual);
}

/* Each 16-bit pattern against operands of every class, in every operator. */
static void exhaust_narrow(int level, int type) {
  const uint16_t others[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x3f80, 0x7bff,
                             0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfdff, 0x7f7f, 0x7f80, 0xff80, 0x7fff};
  enum { PATTERNS = 65536 };
  const size_t size = PATTERNS * sizeof(uint16_t);
  uint16_t *a = (uint16_t*)block(size), *b = (uint16_t*)block(size);
  uint16_t *expected = (uint16_t*)block(size), *actual = (uint16_t*)block(size);
  for (size_t o = 0; o < sizeof others / sizeof *others; o++) {
    for (size_t i = 0; i < PATTERNS; i++) {
      a[i] = (uint16_t)i;
      b[i] = others[o];
    }
    for (int op = 0; op < REDUCE_OPS; op++) {
      if (!applies(op, type)) continue;
      check(reduce_apply(REDUCE_BASELINE, op, type, expected, a, b, PATTERNS) == REDUCE_DONE, "baseline", 0, type, o);
      check(reduce_apply(level, op, type, actual, a, b, PATTERNS) == REDUCE_DONE, "apply", level, type, o);
      check(memcmp(expected, actual, size) == 0, "all patterns", level, type, o);
    }
  }
  free(a);
  free(b);
  free(expected);
  free(actual);
}

/* Widening and narrowing again gives back every half that is a number. */
static void halves_survive(void) {
  for (uint32_t half = 0; half < 65536; half++) {
    bool nan = (half & 0x7fff) > 0x7c00;
    uint16_t back = half_of_float(half_to_float((uint16_t)half));
    check(back == (nan ? (half & 0x8000) | 0x7e00 : half), "round trip of a half", 0, REDUCE_F16, half);
  }
}

/* So does every 8-bit float; and what lies half-way between two neighbours goes to the even one. */
static void bytes_survive(void) {
  for (uint32_t bits = 0; bits < 256; bits++) {
    uint8_t x = (uint8_t)bits;
    uint8_t magnitude = x & 0x7f;
    check(e4m3_of_float(e4m3_to_float(x)) == (magnitude == 0x7f ? 0x7f : x), "round trip", 0, REDUCE_F8E4M3, bits);
    check(e5m2_of_float(e5m2_to_float(x)) == (magnitude > 0x7c ? 0x7e : x), "round trip", 0, REDUCE_F8E5M2, bits);
    if (magnitude < 0x7e) {
      float middle = (e4m3_to_float(x) + e4m3_to_float((uint8_t)(x + 1))) / 2;
      check(e4m3_of_float(middle) == x + (x & 1), "ties go to even", 0, REDUCE_F8E4M3, bits);
    }
    if (magnitude < 0x7b) {
      float middle = (e5m2_to_float(x) + e5m2_to_float((uint8_t)(x + 1))) / 2;
      check(e5m2_of_float(middle) == x + (x & 1), "ties go to even", 0, REDUCE_F8E5M2, bits);
    }
  }
  check(e4m3_of_float(464) == 0x7e && e4m3_of_float(465) == 0x7f, "beyond 448 is NaN", 0, REDUCE_F8E4M3, 0);
  check(e4m3_of_float(-1e9f) == 0x7f, "NaN has no sign", 0, REDUCE_F8E4M3, 0);
  check(e5m2_of_float(61439) == 0x7b && e5m2_of_float(-61440) == 0xfc, "overflow", 0, REDUCE_F8E5M2, 0);
}

/* A thread whose libraries flush subnormals still gets them. */
static void subnormals_survive_the_callers_mode(int level) {
#if defined(__x86_64__)
  unsigned saved = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved | 0x8040);
  uint32_t a[20], b[20], sum[20];
  for (int i = 0; i < 20; i++) {
    a[i] = 1;
    b[i] = 2;
  }
  int status = reduce_apply(level, REDUCE_SUM, REDUCE_F32, sum, a, b, 20);
  unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(saved);
  check(status == REDUCE_DONE && sum[0] == 3 && sum[19] == 3, "subnormals", level, REDUCE_F32, sum[0]);
  check((after & 0x8040) == 0x8040, "the caller's mode is given back", level, REDUCE_F32, after);
#else
  (void)level;
#endif
}

static void refuses_what_it_does_not_have(void) {
  unsigned char byte = 0;
  check(reduce_apply(REDUCE_LEVELS, 0, 0, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "level", 0, 0, 0);
  check(reduce_apply(-1, 0, 0, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "level", -1, 0, 0);
  check(reduce_apply(0, REDUCE_OPS, 0, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "op", 0, 0, 0);
  check(reduce_apply(0, 0, REDUCE_TYPES, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "type", 0, 0, 0);
  check(reduce_apply(0, REDUCE_BAND, REDUCE_F32, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "pair", 0, 0, 0);
  check(reduce_apply(0, REDUCE_AVG, 0, &byte, &byte, &byte, 1) == REDUCE_NO_SUCH_KERNEL, "average", 0, 0, 0);
  check(reduce_multiply(0, REDUCE_BOOL, &byte, &byte, 1, 1) == REDUCE_NO_SUCH_KERNEL, "bool", 0, 0, 0);
  check(reduce_average(0, -1, &byte, &byte, 1, 1) == REDUCE_NO_SUCH_KERNEL, "type", 0, -1, 0);
}

int main(void) {
  halves_survive();
  bytes_survive();
  refuses_what_it_does_not_have();
  for (int level = REDUCE_BASELINE; level < REDUCE_LEVELS; level++) {
    if (!reduce_available(level)) {
      (void)printf("level %d is not on this processor\n", level);
      continue;
    }
    compare_level(level);
    exhaust_narrow(level, REDUCE_F16);
    exhaust_narrow(level, REDUCE_BF16);
    exhaust_bytes(level, REDUCE_BOOL);
    exhaust_bytes(level, REDUCE_F8E4M3);
    exhaust_bytes(level, REDUCE_F8E5M2);
    subnormals_survive_the_callers_mode(level);
  }
  return 0;
}
