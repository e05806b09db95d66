/* SPDX-License-Identifier: Apache-2.0 */
/* Operations. */
#include <stdbool.h>
#include <stddef.h>

#include "failure.h"
#include "shell.h"
#include "slots.h"

/* Collective.java's codes. */
enum collective {
  ALL_REDUCE = 0,
  REDUCE = 1,
  BROADCAST = 2,
  ALL_GATHER = 3,
  REDUCE_SCATTER = 4,
  ALL_TO_ALL = 7,
  GATHER = 8,
  SCATTER = 9,
  BARRIER = 10,
  ALL_GATHER_V = 11,
  REDUCE_SCATTER_V = 12,
  GATHER_V = 13,
  SCATTER_V = 14,
  ALL_TO_ALL_V = 15,
  SCAN = 17,
  EXSCAN = 18
};

/* What Shell.call and its like return. */
enum outcome { UNDER_WAY = 0, ENDED = 1, COLLECTED = 2 };

enum { ALL_FLAGS = TOMBOLO_BLOCKING | TOMBOLO_ASYNC | TOMBOLO_HOST_ORDER | TOMBOLO_BRIEFLY };

static const tombolo_call standard = TOMBOLO_CALL_INIT;

/* A call on its way to Java. */
struct making {
  JNIEnv* env;
  const tombolo_call* how;
  int32_t slot;
};

static tombolo_status begin(struct making* making, const tombolo_call* call, tombolo_work* work, uint64_t count) {
  if (work != NULL) {
    *work = 0;
  }
  making->how = call == NULL ? &standard : call;
  making->slot = NO_SLOT;
  if (making->how->size < sizeof *call || (making->how->flags & ~(uint32_t)ALL_FLAGS) != 0) {
    return fail(TOMBOLO_USAGE, "tombolo_call has size %u and flags %#x; start with TOMBOLO_CALL_INIT",
                making->how->size, making->how->flags);
  }
  if (count > INT64_MAX) {
    return fail(TOMBOLO_USAGE, "a count of %llu elements is more than any memory has; is it negative?",
                (unsigned long long)count);
  }
  tombolo_status status;
  making->env = shell_enter(&status);
  if (making->env != NULL && work != NULL) {
    making->slot = slot_take(making->env, &status);
  }
  return status;
}

/* What has become of it; the place is kept only if there is a work in it. */
static tombolo_status end(const struct making* making, jint outcome, tombolo_status status, tombolo_work* work) {
  bool over = outcome == ENDED && (making->how->flags & TOMBOLO_BRIEFLY) != 0;
  if (making->slot != NO_SLOT && (status != TOMBOLO_OK || outcome == COLLECTED || over)) {
    slot_give_back(making->slot);
  } else if (making->slot != NO_SLOT) {
    *work = slot_handle(making->slot);
  }
  if (status == TOMBOLO_OK && outcome == UNDER_WAY && (making->how->flags & TOMBOLO_BLOCKING) != 0) {
    return fail(TOMBOLO_IN_PROGRESS, "the call has not ended in its time, and goes on: its stream has not reached it, "
                "or other ranks keep it waiting");
  }
  return status;
}

static jvalue address(const void* pointer) {
  return (jvalue){.j = (jlong)(size_t)pointer};
}

static tombolo_status even(enum collective collective, tombolo_comm comm, const void* send, const void* receive,
                           uint64_t count, tombolo_type type, tombolo_op op, int32_t root, const tombolo_call* call,
                           tombolo_work* work) {
  struct making making;
  tombolo_status status = begin(&making, call, work, count);
  if (status != TOMBOLO_OK) {
    return status;
  }
  const jvalue arguments[] = {
      {.j = (jlong)comm},  {.i = collective},          address(send),
      address(receive),    {.j = (jlong)count},        {.i = (jint)type},
      {.i = (jint)op},     {.d = making.how->factor},  {.i = root},
      {.i = (jint)making.how->flags}, {.j = making.how->timeout_ms}, address(making.how->stream),
      {.i = making.slot},
  };
  jint outcome = shell_call_int(making.env, SHELL_CALL, arguments, &status);
  return end(&making, outcome, status, work);
}

