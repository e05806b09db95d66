// SPDX-License-Identifier: Apache-2.0
/* The kernels as functions. Knows no `bool`, which is the name of a type in theirs. */
#ifndef DEVICE_GRID_H
#define DEVICE_GRID_H

#include <stddef.h>

/* How many threads a launch has, along one axis. */
typedef struct emu_grid {
  unsigned blocks;
  unsigned threads;
} emu_grid;

/* The texts that kernels are compiled from: reduce.cu and crc32c.cu. */
typedef enum emu_source { EMU_REDUCTIONS, EMU_CHECKSUM, EMU_SOURCES } emu_source;

/* What one thread of the grid does. A kernel of fewer operands has NULL for `right`. */
typedef void emu_thread(void* out, const void* left, const void* right, unsigned long long count);

typedef struct emu_kernel {
  const char* name;
  emu_source source;
  emu_thread* thread;
  int operands;   /* addresses among its arguments, before the count */
  size_t element; /* bytes */
  size_t result;  /* bytes of `out`, whatever the count; 0: as many elements as the others have */
} emu_kernel;

enum { EMU_KERNELS = 88 };

extern const emu_kernel emu_kernels[EMU_KERNELS];

/* Every thread of the grid, one after the other, on the calling one. */
void emu_grid_run(emu_grid grid, emu_thread* thread, void* out, const void* left, const void* right,
                  unsigned long long count);

#endif
