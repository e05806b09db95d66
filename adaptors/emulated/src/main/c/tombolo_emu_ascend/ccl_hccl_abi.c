// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of HCCL's ABI as hccl.h has them: the id goes by pointer, a broadcast has one buffer, an all-to-all has
 * a count and a type for each direction. There is no abort, no group and no version.
 */
#include <string.h>

#include "../shared/ccl_queue.h"
#include "emu_numbers.h"
#include "witness_ascend.h"

typedef struct {
  char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;

API int HcclGetRootInfo(HcclRootInfo* id) {
  memset(id, 0, sizeof *id);
  return emu_number_of(engine_unique_id((unsigned char*)id->internal));
}

/* The engine's id is the beginning of HCCL's; what follows must be as it was made, or the id was cut on its way. */
API int HcclCommInitRootInfo(uint32_t size, const HcclRootInfo* id, uint32_t rank, struct engine_comm** comm) {
  for (size_t i = ENGINE_ID_BYTES; i < sizeof id->internal; i++) {
    if (id->internal[i] != 0) {
      return emu_number_of(engine_error(ENGINE_ARGUMENT, "no unique id: byte %zu was changed", i));
    }
  }
  int members = size > ENGINE_MAX_RANKS ? ENGINE_MAX_RANKS + 1 : (int)size;
  return emu_number_of(engine_join(comm, (const unsigned char*)id->internal, (int)rank, members));
}

API int HcclCommDestroy(struct engine_comm* comm) {
  engine_destroy(comm);
  return HCCL_SUCCESS;
}

API int HcclAllReduce(void* send, void* receive, uint64_t count, int type, int op, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int HcclReduceScatter(void* send, void* receive, uint64_t count, int type, int op, struct engine_comm* comm,
                          void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int HcclReduce(void* send, void* receive, uint64_t count, int type, int op, uint32_t root, struct engine_comm* comm,
                   void* stream) {
  struct engine_call call = {
      .what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = (int)root};
  return emu_queue_call(comm, call, type, op, stream);
}

API int HcclBroadcast(void* buffer, uint64_t count, int type, uint32_t root, struct engine_comm* comm, void* stream) {
  struct engine_call call = {
      .what = ENGINE_BROADCAST, .send = buffer, .receive = buffer, .count = count, .root = (int)root};
  return emu_queue_call(comm, call, type, HCCL_REDUCE_SUM, stream);
}

API int HcclAllGather(void* send, void* receive, uint64_t count, int type, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, HCCL_REDUCE_SUM, stream);
}

API int HcclAlltoAll(const void* send, uint64_t send_count, int send_type, const void* receive, uint64_t receive_count,
                     int receive_type, struct engine_comm* comm, void* stream) {
  if (send_count != receive_count || send_type != receive_type) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "this emulation sends and receives alike"));
  }
  struct engine_call call = {
      .what = ENGINE_ALL_TO_ALL, .send = send, .receive = (void*)(uintptr_t)receive, .count = send_count};
  return emu_queue_call(comm, call, send_type, HCCL_REDUCE_SUM, stream);
}

API int HcclGetCommAsyncError(struct engine_comm* comm, int* error) {
  *error = emu_number_of(engine_async_error(comm));
  return HCCL_SUCCESS;
}

/* The particulars of the last error come too: HCCL has no other call for them, and writes them to its log. */
API const char* HcclGetErrorString(int result) {
  const char* particular = engine_last_error();
  return result == HCCL_SUCCESS || *particular == '\0' ? emu_result_text(result) : particular;
}
