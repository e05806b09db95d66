// SPDX-License-Identifier: Apache-2.0
/*
 * The host library's collectives. Small ones go through the slots of the shared segment. In larger ones members work on each
 * other's memory in place: everyone tells where its buffers are, reads what it needs, writes what others need, and says when
 * it has. An all-reduce that is too large for the caches, or whose members cannot reach each other's memory, goes through the
 * slots by shards. Each element is combined in rank order, so all hold the same bits whatever the way.
 */
#include "direct.h"
#include "huge_pages.h"
#include "piped.h"
#include "way.h"

enum { VERSION = 10000 };

/* Reads a block of everyone, in the order in which they come: block `theirs` of what they send, into the block of their rank. */
static enum engine_result read_everyone(struct direct* direct, size_t theirs) {
  size_t bytes = direct->call->count * direct->element_bytes;
  enum engine_result result = ENGINE_OK;
  for (uint64_t left = engine_everyone(direct->comm); result == ENGINE_OK && left != 0;) {
    int rank;
    result = direct_meet_next(direct, &left, &rank);
    if (result == ENGINE_OK) {
      unsigned char* to = (unsigned char*)direct->call->receive + (size_t)rank * bytes;
      result = direct_copy(direct, rank, to, direct->send[rank] + theirs * bytes, bytes);
    }
  }
  return result;
}

/* Everyone has come. */
static enum engine_result read_or_reduce(const struct direct* direct) {
  const struct engine_call* call = direct->call;
  size_t me = (size_t)direct->comm->rank;
  size_t bytes = call->count * direct->element_bytes;
  const unsigned char* roots = direct->send[call->root];
  switch (call->what) {
    case ENGINE_ALL_REDUCE: return direct_all_reduce(direct);
    case ENGINE_REDUCE_SCATTER: return direct_reduce(direct, me * call->count, call->count);
    case ENGINE_REDUCE: return direct->comm->rank == call->root ? direct_reduce(direct, 0, call->count) : ENGINE_OK;
    case ENGINE_BROADCAST: return direct_copy(direct, call->root, call->receive, roots, bytes);
    case ENGINE_SCATTER: return direct_copy(direct, call->root, call->receive, roots + me * bytes, bytes);
    default: return ENGINE_OK; /* a gather's, of those who are not its root */
  }
}

static enum engine_result work_in_place(struct direct* direct) {
  size_t me = (size_t)direct->comm->rank;
  enum engine_collective what = direct->call->what;
  if (what == ENGINE_ALL_TO_ALL) {
    return read_everyone(direct, me);
  }
  if (what == ENGINE_ALL_GATHER || (what == ENGINE_GATHER && direct->comm->rank == direct->call->root)) {
    return read_everyone(direct, 0);
  }
  enum engine_result result = direct_meet_all(direct);
  return result == ENGINE_OK ? read_or_reduce(direct) : result;
}

/* What is in a window was gathered when it was allocated. */
static void note_use(const struct engine_comm* comm, const void* memory, size_t bytes) {
  if (window_find(comm, memory, bytes).window == 0) {
    huge_pages_note_use(memory, bytes);
  }
}

enum engine_result engine_perform(struct engine_comm* comm, const struct engine_call* call) {
  if (comm->size == 1) {
    return engine_collective(comm, call);
  }
  struct direct direct = {.comm = comm, .call = call, .element_bytes = engine_type_bytes(call->type)};
  size_t bytes = call->count * direct.element_bytes;
  bool windows = way_tries_windows(comm, bytes);
  note_use(comm, call->send, direct_send_bytes(&direct, comm->rank));
  note_use(comm, call->receive, direct_receive_bytes(&direct, comm->rank));
  enum way way = way_of(comm, call, bytes);
  if (comm->offered) {
    return engine_collective(comm, call); /* whatever it is now, it was to go by the slots */
  }
  if (windows || way == BY_REACH) {
    enum engine_result result = direct_open(&direct, windows);
    if (result != ENGINE_OK || direct.mapped || way == BY_REACH) {
      return direct_close(&direct, result == ENGINE_OK ? work_in_place(&direct) : result);
    }
  }
  return way == BY_SHARDS ? piped_all_reduce(comm, call) : engine_collective(comm, call);
}

enum engine_result engine_version(int* version) {
  *version = VERSION;
  return ENGINE_OK;
}

enum engine_result engine_after_join(struct engine_comm* comm) {
  (void)comm;
  return ENGINE_OK;
}

void engine_before_release(struct engine_comm* comm) { window_end(comm); }
