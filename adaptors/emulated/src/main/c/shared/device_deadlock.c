// SPDX-License-Identifier: Apache-2.0
#include "device_deadlock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emu_settings.h"

enum { USUAL_BOUND_MS = 10000, TEXT_BYTES = 256 };

/* Streams wait for words that this thread of the library writes: it must never make a call that may wait for them. */
static const char NEVER_WAITS[] = "tombolo-agent";

emu_caller emu_caller_at(const char* what, const void* at) {
  Dl_info of = {0};
  emu_caller made = {.what = what, .id = syscall(SYS_gettid)};
  made.function = dladdr(at, &of) != 0 ? of.dli_sname : NULL;
  (void)prctl(PR_GET_NAME, made.thread);
  return made;
}

bool emu_writes_words(void) {
  char thread[EMU_NAME_BYTES] = "";
  (void)prctl(PR_GET_NAME, thread);
  return strcmp(thread, NEVER_WAITS) == 0;
}

int64_t emu_patience_ns(void) {
  return emu_writes_words() ? 0 : emu_setting("TOMBOLO_EMU_DEADLOCK_MS", USUAL_BOUND_MS) * 1000000L;
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

const emu_stream* emu_stuck_stream(const emu_goal* goals, size_t count, int64_t begun_ns, int64_t bound_ns) {
  for (size_t i = 0; i < count; i++) {
    if (!emu_goal_is_reached(&goals[i]) && is_stuck(goals[i].stream, begun_ns, bound_ns)) {
      return goals[i].stream;
    }
  }
  return NULL;
}

static void describe(const emu_caller* of, char text[TEXT_BYTES]) {
  (void)snprintf(text, TEXT_BYTES, "%s%s%s on thread %s (%ld)", of->function != NULL ? of->function : "",
                 of->function != NULL ? ", " : "", of->what, of->thread, of->id);
}

void emu_report_deadlock(const emu_caller* waiting, const emu_caller* by, const emu_stream* stream, emu_strictness why,
                         int64_t bound_ns) {
  char first[TEXT_BYTES];
  char second[TEXT_BYTES] = "";
  describe(waiting, first);
  if (by != NULL) {
    describe(by, second);
  }
  emu_report(
      "deadlock: %s waits for %s%sall work of device %d, and stream %d of it has waited for a word for %ld ms meanwhile; a real"
      " device hangs here if %s to write the word (TOMBOLO_EMU_KIND=%s turns this off, TOMBOLO_EMU_QUEUE_SEED=%llu has the same"
      " queues)",
      first, second, by != NULL ? ", which holds its context and waits for " : "", stream->device, stream->number,
      (long)(bound_ns / 1000000), by != NULL ? "one of these threads is" : "that thread is", emu_strict_word(why),
      (unsigned long long)emu_queue_seed());
}
