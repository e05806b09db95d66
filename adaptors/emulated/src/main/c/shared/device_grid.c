// SPDX-License-Identifier: Apache-2.0
/* The kernels that devices run, compiled here as C: the text that the vendors' compilers get. */
#include "device_grid.h"

/* What CUDA and HIP have built in: who the running thread is. */
#define __global__ static
#define __device__
static _Thread_local struct {
  unsigned x;
} gridDim, blockDim, blockIdx, threadIdx;

static unsigned atomicXor(unsigned* at, unsigned value) { return __atomic_fetch_xor(at, value, __ATOMIC_RELAXED); }

#include "../../../../../src/main/resources/io/tombolo/adaptors/device/crc32c.cu"
#include "../../../../../src/main/resources/io/tombolo/adaptors/device/reduce.cu"

static void checksum(void* out, const void* left, const void* right, unsigned long long count) {
  (void)right;
  tombolo_crc32c(out, left, count);
}

#define KERNEL_ROW(op, t, T) \
  {"tombolo_" #op "_" #t, EMU_REDUCTIONS, (emu_thread*)(void*)tombolo_##op##_##t, 3, sizeof(T), 0}
#define ARITHMETIC(t, T) \
  KERNEL_ROW(sum, t, T), KERNEL_ROW(prod, t, T), KERNEL_ROW(min, t, T), KERNEL_ROW(max, t, T)
#define BITWISE(t, T) KERNEL_ROW(band, t, T), KERNEL_ROW(bor, t, T), KERNEL_ROW(bxor, t, T)

#define TABLE                                                                                                         \
  ARITHMETIC(i8, i8), BITWISE(i8, i8), ARITHMETIC(u8, u8), BITWISE(u8, u8), ARITHMETIC(i16, i16), BITWISE(i16, i16),  \
      ARITHMETIC(u16, u16), BITWISE(u16, u16), ARITHMETIC(i32, i32), BITWISE(i32, i32), ARITHMETIC(u32, u32),         \
      BITWISE(u32, u32), ARITHMETIC(i64, i64), BITWISE(i64, i64), ARITHMETIC(u64, u64), BITWISE(u64, u64),            \
      ARITHMETIC(bool, u8), BITWISE(bool, u8), ARITHMETIC(f16, u16), ARITHMETIC(bf16, u16), ARITHMETIC(f32, f32),     \
      ARITHMETIC(f64, f64), ARITHMETIC(f8e4m3, u8), ARITHMETIC(f8e5m2, u8),                                           \
      {"tombolo_crc32c", EMU_CHECKSUM, checksum, 2, 1, sizeof(u32)}

const emu_kernel emu_kernels[EMU_KERNELS] = {TABLE};

_Static_assert(sizeof((const emu_kernel[]){TABLE}) == sizeof emu_kernels, "one row for each operator of each type, and the checksum");

void emu_grid_run(emu_grid grid, emu_thread* thread, void* out, const void* left, const void* right,
                  unsigned long long count) {
  gridDim.x = grid.blocks;
  blockDim.x = grid.threads;
  for (blockIdx.x = 0; blockIdx.x < grid.blocks; blockIdx.x++) {
    for (threadIdx.x = 0; threadIdx.x < grid.threads; threadIdx.x++) {
      thread(out, left, right, count);
    }
  }
}
