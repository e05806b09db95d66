// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of NCCL's ABI under any prefix, but for the all-to-all, which is spelled in two ways. Whoever includes this
 * defines CCL(suffix), and unique_id, which begins with an array `internal` of at least ENGINE_ID_BYTES.
 */
#ifndef CCL_NCCL_LIKE_H
#define CCL_NCCL_LIKE_H

#include "ccl_alive.h"
#include "ccl_queue.h"
#include "emu_numbers.h"
#include "emu_settings.h"

API int CCL(AllReduce)(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                      void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int CCL(Reduce)(const void* send, void* receive, size_t count, int type, int op, int root, struct engine_comm* comm,
                   void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, op, stream);
}

API int CCL(Broadcast)(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                      void* stream) {
  struct engine_call call = {.what = ENGINE_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(ReduceScatter)(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                          void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int CCL(AllGather)(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(Gather)(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_GATHER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(Scatter)(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                    void* stream) {
  struct engine_call call = {.what = ENGINE_SCATTER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(Send)(const void* send, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_SEND, .send = send, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(Recv)(void* receive, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_RECEIVE, .receive = receive, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int CCL(GroupStart)(void) {
  emu_group_start();
  return emu_number_of(ENGINE_OK);
}

API int CCL(GroupEnd)(void) { return emu_number_of(emu_group_end()); }

API int CCL(GetVersion)(int* version) {
  *version = emu_version();
  return emu_number_of(ENGINE_OK);
}

API int CCL(GetUniqueId)(unique_id* id) { return emu_number_of(engine_unique_id((unsigned char*)id->internal)); }

API int CCL(CommInitRank)(struct engine_comm** comm, int size, unique_id id, int rank) {
  if (emu_in_group()) {
    return emu_number_of(engine_error(ENGINE_USAGE, "this emulation joins outside of groups only"));
  }
  enum engine_result result = engine_join(comm, (const unsigned char*)id.internal, rank, size);
  emu_comm_born(*comm);
  return emu_number_of(result);
}

API int CCL(CommDestroy)(struct engine_comm* comm) {
  if (!emu_comm_free(comm, "a destroy")) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "the communicator was freed before"));
  }
  engine_destroy(comm);
  return emu_number_of(ENGINE_OK);
}

API int CCL(CommAbort)(struct engine_comm* comm) {
  if (emu_setting("TOMBOLO_EMU_NO_ABORT", 0) != 0) {
    return emu_number_of(engine_error(ENGINE_INTERNAL, "abort is switched off by TOMBOLO_EMU_NO_ABORT"));
  }
  if (!emu_comm_free(comm, "an abort")) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "the communicator was freed before"));
  }
  emu_comm_abort(comm);
  return emu_number_of(ENGINE_OK);
}

API int CCL(CommGetAsyncError)(struct engine_comm* comm, int* error) {
  if (!emu_comm_enter(comm, EMU_QUESTION)) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "the communicator was freed"));
  }
  emu_comm_think();
  *error = emu_number_of(engine_async_error(comm));
  emu_comm_leave(comm, EMU_QUESTION);
  return emu_number_of(ENGINE_OK);
}

API int CCL(CommCount)(const struct engine_comm* comm, int* count) {
  *count = engine_size(comm);
  return emu_number_of(ENGINE_OK);
}

API int CCL(CommUserRank)(const struct engine_comm* comm, int* rank) {
  *rank = engine_rank(comm);
  return emu_number_of(ENGINE_OK);
}

API const char* CCL(GetErrorString)(int result) { return emu_result_text(result); }

API const char* CCL(GetLastError)(struct engine_comm* comm) {
  (void)comm;
  return engine_last_error();
}

#endif
