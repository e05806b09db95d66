// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of Gaudi's HCCL: NCCL's under another prefix, with a longer id that tells its length. As in the original
 * there is no aborting, but by waiting for what is stuck; no row asks for it.
 */
#include <stdint.h>

#include "engine.h"
#include "witness_gaudi.h"

#define CCL(suffix) hccl##suffix

typedef struct {
  uint8_t internal[HCCL_UNIQUE_ID_MAX_BYTES];
  size_t length;
} unique_id;

_Static_assert(sizeof(unique_id) == hcclUniqueIdBytes, "the id has the vendor's size");

#include "../shared/ccl_nccl_like.h"

API int hcclAlltoAll(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_TO_ALL, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}
