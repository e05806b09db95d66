// SPDX-License-Identifier: Apache-2.0
/* NCCL's spelling of the all-to-all. */
#include "../shared/ccl_queue.h"
#include "emu_numbers.h"

API int ncclAlltoAll(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_TO_ALL, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}
