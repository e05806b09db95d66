// SPDX-License-Identifier: Apache-2.0
/* Memory that can become a window: an anonymous file, which other processes open by the number that it has here. */
#ifndef TOMBOLO_HOST_CCL_WINDOW_MEMORY_H
#define TOMBOLO_HOST_CCL_WINDOW_MEMORY_H

#include <stdatomic.h>

#include "../shared/engine.h"

/* Known until it was given back and no window refers to it. */
struct window_memory {
  struct window_memory* next;
  void* memory;
  size_t bytes;
  uint64_t file; /* its number, among the files of its kind */
  int fd;
  int references;     /* under a lock */
  _Atomic bool freed; /* its address may be anybody's */
};

/* New memory; thread-safe, as is everything here. */
enum engine_result window_allocate(void** memory, size_t bytes);
enum engine_result window_free(void* memory);

/* What was allocated at `memory`, to be dropped again; NULL if nothing was, or it was given back. */
struct window_memory* window_memory_borrow(const void* memory);
void window_memory_drop(struct window_memory* borrowed); /* NULL is harmless */

#endif
