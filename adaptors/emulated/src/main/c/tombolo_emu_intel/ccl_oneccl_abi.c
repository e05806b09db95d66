// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of oneCCL's C API as its CPU library behaves: host memory, the stream is ignored, a call returns when
 * it is done; no groups, no abort. Where the library crashes (send and receive), this one has no entry point.
 */
#include <string.h>

#include "emu_numbers.h"
#include "witness_oneccl.h"

#define API __attribute__((visibility("default")))

typedef struct {
  char data[ONECCL_UNIQUE_ID_BYTES];
} onecclUniqueId;

static int collective(struct engine_comm* comm, struct engine_call call, int type, int op) {
  if (comm == NULL || call.root < 0 || call.root >= engine_size(comm)) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "communicator %p, root %d", (void*)comm, call.root));
  }
  if (!emu_type_of(type, &call.type) || !emu_op_of(op, &call.op)) {
    (void)engine_error(ENGINE_ARGUMENT, "type %d, operator %d", type, op);
    return onecclPluginException;
  }
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  return emu_number_of(engine_run(comm, ticket, &call, 1));
}

API int onecclAllReduce(void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm, void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, op);
}

API int onecclReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct engine_comm* comm,
                     void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return collective(comm, call, type, op);
}

API int onecclBroadcast(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                        void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return collective(comm, call, type, onecclSum);
}

API int onecclReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                            void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, op);
}

API int onecclAllGather(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, onecclSum);
}

API int onecclAllToAll(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {
  (void)stream;
  struct engine_call call = {.what = ENGINE_ALL_TO_ALL, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, onecclSum);
}

API int onecclGroupStart(void) { return onecclPluginException; }

API int onecclGroupEnd(void) { return onecclPluginException; }

API int onecclGetVersion(int* version) {
  *version = emu_version();
  return onecclSuccess;
}

API int onecclGetUniqueId(onecclUniqueId* id) {
  memset(id, 0, sizeof *id);
  return emu_number_of(engine_unique_id((unsigned char*)id->data));
}

API int onecclCommInitRank(struct engine_comm** comm, size_t size, onecclUniqueId id, int rank) {
  int members = size > ENGINE_MAX_RANKS ? ENGINE_MAX_RANKS + 1 : (int)size;
  return emu_number_of(engine_join(comm, (const unsigned char*)id.data, rank, members));
}

API int onecclCommDestroy(struct engine_comm* comm) {
  engine_destroy(comm);
  return onecclSuccess;
}

API int onecclCommAbort(struct engine_comm* comm) {
  (void)comm;
  return onecclNotImplemented;
}

API const char* onecclGetErrorString(int result) { return emu_result_text(result); }

API const char* onecclGetLastError(struct engine_comm* comm) {
  (void)comm;
  return engine_last_error();
}
