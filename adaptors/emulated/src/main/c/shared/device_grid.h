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

/* What one thread of the grid does. */
typedef void emu_thread(void* out, const void* left, const void* right, unsigned long long count);

typedef struct emu_kernel {
  const char* name;
  emu_thread* thread;
  size_t element; /* bytes */
} emu_kernel;

enum { EMU_KERNELS = 87 };

extern const emu_kernel emu_kernels[EMU_KERNELS];

/* Every thread of the grid, one after the other, on the calling one. */
void emu_grid_run(emu_grid grid, emu_thread* thread, void* out, const void* left, const void* right,
                  unsigned long long count);

#endif
