// SPDX-License-Identifier: Apache-2.0
/*
 * A communicator connects in its calls, not while joining: NCCL's default ("NCCL_RUNTIME_CONNECT: 1, dynamically connect
 * peers during runtime, e.g. calling ncclAllreduce(), instead of init stage", NCCL user guide). So the first call of each
 * kind blocks until all members have made theirs, and the first send until its receive is called. NCCL connects the
 * algorithms, which it chooses by size: a first call of many bytes blocks as well, unless that variable is 0.
 */
#include <string.h>
#include <time.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "ccl_queue.h"
#include "emu_numbers.h"
#include "emu_settings.h"
#include "emu_strict.h"

enum { LARGE_BYTES = 4 * 1024, LOOK_NS = 50000 };

/* Bits of a pair's two members; of a member's pair with itself, each is a kind of collective, and twice that for two sizes. */
static const uint64_t SENDER = 1;
static const uint64_t BOTH = 3;

static struct engine_pair* pair(const struct engine_comm* comm, int from, int to) {
  return &comm->pairs[(size_t)from * (size_t)comm->size + (size_t)to];
}

static bool has_algorithms(void) {
  bool is_nccl = strcmp(emu_numbers.vendor, "emu-nvidia") == 0 || strcmp(emu_numbers.vendor, "emu-amd") == 0;
  return is_nccl && emu_setting("NCCL_RUNTIME_CONNECT", 1) != 0;
}

static uint64_t kind_of(const struct engine_call* call) {
  bool is_large = call->count * engine_type_bytes(call->type) >= LARGE_BYTES && has_algorithms();
  return UINT64_C(1) << (2 * (int)call->what + (is_large ? 1 : 0));
}

static enum engine_result await(const struct engine_comm* comm, const struct engine_pair* at, uint64_t bits) {
  while ((atomic_load(&at->came) & bits) != bits) {
    if (atomic_load(&comm->aborted)) {
      return engine_error(ENGINE_REMOTE, "rank %d: the communicator was aborted while it connected", comm->rank);
    }
    (void)nanosleep(&(struct timespec){0, LOOK_NS}, NULL);
  }
  return ENGINE_OK;
}

enum engine_result emu_connect(struct engine_comm* comm, const struct engine_call* call) {
  uint64_t kind = kind_of(call);
  enum engine_result result = ENGINE_OK;
  if (emu_is_strict(EMU_CONNECTS)) {
    (void)atomic_fetch_or(&pair(comm, comm->rank, comm->rank)->came, kind);
    for (int rank = 0; result == ENGINE_OK && rank < comm->size; rank++) {
      result = await(comm, pair(comm, rank, rank), kind);
    }
  }
  return result;
}

/* The pair that `call` connects; NULL if there is nobody to meet. */
static struct engine_pair* pair_of(const struct engine_comm* comm, const struct engine_call* call) {
  if (call->count == 0 || call->root == comm->rank || !emu_is_strict(EMU_CONNECTS)) {
    return NULL;
  }
  return call->what == ENGINE_SEND ? pair(comm, comm->rank, call->root) : pair(comm, call->root, comm->rank);
}

void emu_approach_peer(struct engine_comm* comm, const struct engine_call* call) {
  struct engine_pair* at = pair_of(comm, call);
  if (at != NULL) {
    (void)atomic_fetch_or(&at->came, call->what == ENGINE_SEND ? SENDER : BOTH & ~SENDER);
  }
}

enum engine_result emu_meet_peer(struct engine_comm* comm, const struct engine_call* call) {
  const struct engine_pair* at = pair_of(comm, call);
  return at == NULL ? ENGINE_OK : await(comm, at, BOTH);
}
