// SPDX-License-Identifier: Apache-2.0
/*
 * NCCL's shape: the id goes by value, so its size is part of the call; the communicator and the stream come last. The
 * library's enums are ints. oneCCL and Gaudi's HCCL differ from it only in how a member joins.
 */
#include <string.h>

#include "shapes.h"

int nccl_version(void* entry, int* version) { return ((int (*)(int*))entry)(version); }

int nccl_async_error(void* entry, void* communicator, int* error) {
  return ((int (*)(void*, int*))entry)(communicator, error);
}

int nccl_reduced(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, void*, size_t, int, int, void*, void*))entry)(c->send, c->receive, c->count, c->type, c->op,
                                                                             communicator, c->stream);
}

int nccl_reduce(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, void*, size_t, int, int, int, void*, void*))entry)(
      c->send, c->receive, c->count, c->type, c->op, c->root, communicator, c->stream);
}

int nccl_rooted(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, void*, size_t, int, int, void*, void*))entry)(c->send, c->receive, c->count, c->type, c->root,
                                                                             communicator, c->stream);
}

int nccl_moved(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, void*, size_t, int, void*, void*))entry)(c->send, c->receive, c->count, c->type,
                                                                        communicator, c->stream);
}

int nccl_send(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(const void*, size_t, int, int, void*, void*))entry)(c->send, c->count, c->type, c->root, communicator,
                                                                      c->stream);
}

int nccl_receive(void* entry, void* communicator, const struct ccl_call* c) {
  return ((int (*)(void*, size_t, int, int, void*, void*))entry)(c->receive, c->count, c->type, c->root, communicator,
                                                                c->stream);
}

struct id128 {
  char bytes[128];
};

static int join_nccl(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  struct id128 value;
  memcpy(&value, m->id, sizeof value);
  return ((int (*)(void**, int, struct id128, int))api->entries[COMM_INIT_RANK])(communicator, m->size, value, m->rank);
}

struct id4096 {
  char bytes[4096];
};

static int join_oneccl(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  struct id4096 value;
  memcpy(&value, m->id, sizeof value);
  return ((int (*)(void**, size_t, struct id4096, int))api->entries[COMM_INIT_RANK])(communicator, (size_t)m->size, value,
                                                                                     m->rank);
}

/* hcclUniqueId: the bytes, and how many of them are used. */
struct gaudi_id {
  uint8_t bytes[1024];
  size_t length;
};

static int join_gaudi(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  struct gaudi_id value;
  memcpy(&value, m->id, sizeof value);
  return ((int (*)(void**, int, struct gaudi_id, int))api->entries[COMM_INIT_RANK])(communicator, m->size, value, m->rank);
}

const struct ccl_shape ccl_nccl_shape = {
    .id_bytes = sizeof(struct id128),
    .version = nccl_version,
    .join = join_nccl,
    .async_error = nccl_async_error,
    .collectives = {NCCL_COLLECTIVES},
};

const struct ccl_shape ccl_oneccl_shape = {
    .id_bytes = sizeof(struct id4096),
    .version = nccl_version,
    .join = join_oneccl,
    .async_error = nccl_async_error,
    .collectives = {NCCL_COLLECTIVES},
};

const struct ccl_shape ccl_gaudi_shape = {
    .id_bytes = sizeof(struct gaudi_id),
    .version = nccl_version,
    .join = join_gaudi,
    .async_error = nccl_async_error,
    .collectives = {NCCL_COLLECTIVES},
};
