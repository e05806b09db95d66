// SPDX-License-Identifier: Apache-2.0
/*
 * A communicator connects in the call of its first collective, not while joining: NCCL's default ("NCCL_RUNTIME_CONNECT: 1,
 * dynamically connect peers during runtime, e.g. calling ncclAllreduce(), instead of init stage", NCCL user guide). So
 * that call blocks until all members have made theirs.
 */
#include "../../../../../src/main/c/shared/engine_internal.h"
#include "ccl_queue.h"
#include "emu_strict.h"

static const uint64_t MEANING = UINT64_C(0x636f6e6e65637473); /* "connects" */

static char connected; /* its address says so */

enum engine_result emu_connect(struct engine_comm* comm) {
  if (comm->extension == &connected || comm->size == 1 || !emu_is_strict(EMU_CONNECTS)) {
    return ENGINE_OK;
  }
  comm->extension = &connected;
  return engine_exchange(comm, MEANING, 0);
}
