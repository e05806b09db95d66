// SPDX-License-Identifier: Apache-2.0
/*
 * The entry points of CNCL's ABI as cncl.h has them: members join by lists of devices and ranks, the id goes by pointer, and
 * the state of a communicator is the result of asking for it.
 */
#include <string.h>

#include "../shared/ccl_alive.h"
#include "../shared/ccl_queue.h"
#include "emu_numbers.h"
#include "emu_settings.h"
#include "witness_cambricon.h"

typedef struct {
  char data[CNCL_CLIQUE_ID_BYTES_SIZE];
  uint64_t hash;
} cnclCliqueId;

_Static_assert(sizeof(cnclCliqueId) == cnclCliqueIdBytes && CNCL_CLIQUE_ID_BYTES_SIZE == ENGINE_ID_BYTES, "the vendor's id");

static uint64_t hash_of(const char* bytes) {
  uint64_t hash = 14695981039346656037U; /* FNV-1a: an id that was cut on its way is found out */
  for (size_t i = 0; i < CNCL_CLIQUE_ID_BYTES_SIZE; i++) {
    hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211U;
  }
  return hash;
}

API int cnclGetLibVersion(int* major, int* minor, int* patch) {
  *major = emu_version() / 10000;
  *minor = emu_version() / 100 % 100;
  *patch = emu_version() % 100;
  return CNCL_RET_SUCCESS;
}

API int cnclGetCliqueId(cnclCliqueId* id) {
  enum engine_result result = engine_unique_id((unsigned char*)id->data);
  id->hash = hash_of(id->data);
  return emu_number_of(result);
}

API int cnclInitComms(struct engine_comm** comms, int count, const int* devices, const int* ranks, int size,
                      const cnclCliqueId* id) {
  if (count != 1 || *devices < 0 || id->hash != hash_of(id->data)) {
    return emu_number_of(engine_error(ENGINE_ARGUMENT, "%d members, device %d, or not an id", count, *devices));
  }
  return emu_number_of(engine_join(comms, (const unsigned char*)id->data, *ranks, size));
}

API int cnclFreeComm(struct engine_comm* comm) {
  engine_destroy(comm);
  return CNCL_RET_SUCCESS;
}

API int cnclAbortComm(struct engine_comm* comm) {
  if (emu_setting("TOMBOLO_EMU_NO_ABORT", 0) != 0) {
    return emu_number_of(engine_error(ENGINE_INTERNAL, "abort is switched off by TOMBOLO_EMU_NO_ABORT"));
  }
  emu_comm_abort(comm);
  return CNCL_RET_SUCCESS;
}

API int cnclGetCommAsyncError(const struct engine_comm* comm) {
  return emu_number_of(engine_async_error((struct engine_comm*)(uintptr_t)comm));
}

API int cnclAllReduce(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm, void* queue) {
  struct engine_call call = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, queue);
}

API int cnclReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct engine_comm* comm,
                   void* queue) {
  struct engine_call call = {.what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, op, queue);
}

API int cnclBroadcast(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,
                      void* queue) {
  struct engine_call call = {.what = ENGINE_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return emu_queue_call(comm, call, type, cnclSum, queue);
}

API int cnclReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                          void* queue) {
  struct engine_call call = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, op, queue);
}

API int cnclAllGather(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* queue) {
  struct engine_call call = {.what = ENGINE_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, cnclSum, queue);
}

API int cnclAlltoAll(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* queue) {
  struct engine_call call = {.what = ENGINE_ALL_TO_ALL, .send = send, .receive = receive, .count = count};
  return emu_queue_call(comm, call, type, cnclSum, queue);
}

API int cnclSend(const void* send, size_t count, int type, int peer, struct engine_comm* comm, void* queue) {
  struct engine_call call = {.what = ENGINE_SEND, .send = send, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, cnclSum, queue);
}

API int cnclRecv(void* receive, size_t count, int type, int peer, struct engine_comm* comm, void* queue) {
  struct engine_call call = {.what = ENGINE_RECEIVE, .receive = receive, .count = count, .root = peer};
  return emu_queue_call(comm, call, type, cnclSum, queue);
}

API int cnclGroupStart(void) {
  emu_group_start();
  return CNCL_RET_SUCCESS;
}

API int cnclGroupEnd(void) { return emu_number_of(emu_group_end()); }

/* The particulars of the last error come too: CNCL has no other call for them, and writes them to its log. */
API const char* cnclGetErrorStr(int result) {
  const char* particular = engine_last_error();
  return result == CNCL_RET_SUCCESS || *particular == '\0' ? emu_result_text(result) : particular;
}
