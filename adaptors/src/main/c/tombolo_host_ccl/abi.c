// SPDX-License-Identifier: Apache-2.0
/*
 * The host library's entry points, in the shape of NCCL's: host memory, the stream is ignored, a call returns when it is
 * done. Results, types and operators are the engine's numbers. A group's calls are made by its end: collectives first,
 * then the sends and receives of each communicator side by side.
 */
#include "../shared/engine.h"
#include "../tombolo_reduce/reduce.h"
#include "offer.h"

#define API __attribute__((visibility("default")))

enum { GROUP_CALLS = 1024 };

typedef struct {
  char internal[ENGINE_ID_BYTES];
} tombolo_id;

struct noted {
  struct engine_comm* comm;
  struct engine_call call;
};

static _Thread_local int group_depth;
static _Thread_local int group_size;
static _Thread_local struct noted group[GROUP_CALLS];
static _Thread_local bool offers_next;

static enum engine_result run(struct engine_comm* comm, const struct engine_call* calls, int count) {
  engine_lock(comm);
  struct engine_ticket ticket = engine_ticket(comm);
  engine_unlock(comm);
  return engine_run(comm, ticket, calls, count);
}

static bool is_transfer(const struct engine_call* call) { return call->what >= ENGINE_SEND; }

/* Makes all sends and receives of the group that are of one communicator, and crosses them out. */
static enum engine_result run_transfers(struct engine_comm* comm) {
  static _Thread_local struct engine_call calls[GROUP_CALLS];
  int count = 0;
  for (int i = 0; i < group_size; i++) {
    if (group[i].comm == comm && is_transfer(&group[i].call)) {
      calls[count++] = group[i].call;
      group[i].comm = NULL;
    }
  }
  return run(comm, calls, count);
}

static enum engine_result run_group(void) {
  enum engine_result result = ENGINE_OK;
  for (int i = 0; result == ENGINE_OK && i < group_size; i++) {
    result = is_transfer(&group[i].call) ? ENGINE_OK : run(group[i].comm, &group[i].call, 1);
  }
  for (int i = 0; result == ENGINE_OK && i < group_size; i++) {
    bool is_left = is_transfer(&group[i].call) && group[i].comm != NULL;
    result = is_left ? run_transfers(group[i].comm) : ENGINE_OK;
  }
  group_size = 0;
  return result;
}

static bool has_kernel(int type, int op) {
  int step = op == ENGINE_AVG ? REDUCE_SUM : op;
  bool divides = op != ENGINE_AVG || reduce_kernels_baseline.divide[type] != NULL;
  return op >= 0 && op < ENGINE_OPS && reduce_kernels_baseline.binary[step][type] != NULL && divides;
}

static int call(struct engine_comm* comm, struct engine_call made, int type, int op) {
  bool offers = offers_next;
  offers_next = false;
  if (comm == NULL || type < 0 || type >= ENGINE_TYPES || !has_kernel(type, op)) {
    return engine_error(ENGINE_ARGUMENT, "communicator %p, type %d, operator %d", (void*)comm, type, op);
  }
  if (made.root < 0 || made.root >= engine_size(comm)) {
    return engine_error(ENGINE_ARGUMENT, "root or peer %d of %d ranks", made.root, engine_size(comm));
  }
  made.type = (enum engine_type)type;
  made.op = (enum engine_op)op;
  if (offers) {
    return is_transfer(&made) ? ENGINE_OK : offer_call(comm, made);
  }
  if (group_depth == 0) {
    return run(comm, &made, 1);
  }
  if (group_size == GROUP_CALLS) {
    return engine_error(ENGINE_USAGE, "more than %d calls in a group", GROUP_CALLS);
  }
  group[group_size++] = (struct noted){comm, made};
  return ENGINE_OK;
}

API int tomboloAllReduce(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                         void* stream) {
  (void)stream;
  struct engine_call made = {.what = ENGINE_ALL_REDUCE, .send = send, .receive = receive, .count = count};
  return call(comm, made, type, op);
}

API int tomboloReduce(const void* send, void* receive, size_t count, int type, int op, int root, struct engine_comm* comm,
                      void* stream) {
  (void)stream;
  struct engine_call made = {.what = ENGINE_REDUCE, .send = send, .receive = receive, .count = count, .root = root};
  return call(comm, made, type, op);
}

