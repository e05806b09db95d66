/*
 * The entry points of NCCL's ABI, which RCCL shares but for one name. Calls return once they are queued on the emulated stream. Inside a
 * group they are only noted, and queued by the outermost ncclGroupEnd.
 */
#include <stdlib.h>

#include "ccl_nccl_abi.h"
#include "emu_device.h"
#include "emu_numbers.h"

enum { GROUP_CALLS = 1024 };

typedef struct {
  char internal[EMU_ID_BYTES];
} ncclUniqueId;

/* A call with the communicator and stream it was made for. */
struct noted {
  struct emu_comm* comm;
  void* stream;
  struct emu_call call;
};

/* What is queued on a stream: one collective, or the sends and receives of a group. */
struct queued {
  struct emu_comm* comm;
  struct emu_ticket ticket;
  int count;
  struct emu_call calls[];
};

static _Thread_local int group_depth;
static _Thread_local int group_size;
static _Thread_local struct noted group[GROUP_CALLS];

static void run_queued(void* argument) {
  struct queued* queued = argument;
  (void)emu_ccl_run(queued->comm, queued->ticket, queued->calls, queued->count); /* kept for ncclCommGetAsyncError */
  free(queued);
}

static struct queued* new_queued(struct emu_comm* comm, int most) {
  struct queued* queued = malloc(sizeof *queued + (size_t)most * sizeof *queued->calls);
  if (queued != NULL) {
    queued->comm = comm;
    queued->count = 0;
  }
  return queued;
}

/* Queues it, or frees it and says why not. */
static enum emu_result launch(struct queued* queued, void* stream) {
  if (queued == NULL) {
    return emu_ccl_error(EMU_SYSTEM, "no memory for a call");
  }
  struct emu_comm* comm = queued->comm;
  emu_ccl_lock(comm);
  struct emu_ticket ticket = emu_ccl_ticket(comm);
  queued->ticket = ticket;
  int refused = emu_stream_enqueue(stream, run_queued, queued);
  if (refused != 0) {
    emu_ccl_return_ticket(comm, ticket);
  }
  emu_ccl_unlock(comm);
  if (refused != 0) {
    free(queued);
    return emu_ccl_error(EMU_DEVICE, "the stream takes no work: errno %d", refused);
  }
  return EMU_OK;
}

static enum emu_result launch_alone(const struct noted* noted) {
  struct queued* queued = new_queued(noted->comm, 1);
  if (queued != NULL) {
    queued->calls[queued->count++] = noted->call;
  }
  return launch(queued, noted->stream);
}

static bool is_transfer(const struct noted* noted) { return noted->call.what >= EMU_SEND; }

/* Launches together all sends and receives of the group that are of one communicator with `first`. */
static enum emu_result launch_transfers(const struct noted* first) {
  struct queued* queued = new_queued(first->comm, GROUP_CALLS);
  for (struct noted* noted = group; queued != NULL && noted < group + group_size; noted++) {
    if (!is_transfer(noted) || noted->comm != first->comm) {
      continue;
    }
    if (noted->stream != first->stream) {
      free(queued);
      return emu_ccl_error(EMU_USAGE, "this emulation wants a group's sends and receives on one stream");
    }
    queued->calls[queued->count++] = noted->call;
  }
  return launch(queued, first->stream);
}

/* Collectives in their order, and then the sends and receives of each communicator. */
static enum emu_result launch_group(void) {
  enum emu_result result = EMU_OK;
  for (int i = 0; result == EMU_OK && i < group_size; i++) {
    result = is_transfer(&group[i]) ? EMU_OK : launch_alone(&group[i]);
  }
  for (int i = 0; result == EMU_OK && i < group_size; i++) {
    bool launched = !is_transfer(&group[i]);
    for (int earlier = 0; earlier < i && !launched; earlier++) {
      launched = is_transfer(&group[earlier]) && group[earlier].comm == group[i].comm;
    }
    result = launched ? EMU_OK : launch_transfers(&group[i]);
  }
  group_size = 0;
  return result;
}

