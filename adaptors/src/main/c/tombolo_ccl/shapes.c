/* Joining a communicator, once per call shape: the unique id goes by value, so its size is part of the call. */
#include <string.h>

#include "ccl.h"

struct id128 {
  char bytes[128];
};

struct id4096 {
  char bytes[4096];
};

static int join_nccl(void* entry, void** communicator, const void* id, int rank, int size) {
  struct id128 value;
  memcpy(&value, id, sizeof value);
  return ((int (*)(void**, int, struct id128, int))entry)(communicator, size, value, rank);
}

static int join_oneccl(void* entry, void** communicator, const void* id, int rank, int size) {
  struct id4096 value;
  memcpy(&value, id, sizeof value);
  return ((int (*)(void**, size_t, struct id4096, int))entry)(communicator, (size_t)size, value, rank);
}

static const struct {
  size_t id_bytes;
  int (*join)(void* entry, void** communicator, const void* id, int rank, int size);
} shapes[SHAPES] = {
    [NCCL_SHAPE] = {sizeof(struct id128), join_nccl},
    [ONECCL_SHAPE] = {sizeof(struct id4096), join_oneccl},
};

size_t ccl_id_bytes(enum shape shape) { return shapes[shape].id_bytes; }

int ccl_join(const struct ccl_api* api, void** communicator, const void* id, int rank, int size) {
  return shapes[api->shape].join(api->entries[COMM_INIT_RANK], communicator, id, rank, size);
}