/* Blocks with counts of their own. */
struct blocks {
  const int64_t* counts;
  const int64_t* offsets;
};

static tombolo_status uneven(enum collective collective, tombolo_comm comm, const void* send, const void* receive,
                             struct blocks blocks, struct blocks others, tombolo_type type, tombolo_op op,
                             int32_t root, const tombolo_call* call, tombolo_work* work) {
  struct making making;
  tombolo_status status = begin(&making, call, work, 0);
  if (status != TOMBOLO_OK) {
    return status;
  }
  const jvalue arguments[] = {
      {.j = (jlong)comm}, {.i = collective},         address(send),          address(receive),
      address(blocks.counts), address(blocks.offsets), address(others.counts), address(others.offsets),
      {.i = (jint)type},  {.i = (jint)op},           {.d = making.how->factor}, {.i = root},
      {.i = (jint)making.how->flags}, {.j = making.how->timeout_ms}, address(making.how->stream), {.i = making.slot},
  };
  jint outcome = shell_call_int(making.env, SHELL_CALL_V, arguments, &status);
  return end(&making, outcome, status, work);
}

/* `over` is a communicator, or a connection of two jobs, by the method. */
static tombolo_status message(enum shell_method method, jboolean sends, uint64_t over, const void* buffer,
                              uint64_t count, tombolo_type type, int32_t peer, int32_t tag, const tombolo_call* call,
                              tombolo_work* work) {
  struct making making;
  tombolo_status status = begin(&making, call, work, count);
  if (status != TOMBOLO_OK) {
    return status;
  }
  const jvalue arguments[] = {
      {.j = (jlong)over},      {.z = sends}, address(buffer), {.j = (jlong)count},            {.i = (jint)type},
      {.i = peer},             {.i = tag},   {.i = (jint)making.how->flags}, {.j = making.how->timeout_ms},
      address(making.how->stream), {.i = making.slot},
  };
  jint outcome = shell_call_int(making.env, method, arguments, &status);
  return end(&making, outcome, status, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_all_reduce(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, tombolo_op op, const tombolo_call* call,
                                                 tombolo_work* work) {
  return even(ALL_REDUCE, comm, send, receive, count, type, op, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_reduce(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, tombolo_op op, int32_t root, const tombolo_call* call,
                                             tombolo_work* work) {
  return even(REDUCE, comm, send, receive, count, type, op, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_scan(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                           tombolo_type type, tombolo_op op, const tombolo_call* call,
                                           tombolo_work* work) {
  return even(SCAN, comm, send, receive, count, type, op, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_exscan(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, tombolo_op op, const tombolo_call* call,
                                             tombolo_work* work) {
  return even(EXSCAN, comm, send, receive, count, type, op, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_broadcast(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                tombolo_type type, int32_t root, const tombolo_call* call,
                                                tombolo_work* work) {
  return even(BROADCAST, comm, send, receive, count, type, TOMBOLO_SUM, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_all_gather(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, const tombolo_call* call, tombolo_work* work) {
  return even(ALL_GATHER, comm, send, receive, count, type, TOMBOLO_SUM, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_all_gather_v(tombolo_comm comm, const void* send, void* receive,
                                                   const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                                   const tombolo_call* call, tombolo_work* work) {
  return uneven(ALL_GATHER_V, comm, send, receive, (struct blocks){counts, offsets}, (struct blocks){NULL, NULL}, type,
                TOMBOLO_SUM, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_reduce_scatter(tombolo_comm comm, const void* send, void* receive,
                                                     uint64_t count, tombolo_type type, tombolo_op op,
                                                     const tombolo_call* call, tombolo_work* work) {
  return even(REDUCE_SCATTER, comm, send, receive, count, type, op, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_reduce_scatter_v(tombolo_comm comm, const void* send, void* receive,
                                                       const int64_t* counts, const int64_t* offsets,
                                                       tombolo_type type, tombolo_op op, const tombolo_call* call,
                                                       tombolo_work* work) {
  return uneven(REDUCE_SCATTER_V, comm, send, receive, (struct blocks){counts, offsets}, (struct blocks){NULL, NULL},
                type, op, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_gather(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                             tombolo_type type, int32_t root, const tombolo_call* call,
                                             tombolo_work* work) {
  return even(GATHER, comm, send, receive, count, type, TOMBOLO_SUM, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_gather_v(tombolo_comm comm, const void* send, void* receive,
                                               const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                               int32_t root, const tombolo_call* call, tombolo_work* work) {
  return uneven(GATHER_V, comm, send, receive, (struct blocks){counts, offsets}, (struct blocks){NULL, NULL}, type,
                TOMBOLO_SUM, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_scatter(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                              tombolo_type type, int32_t root, const tombolo_call* call,
                                              tombolo_work* work) {
  return even(SCATTER, comm, send, receive, count, type, TOMBOLO_SUM, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_scatter_v(tombolo_comm comm, const void* send, void* receive,
                                                const int64_t* counts, const int64_t* offsets, tombolo_type type,
                                                int32_t root, const tombolo_call* call, tombolo_work* work) {
  return uneven(SCATTER_V, comm, send, receive, (struct blocks){counts, offsets}, (struct blocks){NULL, NULL}, type,
                TOMBOLO_SUM, root, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_all_to_all(tombolo_comm comm, const void* send, void* receive, uint64_t count,
                                                 tombolo_type type, const tombolo_call* call, tombolo_work* work) {
  return even(ALL_TO_ALL, comm, send, receive, count, type, TOMBOLO_SUM, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_all_to_all_v(tombolo_comm comm, const void* send, const int64_t* send_counts,
                                                   const int64_t* send_offsets, void* receive,
                                                   const int64_t* receive_counts, const int64_t* receive_offsets,
                                                   tombolo_type type, const tombolo_call* call, tombolo_work* work) {
  if (receive_counts == NULL) {
    if (work != NULL) {
      *work = 0;
    }
    return fail(TOMBOLO_USAGE, "tombolo_all_to_all_v: the counts to receive are NULL; give one for each rank");
  }
  return uneven(ALL_TO_ALL_V, comm, send, receive, (struct blocks){send_counts, send_offsets},
                (struct blocks){receive_counts, receive_offsets}, type, TOMBOLO_SUM, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_barrier(tombolo_comm comm, const tombolo_call* call, tombolo_work* work) {
  return even(BARRIER, comm, NULL, NULL, 0, TOMBOLO_U8, TOMBOLO_SUM, 0, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_send(tombolo_comm comm, const void* buffer, uint64_t count, tombolo_type type,
                                           int32_t peer, int32_t tag, const tombolo_call* call, tombolo_work* work) {
  return message(SHELL_MESSAGE, JNI_TRUE, comm, buffer, count, type, peer, tag, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_receive(tombolo_comm comm, void* buffer, uint64_t count, tombolo_type type,
                                              int32_t peer, int32_t tag, const tombolo_call* call,
                                              tombolo_work* work) {
  return message(SHELL_MESSAGE, JNI_FALSE, comm, buffer, count, type, peer, tag, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_send(tombolo_jobs jobs, const void* buffer, uint64_t count,
                                                tombolo_type type, int32_t peer, int32_t tag, const tombolo_call* call,
                                                tombolo_work* work) {
  return message(SHELL_JOBS_MESSAGE, JNI_TRUE, jobs, buffer, count, type, peer, tag, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_jobs_receive(tombolo_jobs jobs, void* buffer, uint64_t count, tombolo_type type,
                                                   int32_t peer, int32_t tag, const tombolo_call* call,
                                                   tombolo_work* work) {
  return message(SHELL_JOBS_MESSAGE, JNI_FALSE, jobs, buffer, count, type, peer, tag, call, work);
}

TOMBOLO_EXPORT tombolo_status tombolo_group_end(tombolo_comm comm, const tombolo_call* call, tombolo_work* work) {
  struct making making;
  tombolo_status status = begin(&making, call, work, 0);
  if (status != TOMBOLO_OK) {
    return status;
  }
  const jvalue arguments[] = {
      {.j = (jlong)comm},          {.i = (jint)making.how->flags}, {.j = making.how->timeout_ms},
      address(making.how->stream), {.i = making.slot},
  };
  jint outcome = shell_call_int(making.env, SHELL_END_GROUP, arguments, &status);
  return end(&making, outcome, status, work);
}
