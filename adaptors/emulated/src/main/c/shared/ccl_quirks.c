// SPDX-License-Identifier: Apache-2.0
/* The quirks and faults that the environment asks of an emulated library; see docs/working-on-it.md. */
#include <time.h>

#include "../../../../../src/main/c/shared/engine_internal.h"
#include "ccl_queue.h"
#include "emu_numbers.h"
#include "emu_settings.h"

int64_t engine_join_timeout_ns(void) { return emu_setting("TOMBOLO_EMU_INIT_TIMEOUT_MS", 60000) * 1000000LL; }

bool engine_wants_direct(void) { return false; }

void engine_before_join(void) {
  long duration_ms = emu_setting_of("TOMBOLO_EMU_SLOW_INIT_MS", emu_numbers.vendor, 0);
  struct timespec pause = {.tv_sec = duration_ms / 1000, .tv_nsec = duration_ms % 1000 * 1000000};
  (void)nanosleep(&pause, NULL);
}

enum engine_result engine_after_join(struct engine_comm* comm) {
  (void)comm;
  return ENGINE_OK;
}

void engine_before_release(struct engine_comm* comm) { (void)comm; }

/* The quirk of devices that know one size only: sends and receives of a group are of one count. */
static enum engine_result ensure_equal_counts(const struct engine_comm* comm, const struct engine_call* calls, int count) {
  for (int i = 1; i < count && emu_quirk("TOMBOLO_EMU_EQUAL_COUNTS_ONLY", emu_numbers.vendor); i++) {
    if (calls[i].count != calls[0].count || calls[i].type != calls[0].type) {
      return engine_error(ENGINE_USAGE, "rank %d: a group of %zu and of %zu elements, where all must be equal", comm->rank,
                          calls[0].count, calls[i].count);
    }
  }
  return ENGINE_OK;
}

/* The call itself does not come back to its caller until the communicator is aborted; its work is never queued. */
enum engine_result emu_block(struct engine_comm* comm, size_t count) {
  if ((long)count != emu_setting_of("TOMBOLO_EMU_BLOCK_COUNT", emu_numbers.vendor, -1)) {
    return ENGINE_OK;
  }
  engine_await_abort(comm);
  return engine_error(ENGINE_REMOTE, "rank %d: the communicator was aborted", comm->rank);
}

enum engine_result engine_before_work(struct engine_comm* comm, uint64_t nth, const struct engine_call* calls, int count) {
  if ((long)nth == emu_setting("TOMBOLO_EMU_HANG_AT", 0)) {
    engine_await_abort(comm);
  }
  if ((long)nth == emu_setting("TOMBOLO_EMU_ASYNC_ERROR_AT", 0)) {
    return engine_error(ENGINE_SYSTEM, "rank %d: the fault asked for by TOMBOLO_EMU_ASYNC_ERROR_AT", comm->rank);
  }
  return ensure_equal_counts(comm, calls, count);
}

/* Emulations stage everything: their results are held against others', not timed. */
enum engine_result engine_perform(struct engine_comm* comm, const struct engine_call* call) {
  return engine_collective(comm, call);
}
