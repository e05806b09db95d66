// SPDX-License-Identifier: Apache-2.0
/* What callers ask of streams: whether they are done, and to take work, unless a capture has a say in it. */
#include <errno.h>
#include <stdlib.h>

#include "device_capture.h"
#include "device_lock.h"
#include "device_stream.h"

emu_result emu_stream_query(emu_stream* handle) {
  emu_stream* stream = emu_stream_find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  emu_result permitted = emu_capture_permit_query(stream);
  if (permitted != EMU_OK) {
    emu_stream_unref(stream);
    return permitted;
  }
  (void)pthread_mutex_lock(&stream->lock);
  emu_result result = stream->failed ? EMU_STREAM_FAILED : atomic_load(&stream->done) < stream->queued ? EMU_NOT_READY : EMU_OK;
  (void)pthread_mutex_unlock(&stream->lock);
  emu_stream_unref(stream);
  return result;
}

emu_result emu_stream_queue(emu_stream* handle, emu_work* work) {
  emu_stream* stream = emu_stream_find(handle);
  if (stream == NULL) {
    return EMU_INVALID_HANDLE;
  }
  bool is_noted = false;
  emu_result result = emu_capture_take(stream, work, &is_noted);
  if (result == EMU_OK && is_noted) {
    work->drop(work);
  } else if (result == EMU_OK) {
    result = emu_legacy_order(stream);
    result = result == EMU_OK ? emu_stream_append(stream, work) : result;
  }
  emu_stream_unref(stream);
  return result;
}

typedef struct call {
  emu_work work;
  void (*run)(void* argument);
  void* argument;
} call;

static bool run_call(emu_work* work) {
  call* made = (call*)work;
  made->run(made->argument);
  free(made);
  return true;
}

static void drop_call(emu_work* work) { free(work); }

static emu_result queue_call(void (*run)(void* argument), void* argument, bool waits, emu_stream* on) {
  call* made = run == NULL ? NULL : malloc(sizeof *made);
  if (made == NULL) {
    return run == NULL ? EMU_INVALID_VALUE : EMU_OUT_OF_MEMORY;
  }
  *made = (call){{.run = run_call, .drop = drop_call, .waits = waits}, run, argument};
  emu_result result = emu_stream_queue(on, &made->work);
  if (result != EMU_OK) {
    free(made);
  }
  return result;
}

emu_result emu_host_function(void (*run)(void* argument), void* argument, emu_stream* on) {
  emu_result unlocked = emu_lock_await("a function on the host");
  return unlocked != EMU_OK ? unlocked : queue_call(run, argument, false, on);
}

static int number_of(emu_result result) {
  switch (result) {
    case EMU_OK: return 0;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return ENOMEM;
    case EMU_STREAM_FAILED: return EIO;
    default: return EINVAL;
  }
}

int emu_stream_await_frees(void) { return number_of(emu_lock_await("a collective call")); }

int emu_stream_enqueue(void* stream, void (*run)(void* argument), void* argument) {
  return number_of(queue_call(run, argument, true, stream));
}
