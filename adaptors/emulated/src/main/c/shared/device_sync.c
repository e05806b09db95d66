// SPDX-License-Identifier: Apache-2.0
#include "device_sync.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device_capture.h"
#include "device_stream.h"
#include "emu_settings.h"

enum { USUAL_BOUND_MS = 3000, NAME_BYTES = 16 };

/* Streams wait for words that this thread of the library writes: it must never make a call that may wait for them. */
static const char NEVER_WAITS[] = "tombolo-agent";

static bool is_any(const emu_stream* stream) {
  (void)stream;
  return true;
}

/*
 * Whether the stream has waited for a word all the time since `begun` until it was too long. By its own looks at the word: a
 * thread that has no processor for so long is not one that waits in vain.
 */
static bool is_stuck(const emu_stream* stream, int64_t begun_ns, int64_t bound_ns) {
  int64_t since = atomic_load(&stream->held_since_ns);
  int64_t until = atomic_load(&stream->held_until_ns);
  int64_t from = since > begun_ns ? since : begun_ns;
  return since != 0 && until - from >= bound_ns && atomic_load(&stream->held_since_ns) == since;
}

static void report(const emu_stream* stream, emu_strictness why, const char* what, const void* caller, int64_t bound_ns) {
  char thread[NAME_BYTES] = "";
  Dl_info at = {0};
  bool named = dladdr(caller, &at) != 0 && at.dli_sname != NULL;
  (void)prctl(PR_GET_NAME, thread);
  emu_report(
      "deadlock: %s%s%s on thread %s (%ld) waits for all work of device %d, and stream %d of it has waited for a word for %ld ms"
      " meanwhile; a real device hangs here if that thread is to write the word (TOMBOLO_EMU_KIND=%s turns this off,"
      " TOMBOLO_EMU_QUEUE_SEED=%llu has the same queues)",
      named ? at.dli_sname : "", named ? ", " : "", what, thread, syscall(SYS_gettid), stream->device, stream->number,
      (long)(bound_ns / 1000000), emu_strict_word(why), (unsigned long long)emu_queue_seed());
}

static int64_t patience_ns(void) {
  char thread[NAME_BYTES] = "";
  (void)prctl(PR_GET_NAME, thread);
  return strcmp(thread, NEVER_WAITS) == 0 ? 0 : emu_setting("TOMBOLO_EMU_DEADLOCK_MS", USUAL_BOUND_MS) * 1000000L;
}

static emu_result reach(const emu_goal* goals, size_t count, emu_strictness why, const char* what, const void* caller) {
  int64_t begun = emu_now_ns();
  int64_t bound = patience_ns();
  unsigned rounds = 0;
  for (size_t i = 0; i < count;) {
    if (emu_goal_is_reached(&goals[i])) {
      i++;
      continue;
    }
    for (size_t other = i; other < count; other++) {
      if (is_stuck(goals[other].stream, begun, bound)) {
        report(goals[other].stream, why, what, caller, bound);
        return EMU_DEADLOCK;
      }
    }
    emu_pause(&rounds);
  }
  return EMU_OK;
}

emu_result emu_synchronise_in(emu_strictness why, const char* what, const void* caller) {
  emu_result permitted = emu_capture_permit();
  if (permitted != EMU_OK || !emu_is_strict(why)) {
    return permitted;
  }
  if (emu_is_stream_thread()) {
    emu_report("deadlock: %s in a function on the host waits for the function's own stream", what);
    return EMU_DEADLOCK;
  }
  size_t count = 0;
  emu_goal* goals = emu_stream_goals(emu_used_device(), is_any, &count);
  emu_result result = reach(goals, count, why, what, caller);
  for (size_t i = 0; i < count; i++) {
    emu_stream_unref(goals[i].stream);
  }
  free(goals);
  return result;
}
