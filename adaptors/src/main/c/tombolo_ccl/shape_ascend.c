// SPDX-License-Identifier: Apache-2.0
/*
 * HCCL of Huawei's CANN: the id (root info) goes by pointer, sizes and ranks are unsigned, a broadcast has one buffer, and
 * an all-to-all has a count and a type for each direction. Otherwise as NCCL.
 */
#include "shapes.h"

static int join(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  return ((int (*)(uint32_t, const void*, uint32_t, void**))api->entries[COMM_INIT_RANK])((uint32_t)m->size, m->id,
                                                                                         (uint32_t)m->rank, communicator);
}

static int broadcast(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, uint64_t, int, uint32_t, void*, void*))entry)(c->receive, c->count, c->type, (uint32_t)c->root,
                                                                       communicator, c->stream);
}

static int all_to_all(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, uint64_t, int, const void*, uint64_t, int, void*, void*))entry)(
      c->send, c->count, c->type, c->receive, c->count, c->type, communicator, c->stream);
}

const struct ccl_shape ccl_ascend_shape = {
    .id_bytes = 4108,
    .version = nccl_version,
    .join = join,
    .async_error = nccl_async_error,
    .collectives =
        {
            [ALL_REDUCE] = nccl_reduced,
            [REDUCE_SCATTER] = nccl_reduced,
            [REDUCE] = nccl_reduce,
            [BROADCAST] = broadcast,
            [SCATTER] = nccl_rooted,
            [ALL_GATHER] = nccl_moved,
            [ALL_TO_ALL] = all_to_all,
            [SEND] = nccl_send,
            [RECEIVE] = nccl_receive,
        },
};
