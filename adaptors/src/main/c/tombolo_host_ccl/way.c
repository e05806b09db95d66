// SPDX-License-Identifier: Apache-2.0
/* Each way but the one by the slots has its price: more steps, or calls to the system for every page. */
#include "way.h"

enum {
  /* Below these, copying through the slots is not slower. */
  READ_FROM_BYTES = 512 * 1024,
  EXCHANGE_FROM_BYTES = 256 * 1024, /* for each member of an all-to-all */
  SHARD_FROM_BYTES = 32 * 1024, /* of an all-reduce, where nothing is combined twice; for each member */
  PIPED_ABOVE_BYTES = 32 * 1024 * 1024, /* all members' results: written by their owners, past the caches */
  MAPPED_FROM_BYTES = 4 * 1024
};

enum way way_of(const struct engine_comm* comm, const struct engine_call* call, size_t bytes) {
  size_t size = (size_t)comm->size;
  if (call->what != ENGINE_ALL_REDUCE) {
    size_t from = call->what == ENGINE_ALL_TO_ALL ? EXCHANGE_FROM_BYTES : READ_FROM_BYTES;
    return comm->direct && bytes >= from ? BY_REACH : BY_SLOTS;
  }
  if (bytes < SHARD_FROM_BYTES * size) {
    return BY_SLOTS;
  }
  return comm->direct && bytes * size <= PIPED_ABOVE_BYTES ? BY_REACH : BY_SHARDS;
}

bool way_tries_windows(const struct engine_comm* comm, size_t bytes) {
  return comm->extension != NULL && bytes >= MAPPED_FROM_BYTES;
}
