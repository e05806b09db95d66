// SPDX-License-Identifier: Apache-2.0
/*
 * The legacy default stream: "it synchronizes with other streams of the same context, except for non-blocking streams"
 * (CUDA driver API, Stream synchronization behavior; HIP's null stream alike). What is queued on it waits for all blocking
 * streams, and what is queued on these afterwards waits for it.
 */
#include <stdlib.h>

#include "device_stream.h"
#include "emu_strict.h"

typedef struct fence {
  emu_work work;
  emu_goal goal;
} fence;

static void drop(emu_work* work) {
  emu_stream_unref(((fence*)work)->goal.stream);
  free(work);
}

static bool run(emu_work* work) {
  unsigned rounds = 0;
  while (!emu_goal_is_reached(&((fence*)work)->goal)) {
    emu_pause(&rounds);
  }
  drop(work);
  return true;
}

static bool is_blocking(const emu_stream* stream) { return stream->is_blocking; }

static bool is_default(const emu_stream* stream) { return stream->is_default; }

static emu_result wait_for(emu_stream* stream, emu_goal goal) {
  fence* made = malloc(sizeof *made);
  if (made == NULL) {
    emu_stream_unref(goal.stream);
    return EMU_OUT_OF_MEMORY;
  }
  *made = (fence){{.run = run, .drop = drop, .waits = true}, goal};
  emu_result result = emu_stream_append(stream, &made->work);
  if (result != EMU_OK) {
    drop(&made->work);
  }
  return result;
}

emu_result emu_legacy_order(emu_stream* stream) {
  if (!(stream->is_default || stream->is_blocking) || !emu_is_strict(EMU_LEGACY)) {
    return EMU_OK;
  }
  size_t count = 0;
  emu_goal* goals = emu_stream_goals(stream->device, stream->is_default ? is_blocking : is_default, &count);
  emu_result result = EMU_OK;
  for (size_t i = 0; i < count; i++) {
    if (result == EMU_OK) {
      result = wait_for(stream, goals[i]);
    } else {
      emu_stream_unref(goals[i].stream);
    }
  }
  free(goals);
  return result;
}
