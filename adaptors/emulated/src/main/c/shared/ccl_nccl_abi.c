/* The entry points of NCCL's ABI, which RCCL shares but for one name. */
#include "ccl_queue.h"
#include "emu_numbers.h"
#include "emu_settings.h"

typedef struct {
  char internal[ENGINE_ID_BYTES];
} ncclUniqueId;

API int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                      void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int ncclReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct engine_comm* comm,
                   void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, op, stream);
}

API int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                      void* stream) {
  struct engine_call call = {.what = ENGINE_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                          void* stream) {
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, stream);
}

API int ncclAllGather(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclGather(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_GATHER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclScatter(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                    void* stream) {
  struct engine_call call = {.what = ENGINE_SCATTER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclSend(const void* send, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_SEND, .send = send, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclRecv(void* receive, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  struct engine_call call = {.what = ENGINE_RECEIVE, .receive = receive, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, emu_numbers.ops[ENGINE_SUM], stream);
}

API int ncclGroupStart(void) {
  emu_group_start();
  return emu_number_of(ENGINE_OK);
}

API int ncclGroupEnd(void) { return emu_number_of(emu_group_end()); }

API int ncclGetVersion(int* version) {
  *version = emu_version();
  return emu_number_of(ENGINE_OK);
}

API int ncclGetUniqueId(ncclUniqueId* id) { return emu_number_of(engine_unique_id((unsigned char*)id->internal)); }

API int ncclCommInitRank(struct engine_comm** comm, int size, ncclUniqueId id, int rank) {
  if (emu_in_group()) {
    return emu_number_of(engine_error(ENGINE_USAGE, "this emulation joins outside of groups only"));
  }
  return emu_number_of(engine_join(comm, (const unsigned char*)id.internal, rank, size));
}

API int ncclCommDestroy(struct engine_comm* comm) {
  engine_destroy(comm);
  return emu_number_of(ENGINE_OK);
}

API int ncclCommAbort(struct engine_comm* comm) {
  if (emu_setting("TOMBOLO_EMU_NO_ABORT", 0) != 0) {
    return emu_number_of(engine_error(ENGINE_INTERNAL, "abort is switched off by TOMBOLO_EMU_NO_ABORT"));
  }
  engine_abort(comm);
  return emu_number_of(ENGINE_OK);
}

API int ncclCommGetAsyncError(struct engine_comm* comm, int* error) {
  *error = emu_number_of(engine_async_error(comm));
  return emu_number_of(ENGINE_OK);
}

API int ncclCommCount(const struct engine_comm* comm, int* count) {
  *count = engine_size(comm);
  return emu_number_of(ENGINE_OK);
}

API int ncclCommUserRank(const struct engine_comm* comm, int* rank) {
  *rank = engine_rank(comm);
  return emu_number_of(ENGINE_OK);
}

API const char* ncclGetErrorString(int result) { return emu_result_text(result); }

API const char* ncclGetLastError(struct engine_comm* comm) {
  (void)comm;
  return engine_last_error();
}
