// SPDX-License-Identifier: Apache-2.0
/* Memory that all members of a communicator have mapped: its buffers need no copy on their way. */
#ifndef TOMBOLO_HOST_CCL_WINDOWS_H
#define TOMBOLO_HOST_CCL_WINDOWS_H

#include "../shared/engine_internal.h"
#include "window_memory.h"

/* Where a buffer is: a window, counted from 1, and the distance from its beginning. 0: in none. */
struct window_place {
  uint64_t window;
  uint64_t offset;
};

/*
 * All members of `comm` bring memory of window_allocate, of any sizes, in the same order of calls; everyone maps
 * everyone's. It has its turn among the collectives. If it is refused it is so at all members, and the communicator goes on.
 * A window of memory that was given back is found no more; what others have mapped of it they give back in the next
 * window_register, or with the communicator.
 */
enum engine_result window_register(struct engine_comm* comm, void* memory);

/* Where `bytes` at `memory` are among this member's windows. */
struct window_place window_find(const struct engine_comm* comm, const void* memory, size_t bytes);

/* Where member `rank`'s `place` is in this process; NULL if its window is not so long. */
unsigned char* window_at(const struct engine_comm* comm, int rank, struct window_place place, size_t bytes);

/* Unmaps all windows of `comm`. */
void window_end(struct engine_comm* comm);

#endif
