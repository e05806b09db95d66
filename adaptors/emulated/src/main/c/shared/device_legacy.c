// SPDX-License-Identifier: Apache-2.0
/*
 * The legacy default stream: "it synchronizes with other streams of the same context, except for non-blocking streams"
 * (CUDA driver API, Stream synchronization behavior; HIP's null stream alike). What is queued on it waits for all blocking
 * streams, and what is queued on these afterwards waits for it.
 *
 * The thread that writes the words which streams wait for must not have work of its own behind such a stream: on a real device
 * both wait for ever. No call waits, so nobody would say why: this is reported, and the work's stream fails.
 */
#include <stdlib.h>

#include "device_deadlock.h"

typedef struct fence {
  emu_work work;
  emu_goal goal;
  int number;       /* of the stream that it is on */
  bool is_watched;  /* for what is behind it is of the thread that must not wait */
  emu_caller owner; /* that thread, where it is watched */
} fence;

static void drop(emu_work* work) {
  emu_stream_unref(((fence*)work)->goal.stream);
  free(work);
}

static void report(const fence* of) {
  emu_report("deadlock: work of thread %s (%ld) on stream %d of device %d comes after stream %d, as one of them is the legacy"
             " default stream and the other a blocking one; and that waits for a word; a real device hangs here if that thread is"
             " to write the word (TOMBOLO_EMU_KIND=%s turns this off)",
             of->owner.thread, of->owner.id, of->number, of->goal.stream->device, of->goal.stream->number,
             emu_strict_word(EMU_LEGACY));
}

static bool run(emu_work* work) {
  const fence* made = (fence*)work;
  int64_t begun = emu_now_ns();
  unsigned rounds = 0;
  bool is_stuck = false;
  while (!is_stuck && !emu_goal_is_reached(&made->goal)) {
    emu_pause(&rounds);
    is_stuck = made->is_watched && emu_stuck_stream(&made->goal, 1, begun, 0) != NULL;
  }
  if (is_stuck) {
    report(made);
  }
  drop(work);
  return !is_stuck;
}

static bool is_blocking(const emu_stream* stream) { return stream->is_blocking; }

static bool is_default(const emu_stream* stream) { return stream->is_default; }

static emu_result wait_for(emu_stream* stream, emu_goal goal) {
  fence* made = malloc(sizeof *made);
  if (made == NULL) {
    emu_stream_unref(goal.stream);
    return EMU_OUT_OF_MEMORY;
  }
  *made = (fence){.work = {.run = run, .drop = drop, .waits = true}, .goal = goal, .number = stream->number};
  made->is_watched = emu_patience_ns() == 0;
  if (made->is_watched) {
    made->owner = emu_caller_at("work", NULL);
  }
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
