/*
 * The entry points of NCCL's ABI, which RCCL shares. Calls return once they are queued on the emulated stream. Inside a
 * group they are only noted, and queued by the outermost ncclGroupEnd.
 */
#include <stdlib.h>

#include "emu_ccl.h"
#include "emu_device.h"
#include "emu_numbers.h"

#define API __attribute__((visibility("default")))

enum { GROUP_CALLS = 256 };

typedef struct {
  char internal[EMU_ID_BYTES];
} ncclUniqueId;

struct queued {
  struct emu_comm* comm;
  void* stream;
  uint64_t ticket;
  struct emu_call call;
};

static _Thread_local int group_depth;
static _Thread_local int group_size;
static _Thread_local struct queued group[GROUP_CALLS];

static void run_queued(void* argument) {
  struct queued* queued = argument;
  (void)emu_ccl_run(queued->comm, queued->ticket, &queued->call); /* kept for ncclCommGetAsyncError */
  free(queued);
}

static enum emu_result launch(const struct queued* noted) {
  struct queued* queued = malloc(sizeof *queued);
  if (queued == NULL) {
    return emu_ccl_error(EMU_SYSTEM, "no memory for a call");
  }
  *queued = *noted;
  emu_ccl_lock(queued->comm);
  queued->ticket = emu_ccl_ticket(queued->comm);
  int refused = emu_stream_enqueue(queued->stream, run_queued, queued);
  if (refused != 0) {
    emu_ccl_return_ticket(queued->comm);
  }
  emu_ccl_unlock(noted->comm);
  if (refused != 0) {
    free(queued);
    return emu_ccl_error(EMU_DEVICE, "the stream takes no work: errno %d", refused);
  }
  return EMU_OK;
}

/* Checks the address and replaces it by the host's; a vector of no elements may be anywhere. */
static bool resolve(const void** address, size_t count, enum emu_type type) {
  *address = count == 0 ? NULL : emu_alias(*address, count * emu_type_bytes(type));
  return count == 0 || *address != NULL;
}

static enum emu_result checked(struct queued* noted) {
  struct emu_comm* comm = noted->comm;
  struct emu_call* call = &noted->call;
  int rank = emu_ccl_rank(comm);
  int size = emu_ccl_size(comm);
  if (call->root < 0 || call->root >= size) {
    return emu_ccl_error(EMU_ARGUMENT, "root %d of %d ranks", call->root, size);
  }
  const void* receive = call->receive;
  if (!resolve(&call->send, emu_send_count(call, rank, size), call->type) ||
      !resolve(&receive, emu_receive_count(call, rank, size), call->type)) {
    return emu_ccl_error(EMU_ARGUMENT, "rank %d: an address is not device memory of this process", rank);
  }
  call->receive = (void*)receive;
  return EMU_OK;
}

static enum emu_result queue(struct queued* noted) {
  enum emu_result result = checked(noted);
  if (result != EMU_OK || group_depth == 0) {
    return result == EMU_OK ? launch(noted) : result;
  }
  if (group_size == GROUP_CALLS) {
    return emu_ccl_error(EMU_USAGE, "more than %d calls in a group", GROUP_CALLS);
  }
  group[group_size++] = *noted;
  return EMU_OK;
}

static int collective(struct emu_comm* comm, struct emu_call call, int type, int op, void* stream) {
  if (comm == NULL || !emu_type_of(type, &call.type) || !emu_op_of(op, &call.op)) {
    return emu_number_of(emu_ccl_error(EMU_ARGUMENT, "communicator %p, type %d, operator %d", (void*)comm, type, op));
  }
  struct queued noted = {.comm = comm, .stream = stream, .call = call};
  return emu_number_of(queue(&noted));
}

API int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, struct emu_comm* comm,
                      void* stream) {
  struct emu_call call = {.what = EMU_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, op, stream);
}

API int ncclReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct emu_comm* comm,
                   void* stream) {
  struct emu_call call = {.what = EMU_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return collective(comm, call, type, op, stream);
}

API int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, struct emu_comm* comm,
                      void* stream) {
  struct emu_call call = {.what = EMU_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return collective(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct emu_comm* comm,
                          void* stream) {
  struct emu_call call = {.what = EMU_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, op, stream);
}

API int ncclAllGather(const void* send, void* receive, size_t count, int type, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return collective(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclGroupStart(void) {
  group_depth++;
  return emu_number_of(EMU_OK);
}

API int ncclGroupEnd(void) {
  if (group_depth == 0) {
    return emu_number_of(emu_ccl_error(EMU_USAGE, "no group is open"));
  }
  if (--group_depth > 0) {
    return emu_number_of(EMU_OK);
  }
  enum emu_result result = EMU_OK;
  for (int i = 0; result == EMU_OK && i < group_size; i++) {
    result = launch(&group[i]);
  }
  group_size = 0;
  return emu_number_of(result);
}

API int ncclGetVersion(int* version) {
  *version = emu_version();
  return emu_number_of(EMU_OK);
}

API int ncclGetUniqueId(ncclUniqueId* id) { return emu_number_of(emu_ccl_unique_id((unsigned char*)id->internal)); }

API int ncclCommInitRank(struct emu_comm** comm, int size, ncclUniqueId id, int rank) {
  if (group_depth > 0) {
    return emu_number_of(emu_ccl_error(EMU_USAGE, "this emulation joins outside of groups only"));
  }
  return emu_number_of(emu_ccl_join(comm, (const unsigned char*)id.internal, rank, size));
}

API int ncclCommDestroy(struct emu_comm* comm) {
  emu_ccl_destroy(comm);
  return emu_number_of(EMU_OK);
}

API int ncclCommAbort(struct emu_comm* comm) {
  if (emu_setting("TOMBOLO_EMU_NO_ABORT", 0) != 0) {
    return emu_number_of(emu_ccl_error(EMU_INTERNAL, "abort is switched off by TOMBOLO_EMU_NO_ABORT"));
  }
  emu_ccl_abort(comm);
  return emu_number_of(EMU_OK);
}

API int ncclCommGetAsyncError(struct emu_comm* comm, int* error) {
  *error = emu_number_of(emu_ccl_async_error(comm));
  return emu_number_of(EMU_OK);
}

API int ncclCommCount(const struct emu_comm* comm, int* count) {
  *count = emu_ccl_size(comm);
  return emu_number_of(EMU_OK);
}

API int ncclCommUserRank(const struct emu_comm* comm, int* rank) {
  *rank = emu_ccl_rank(comm);
  return emu_number_of(EMU_OK);
}

API const char* ncclGetErrorString(int result) { return emu_result_text(result); }

API const char* ncclGetLastError(struct emu_comm* comm) {
  (void)comm;
  return emu_ccl_last_error();
}
