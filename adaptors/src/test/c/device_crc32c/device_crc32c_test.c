// SPDX-License-Identifier: Apache-2.0
/* The device's CRC-32C, compiled as C, against the definition: by lengths, starts and grids. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What CUDA and HIP have built in. */
#define __global__ static
#define __device__
static struct {
  unsigned x;
} gridDim, blockDim, blockIdx, threadIdx;

static unsigned atomicXor(unsigned* at, unsigned value) {
  unsigned before = *at;
  *at = before ^ value;
  return before;
}

#include "../../../main/resources/io/tombolo/adaptors/device/crc32c.cu"

/* Bit by bit, as RFC 3720 has it. */
static u32 defined(const u8* bytes, size_t count) {
  u32 crc = ~0u;
  for (size_t i = 0; i < count; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (0x82f63b78u & (0u - (crc & 1)));
  }
  return ~crc;
}

static u32 launched(unsigned blocks, unsigned threads, const u8* bytes, size_t count) {
  u32 crc = 0;
  gridDim.x = blocks;
  blockDim.x = threads;
  for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++) {
    for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++) tombolo_crc32c(&crc, bytes, count);
  }
  return crc;
}

static void compare(unsigned blocks, unsigned threads, const u8* bytes, size_t count, u32 expected) {
  u32 actual = launched(blocks, threads, bytes, count);
  if (actual != expected) {
    (void)fprintf(stderr, "FAILED: %zu bytes by %u blocks of %u threads: %08x, defined as %08x\n", count, blocks, threads,
                  actual, expected);
    exit(1);
  }
}

/* In memory of its own size, so that the sanitizers see a read beside it. */
static void compare_all(const u8* from, size_t count) {
  static const unsigned grids[][2] = {{1, 1}, {1, 3}, {2, 4}, {3, 5}, {7, 32}};
  u8* bytes = malloc(count + (count == 0));
  if (bytes == NULL) exit(2);
  if (count > 0) memcpy(bytes, from, count);
  for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
    compare(grids[i][0], grids[i][1], bytes, count, defined(bytes, count));
  }
  free(bytes);
}

enum { LENGTHS = 300, STARTS = 9, LARGE = 100003 };

int main(void) {
  static u8 random[LARGE + STARTS];
  static const u8 zeros[64];
  u64 state = 42;
  for (size_t i = 0; i < sizeof random; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    random[i] = (u8)(state >> 56);
  }
  compare(1, 1, (const u8*)"123456789", 9, 0xe3069283u); /* the check value */
  compare(2, 3, zeros, 32, 0x8a9136aau);                 /* RFC 3720, B.4 */
  for (size_t count = 0; count <= LENGTHS; count++) compare_all(random, count);
  for (size_t count = 0; count <= sizeof zeros; count++) compare_all(zeros, count);
  for (size_t start = 0; start < STARTS; start++) {
    compare(3, 7, random + start, LENGTHS, defined(random + start, LENGTHS));
  }
  compare_all(random, LARGE);
  return 0;
}