/* Checks the address and replaces it by the host's; a vector of no elements may be anywhere. */
static bool resolve(const void** address, size_t count, enum emu_type type) {
  *address = count == 0 ? NULL : emu_alias(*address, count * emu_type_bytes(type));
  return count == 0 || *address != NULL;
}

static enum emu_result checked(struct noted* noted) {
  struct emu_comm* comm = noted->comm;
  struct emu_call* call = &noted->call;
  int rank = emu_ccl_rank(comm);
  int size = emu_ccl_size(comm);
  if (call->root < 0 || call->root >= size) {
    return emu_ccl_error(EMU_ARGUMENT, "root or peer %d of %d ranks", call->root, size);
  }
  if (call->what == EMU_ALL_TO_ALL && call->send == call->receive && call->count > 0) {
    return emu_ccl_error(EMU_ARGUMENT, "an all-to-all is not in place");
  }
  const void* receive = call->receive;
  if (!resolve(&call->send, emu_send_count(call, rank, size), call->type) ||
      !resolve(&receive, emu_receive_count(call, rank, size), call->type)) {
    return emu_ccl_error(EMU_ARGUMENT, "rank %d: an address is not device memory of this process", rank);
  }
  call->receive = (void*)receive;
  return EMU_OK;
}

static enum emu_result queue(struct noted* noted) {
  enum emu_result result = checked(noted);
  if (result != EMU_OK || group_depth == 0) {
    return result == EMU_OK ? launch_alone(noted) : result;
  }
  if (group_size == GROUP_CALLS) {
    return emu_ccl_error(EMU_USAGE, "more than %d calls in a group", GROUP_CALLS);
  }
  group[group_size++] = *noted;
  return EMU_OK;
}

int emu_nccl_call(struct emu_comm* comm, struct emu_call call, int type, int op, void* stream) {
  if (comm == NULL || !emu_type_of(type, &call.type) || !emu_op_of(op, &call.op)) {
    return emu_number_of(emu_ccl_error(EMU_ARGUMENT, "communicator %p, type %d, operator %d", (void*)comm, type, op));
  }
  struct noted noted = {.comm = comm, .stream = stream, .call = call};
  return emu_number_of(queue(&noted));
}

API int ncclAllReduce(const void* send, void* receive, size_t count, int type, int op, struct emu_comm* comm,
                      void* stream) {
  struct emu_call call = {.what = EMU_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return emu_nccl_call(comm, call, type, op, stream);
}

API int ncclReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct emu_comm* comm,
                   void* stream) {
  struct emu_call call = {.what = EMU_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return emu_nccl_call(comm, call, type, op, stream);
}

API int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, struct emu_comm* comm,
                      void* stream) {
  struct emu_call call = {.what = EMU_BROADCAST, .send = send, .receive = receive, .count = count, .root = root};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct emu_comm* comm,
                          void* stream) {
  struct emu_call call = {.what = EMU_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return emu_nccl_call(comm, call, type, op, stream);
}

API int ncclAllGather(const void* send, void* receive, size_t count, int type, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_ALL_GATHER, .send = send, .receive = receive, .count = count};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclGather(const void* send, void* receive, size_t count, int type, int root, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_GATHER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclScatter(const void* send, void* receive, size_t count, int type, int root, struct emu_comm* comm,
                    void* stream) {
  struct emu_call call = {.what = EMU_SCATTER, .send = send, .receive = receive, .count = count, .root = root};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclSend(const void* send, size_t count, int type, int peer, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_SEND, .send = send, .count = count, .root = peer};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
}

API int ncclRecv(void* receive, size_t count, int type, int peer, struct emu_comm* comm, void* stream) {
  struct emu_call call = {.what = EMU_RECEIVE, .receive = receive, .count = count, .root = peer};
  return emu_nccl_call(comm, call, type, emu_numbers.ops[EMU_SUM], stream);
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
  return emu_number_of(launch_group());
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