API int tomboloReduceScatter(const void* send, void* receive, size_t count, int type, int op, struct engine_comm* comm,
                             void* stream) {
  (void)stream;
  struct engine_call made = {.what = ENGINE_REDUCE_SCATTER, .send = send, .receive = receive, .count = count};
  return call(comm, made, type, op);
}

#define MOVE(name, collective)                                                                                       \
  API int name(const void* send, void* receive, size_t count, int type, struct engine_comm* comm, void* stream) {     \
    (void)stream;                                                                                                    \
    struct engine_call made = {.what = collective, .send = send, .receive = receive, .count = count};                \
    return call(comm, made, type, ENGINE_SUM);                                                                       \
  }

#define ROOTED_MOVE(name, collective)                                                                                \
  API int name(const void* send, void* receive, size_t count, int type, int root, struct engine_comm* comm,           \
               void* stream) {                                                                                       \
    (void)stream;                                                                                                    \
    struct engine_call made = {.what = collective, .send = send, .receive = receive, .count = count, .root = root};  \
    return call(comm, made, type, ENGINE_SUM);                                                                       \
  }

MOVE(tomboloAllGather, ENGINE_ALL_GATHER)
MOVE(tomboloAlltoAll, ENGINE_ALL_TO_ALL)
ROOTED_MOVE(tomboloBroadcast, ENGINE_BROADCAST)
ROOTED_MOVE(tomboloGather, ENGINE_GATHER)
ROOTED_MOVE(tomboloScatter, ENGINE_SCATTER)

API int tomboloSend(const void* send, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  (void)stream;
  struct engine_call made = {.what = ENGINE_SEND, .send = send, .count = count, .root = peer};
  return call(comm, made, type, ENGINE_SUM);
}

API int tomboloRecv(void* receive, size_t count, int type, int peer, struct engine_comm* comm, void* stream) {
  (void)stream;
  struct engine_call made = {.what = ENGINE_RECEIVE, .receive = receive, .count = count, .root = peer};
  return call(comm, made, type, ENGINE_SUM);
}

API int tomboloGroupStart(void) {
  group_depth++;
  return ENGINE_OK;
}

API int tomboloGroupEnd(void) {
  if (group_depth == 0) {
    return engine_error(ENGINE_USAGE, "no group is open");
  }
  return --group_depth > 0 ? ENGINE_OK : run_group();
}

/* The next call of this thread is only offered, and has to be made again: see offer_call. */
API int tomboloOffer(void) {
  offers_next = true;
  return ENGINE_OK;
}

API int tomboloGetVersion(int* version) { return engine_version(version); }

API int tomboloGetUniqueId(tombolo_id* id) { return engine_unique_id((unsigned char*)id->internal); }

API int tomboloCommInitRank(struct engine_comm** comm, int size, tombolo_id id, int rank) {
  return engine_join(comm, (const unsigned char*)id.internal, rank, size);
}

API int tomboloCommDestroy(struct engine_comm* comm) {
  engine_destroy(comm);
  return ENGINE_OK;
}

API int tomboloCommAbort(struct engine_comm* comm) {
  engine_abort(comm);
  return ENGINE_OK;
}

API int tomboloCommGetAsyncError(struct engine_comm* comm, int* error) {
  *error = engine_async_error(comm);
  return ENGINE_OK;
}

API const char* tomboloGetErrorString(int result) {
  static const char* const TEXTS[ENGINE_RESULTS] = {
      [ENGINE_OK] = "no error",
      [ENGINE_SYSTEM] = "a call to the system failed",
      [ENGINE_ARGUMENT] = "an argument makes no sense",
      [ENGINE_USAGE] = "members disagree, or calls come in the wrong order",
      [ENGINE_REMOTE] = "another member is gone",
      [ENGINE_INTERNAL] = "internal error",
      [ENGINE_DEVICE] = "the device refused",
      [ENGINE_WRITTEN] = "another member may still write the buffers",
  };
  return result >= 0 && result < ENGINE_RESULTS ? TEXTS[result] : "unknown result code";
}

API const char* tomboloGetLastError(struct engine_comm* comm) {
  (void)comm;
  return engine_last_error();
}
