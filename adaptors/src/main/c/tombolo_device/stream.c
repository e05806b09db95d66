// SPDX-License-Identifier: Apache-2.0
/* Streams and events, and the work that is queued on them. */
#include <sched.h>
#include <time.h>

#include "entry.h"
#include "errors.h"
#include "io_tombolo_adaptors_device_DeviceLibrary.h"
#include "round.h"
#include "watch.h"

static void* pointer(const thing* of) { return (void*)(uintptr_t)of->value; }

static bool is_watched(const driver* by) { return by->calls.new_gate != NULL; }

ENTRY(jlong, newStream)(JNIEnv* env, jclass type, jlong handle, jboolean urgent) {
  (void)type;
  ENTERED(of);
  void* stream = NULL;
  if (!enter(env, handle, "device", STREAM_CREATE, &of)) {
    return 0;
  }
  const driver* by = of.on.driver;
  int code = urgent ? by->calls.new_urgent_stream(by, &stream) : by->calls.new_stream(by, &stream);
  if (!succeeded(env, by, STREAM_CREATE, code, -1)) {
    return 0;
  }
  if (is_watched(by) && !succeeded(env, by, EVENT_CREATE, watch_reserve(&of.on), -1)) {
    watch_release(&of.on);
    (void)by->calls.end_stream(by, stream); /* the reservation's failure is the one to report */
    return 0;
  }
  return publish_handle(env, STREAM, &of.on, (uintptr_t)stream);
}

ENTRY(jlong, streamOf)(JNIEnv* env, jclass type, jlong handle, jlong native) {
  (void)type;
  ENTERED(of);
  return enter(env, handle, "device", SET_CURRENT, &of) ? publish_handle(env, FOREIGN_STREAM, &of.on, (uint64_t)native) : 0;
}

ENTRY(jlong, nativeStream)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  thing stream;
  if (!handle_get(handle, &stream)) {
    throw_error(env, ILLEGAL_STATE, "this stream is closed");
    return 0;
  }
  return (jlong)stream.value;
}

ENTRY(void, closeStream)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(stream);
  if (enter_last(env, handle, STREAM_DESTROY, &stream) && stream.kind == STREAM) {
    int code = stream.on.driver->calls.end_stream(stream.on.driver, pointer(&stream));
    if (is_watched(stream.on.driver)) {
      watch_release(&stream.on);
    }
    (void)succeeded(env, stream.on.driver, STREAM_DESTROY, code, -1);
  }
}

/* Queries change the thread's capture mode and give it back, in rounds too. What else does so no round may make. */
static bool may_relax(JNIEnv* env, const driver* by) {
  return by->symbol[CAPTURE_MODE] == NULL || round_allows(env, by, CAPTURE_MODE);
}

static int64_t now_ns(void) {
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/*
 * Streams and events are queried alike: done, not yet, or failed. Who has patience asks again, and lets others have the core
 * in between: a device that is emulated works there. What is closed meanwhile is asked no more.
 */
static jboolean is_done(JNIEnv* env, jlong handle, const char* what, role query, jlong patience_ns) {
  ENTERED(of);
  if (!enter(env, handle, what, query, &of) || !may_relax(env, of.on.driver)) {
    return JNI_FALSE;
  }
  const driver* by = of.on.driver;
  int code = by->calls.query(by, query, pointer(&of));
  int64_t begun_ns = patience_ns > 0 ? now_ns() : 0;
  while (code == by->constant[NOT_READY] && patience_ns > 0 && now_ns() - begun_ns < patience_ns) {
    thing same;
    (void)sched_yield();
    if (!handle_get(handle, &same)) {
      return JNI_FALSE;
    }
    code = by->calls.query(by, query, pointer(&of));
  }
  return code != by->constant[NOT_READY] && succeeded(env, by, query, code, -1);
}

ENTRY(jboolean, isIdle)(JNIEnv* env, jclass type, jlong stream, jlong patience_ns) {
  (void)type;
  return is_done(env, stream, "stream", STREAM_QUERY, patience_ns);
}

/* Legal during a capture, and harmless to it. */
ENTRY(jboolean, isCapturing)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(stream);
  if (!enter(env, handle, "stream", STREAM_CAPTURING, &stream) || stream.on.driver->symbol[STREAM_CAPTURING] == NULL) {
    return JNI_FALSE;
  }
  const driver* by = stream.on.driver;
  int status = (int)by->constant[NOT_CAPTURING];
  int code = by->calls.capture_status(by, pointer(&stream), &status);
  return succeeded(env, by, STREAM_CAPTURING, code, -1) && status != by->constant[NOT_CAPTURING];
}

ENTRY(jboolean, isDone)(JNIEnv* env, jclass type, jlong event) {
  (void)type;
  return is_done(env, event, "event", EVENT_QUERY, 0);
}

