// SPDX-License-Identifier: Apache-2.0
#include "device_sync.h"

#include <stdlib.h>

#include "device_capture.h"
#include "device_lock.h"

static bool is_any(const emu_stream* stream) {
  (void)stream;
  return true;
}

static bool is_reached(const emu_holder* wait) {
  for (size_t i = 0; i < wait->count; i++) {
    if (!emu_goal_is_reached(&wait->goals[i])) {
      return false;
    }
  }
  return true;
}

static emu_result reach(const emu_holder* wait, emu_strictness why) {
  int64_t begun = emu_now_ns();
  int64_t bound = emu_patience_ns();
  unsigned rounds = 0;
  while (!is_reached(wait)) {
    const emu_stream* stuck = emu_stuck_stream(wait->goals, wait->count, begun, bound);
    if (stuck != NULL && !emu_lock_is_awaited()) {
      emu_report_deadlock(&wait->caller, NULL, stuck, why, bound);
      return EMU_DEADLOCK;
    }
    emu_pause(&rounds);
  }
  return EMU_OK;
}

static emu_result reach_all(emu_strictness why, emu_waiting how, const char* what, const void* caller) {
  size_t count = 0;
  emu_goal* goals = emu_stream_goals(emu_used_device(), is_any, &count);
  emu_holder wait = {.device = emu_used_device(), .goals = goals, .count = count};
  emu_result result = EMU_OK;
  if (!is_reached(&wait)) {
    wait.caller = emu_caller_at(what, caller);
    bool holds = how == EMU_LOCKED && emu_is_strict(EMU_LOCKS);
    if (holds) {
      emu_lock_hold(&wait);
    }
    result = reach(&wait, why);
    if (holds) {
      emu_lock_leave(&wait);
    }
  }
  for (size_t i = 0; i < count; i++) {
    emu_stream_unref(goals[i].stream);
  }
  free(goals);
  return result;
}

emu_result emu_synchronise_gate(void) {
  return emu_is_strict(EMU_GATES) ? emu_synchronise(EMU_GATES, EMU_UNLOCKED, "the opening of a gate") : EMU_OK;
}

emu_result emu_synchronise_in(emu_strictness why, emu_waiting how, const char* what, const void* caller) {
  emu_result permitted = emu_capture_permit();
  if (permitted == EMU_OK) {
    permitted = emu_lock_await_in(what, caller);
  }
  if (permitted != EMU_OK || !emu_is_strict(why)) {
    return permitted;
  }
  if (emu_is_stream_thread()) {
    emu_report("deadlock: %s in a function on the host waits for the function's own stream", what);
    return EMU_DEADLOCK;
  }
  return reach_all(why, how, what, caller);
}
