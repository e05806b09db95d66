// SPDX-License-Identifier: Apache-2.0
/*
 * Kunlunxin's XCCL: the communicator (context) comes first, the id goes by pointer, the rank before the size, and a count
 * stands right after its own buffer where the two buffers' counts differ.
 */
#include "shapes.h"

static int join(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  return ((int (*)(void**, int, int, const void*))api->entries[COMM_INIT_RANK])(communicator, m->rank, m->size, m->id);
}

static int reduced(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, const void*, void*, size_t, int, int, void*))entry)(communicator, c->send, c->receive, c->count,
                                                                             c->type, c->op, c->stream);
}

static int broadcast(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, const void*, void*, size_t, int, int, void*))entry)(communicator, c->send, c->receive, c->count,
                                                                             c->type, c->root, c->stream);
}

static int all_gather(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, const void*, size_t, void*, int, void*))entry)(communicator, c->send, c->count, c->receive, c->type,
                                                                        c->stream);
}

static int send(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, const void*, size_t, int, int, void*))entry)(communicator, c->send, c->count, c->root, c->type,
                                                                      c->stream);
}

static int receive(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, void*, size_t, int, int, void*))entry)(communicator, c->receive, c->count, c->root, c->type,
                                                                c->stream);
}

const struct ccl_shape ccl_xccl_shape = {
    .id_bytes = 128,
    .version = nccl_version,
    .join = join,
    .async_error = nccl_async_error,
    .collectives =
        {
            [ALL_REDUCE] = reduced,
            [REDUCE_SCATTER] = reduced,
            [BROADCAST] = broadcast,
            [ALL_GATHER] = all_gather,
            [ALL_TO_ALL] = all_gather,
            [SEND] = send,
            [RECEIVE] = receive,
        },
};