ENTRY(jlong, newEvent)(JNIEnv* env, jclass type, jlong handle, jboolean awaited) {
  (void)type;
  ENTERED(of);
  void* event = NULL;
  if (!enter(env, handle, "device", EVENT_CREATE, &of)) {
    return 0;
  }
  const driver* by = of.on.driver;
  int code = awaited ? by->calls.new_awaited_event(by, &event) : by->calls.new_event(by, &event);
  return succeeded(env, by, EVENT_CREATE, code, -1) ? publish_handle(env, EVENT, &of.on, (uintptr_t)event) : 0;
}

ENTRY(void, closeEvent)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(event);
  if (enter_last(env, handle, EVENT_DESTROY, &event)) {
    int code = event.on.driver->calls.end_event(event.on.driver, pointer(&event));
    (void)succeeded(env, event.on.driver, EVENT_DESTROY, code, -1);
  }
}

ENTRY(void, record)(JNIEnv* env, jclass type, jlong event_handle, jlong stream_handle) {
  (void)type;
  ENTERED(event);
  ENTERED(stream);
  if (enter(env, event_handle, "event", EVENT_RECORD, &event) &&
      enter(env, stream_handle, "stream", EVENT_RECORD, &stream)) {
    int code = stream.on.driver->calls.record(stream.on.driver, pointer(&event), pointer(&stream));
    (void)succeeded(env, stream.on.driver, EVENT_RECORD, code, -1);
  }
}

ENTRY(void, waitEvent)(JNIEnv* env, jclass type, jlong stream_handle, jlong event_handle) {
  (void)type;
  ENTERED(event);
  ENTERED(stream);
  if (enter(env, event_handle, "event", STREAM_WAIT_EVENT, &event) &&
      enter(env, stream_handle, "stream", STREAM_WAIT_EVENT, &stream)) {
    int code = stream.on.driver->calls.wait_event(stream.on.driver, pointer(&stream), pointer(&event));
    (void)succeeded(env, stream.on.driver, STREAM_WAIT_EVENT, code, -1);
  }
}

ENTRY(void, copy)
(JNIEnv* env, jclass type, jlong handle, jint direction, jlong to, jlong from, jlong size) {
  (void)type;
  static const role calls[] = {COPY_TO_DEVICE, COPY_TO_HOST, COPY_ON_DEVICE};
  role call = calls[direction];
  ENTERED(stream);
  if (enter(env, handle, "stream", call, &stream)) {
    int code = stream.on.driver->calls.copy(stream.on.driver, call, (uint64_t)to, (uint64_t)from, (size_t)size,
                                             pointer(&stream));
    (void)succeeded(env, stream.on.driver, call, code, size);
  }
}

ENTRY(void, fill)(JNIEnv* env, jclass type, jlong handle, jlong to, jbyte value, jlong size) {
  (void)type;
  ENTERED(stream);
  if (enter(env, handle, "stream", FILL, &stream)) {
    int code = stream.on.driver->calls.fill(stream.on.driver, (uint64_t)to, (unsigned char)value, (size_t)size,
                                             pointer(&stream));
    (void)succeeded(env, stream.on.driver, FILL, code, size);
  }
}

/* `has`, with an UnsupportedException pending where it is false. */
static bool has_words(JNIEnv* env, bool has) {
  if (!has) {
    throw_error(env, UNSUPPORTED, "streams of this runtime neither wait for words of memory nor write them");
  }
  return has;
}

ENTRY(void, waitValue)(JNIEnv* env, jclass type, jlong handle, jlong word, jlong value) {
  (void)type;
  ENTERED(stream);
  if (enter(env, handle, "stream", WAIT_VALUE, &stream) && has_words(env, stream.on.driver->calls.wait_value != NULL)) {
    int code = stream.on.driver->calls.wait_value(&stream.on, pointer(&stream), (uint64_t)word, (uint64_t)value);
    (void)succeeded(env, stream.on.driver, WAIT_VALUE, code, -1);
  }
}

ENTRY(void, tryGate)(JNIEnv* env, jclass type, jlong handle) {
  (void)type;
  ENTERED(of);
  if (enter(env, handle, "device", GATE_OPEN, &of) && has_words(env, is_watched(of.on.driver))) {
    (void)succeeded(env, of.on.driver, GATE_OPEN, watch_try(&of.on), -1);
  }
}

ENTRY(void, writeValue)(JNIEnv* env, jclass type, jlong handle, jlong word, jlong value) {
  (void)type;
  ENTERED(stream);
  if (enter(env, handle, "stream", WRITE_VALUE, &stream) && has_words(env, stream.on.driver->calls.write_value != NULL)) {
    const driver* by = stream.on.driver;
    int code = by->calls.write_value(&stream.on, pointer(&stream), (uint64_t)word, (uint64_t)value);
    (void)succeeded(env, by, WRITE_VALUE, code, -1);
  }
}
