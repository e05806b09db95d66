// SPDX-License-Identifier: Apache-2.0
/*
 * Cambricon's CNCL: members join by lists of devices and ranks, the id goes by pointer, an asynchronous error is the
 * result itself, and a version comes in three parts. Otherwise as NCCL.
 */
#include "shapes.h"

static int version(void* entry, int* version) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  int code = ((int (*)(int*, int*, int*))entry)(&major, &minor, &patch);
  *version = major * 10000 + minor * 100 + patch;
  return code;
}

static int join(const struct ccl_api* api, void** communicator, const struct ccl_member* m) {
  return ((int (*)(void**, int, const int*, const int*, int, const void*))api->entries[COMM_INIT_RANK])(
      communicator, 1, &m->device, &m->rank, m->size, m->id);
}

/* The query has no failure of its own: the caller compares what it found with its row's success. */
static int async_error(void* entry, void* communicator, int* error) {
  *error = ((int (*)(const void*))entry)(communicator);
  return 0;
}

const struct ccl_shape ccl_cncl_shape = {
    .id_bytes = 136, /* struct cnclCliqueId: 128 bytes and a hash of 64 bits */
    .version = version,
    .join = join,
    .async_error = async_error,
    .collectives = {NCCL_COLLECTIVES},
};
