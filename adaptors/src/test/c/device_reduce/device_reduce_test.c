// SPDX-License-Identifier: Apache-2.0
/* The device's kernels, compiled as C, against the host's, bit by bit: every operator of every type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../main/c/tombolo_reduce/reduce.h"

/* What CUDA and HIP have built in: here one thread does everything. */
#define __global__ static
#define __device__
static const struct {
  unsigned x;
} gridDim = {1}, blockDim = {1}, blockIdx = {0}, threadIdx = {0};

#include "../../../main/resources/io/tombolo/adaptors/device/reduce.cu"

typedef void kernel(void* out, const void* left, const void* right, u64 count);

#define AS(name) (kernel*)(void*)tombolo_##name
#define ARITHMETIC(t) AS(sum_##t), AS(prod_##t), AS(min_##t), AS(max_##t)
#define BITWISE(t) NULL, AS(band_##t), AS(bor_##t), AS(bxor_##t)

/* In the order of enum reduce_type, then of enum reduce_op. */
static kernel* const kernels[REDUCE_TYPES][REDUCE_OPS] = {
    {ARITHMETIC(i8), BITWISE(i8)},   {ARITHMETIC(u8), BITWISE(u8)},   {ARITHMETIC(i16), BITWISE(i16)},
    {ARITHMETIC(u16), BITWISE(u16)}, {ARITHMETIC(i32), BITWISE(i32)}, {ARITHMETIC(u32), BITWISE(u32)},
    {ARITHMETIC(i64), BITWISE(i64)}, {ARITHMETIC(u64), BITWISE(u64)}, {ARITHMETIC(f16)},
    {ARITHMETIC(bf16)},              {ARITHMETIC(f32)},               {ARITHMETIC(f64)},
    {ARITHMETIC(bool), BITWISE(bool)}, {ARITHMETIC(f8e4m3)},          {ARITHMETIC(f8e5m2)},
};

static const size_t sizes[REDUCE_TYPES] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 1, 1, 1};

enum { COUNT = 1 << 18 };

static u64 state = 42;

/* Random bits; a quarter repeat the operand before, another have only their topmost left: zeros, infinities, NaNs. */
static void fill(unsigned char* bytes, size_t size) {
  u64 bits = 0;
  for (size_t i = 0; i < COUNT; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    unsigned class = (unsigned)(state >> 61);
    if (class > 1) bits = state << 3;
    if (class > 5) bits &= 0xfff0ull << 48;
    memcpy(bytes + i * size, (const unsigned char*)&bits + sizeof bits - size, size);
  }
}

/* All pairs of the smallest types, and each 16-bit pattern with a few others. */
static void cover_patterns(unsigned char* bytes, size_t size, int right) {
  static const u16 others[] = {0x0000, 0x8000, 0x0001, 0x83ff, 0x0400, 0x3c00, 0xbc01, 0x3f80,
                               0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfdff, 0x7f80, 0xff80};
  for (size_t i = 0; size == 1 && i < 65536; i++) bytes[i] = (unsigned char)(right ? i >> 8 : i);
  for (size_t i = 0; size == 2 && i < COUNT; i++) {
    u16 pattern = right ? others[i >> 16 | (i & 3) << 2] : (u16)i;
    memcpy(bytes + 2 * i, &pattern, 2);
  }
}

static void compare(int op, int type, const void* a, const void* b) {
  size_t size = sizes[type];
  unsigned char* expected = malloc(COUNT * size);
  unsigned char* actual = malloc(COUNT * size);
  if (expected == NULL || actual == NULL) exit(2);
  int status = reduce_apply(REDUCE_BASELINE, op, type, expected, a, b, COUNT);
  if ((status == REDUCE_DONE) != (kernels[type][op] != NULL)) {
    (void)fprintf(stderr, "FAILED: operator %d applies to type %d on only one of host and device\n", op, type);
    exit(1);
  }
  if (status == REDUCE_DONE) {
    kernels[type][op](actual, a, b, COUNT);
    for (size_t i = 0; i < COUNT * size; i++) {
      if (expected[i] != actual[i]) {
        (void)fprintf(stderr, "FAILED: operator %d, type %d, element %zu, byte %zu: %02x, the host says %02x\n", op,
                      type, i / size, i % size, actual[i], expected[i]);
        exit(1);
      }
    }
  }
  free(expected);
  free(actual);
}

int main(void) {
  for (int type = 0; type < REDUCE_TYPES; type++) {
    unsigned char* a = malloc(COUNT * sizes[type]);
    unsigned char* b = malloc(COUNT * sizes[type]);
    if (a == NULL || b == NULL) exit(2);
    fill(a, sizes[type]);
    fill(b, sizes[type]);
    for (int op = 0; op < REDUCE_OPS; op++) compare(op, type, a, b);
    cover_patterns(a, sizes[type], 0);
    cover_patterns(b, sizes[type], 1);
    for (int op = 0; op < REDUCE_OPS; op++) compare(op, type, a, b);
    free(a);
    free(b);
  }
  return 0;
}
