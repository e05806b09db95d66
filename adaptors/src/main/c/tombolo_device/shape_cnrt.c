// SPDX-License-Identifier: Apache-2.0
/*
 * CNRT, the runtime of Cambricon's CNToolkit, whose queues are streams and whose notifiers are events; what it lacks is asked
 * of CNDrv, the driver API below it, whose handles are the same. Arguments come in another order, host memory needs no
 * registering, and words are watched: a queue waits only for words that the host writes through CNDrv.
 */
#include "capture.h"
#include "watch.h"

static int version(const driver* by, int* version) {
  int major = 0;
  int minor = 0;
  int patch = 0;
  int code = CALL(by, DRIVER_VERSION, int*, int*, int*)(&major, &minor, &patch);
  *version = major * 10000 + minor * 100 + patch;
  return code;
}

static int allocate_pinned(const driver* by, void** address, size_t size) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_ALLOCATE, void**, size_t)(address, size));
}

/* CNRT copies pageable memory too, only slower. */
static int register_host(const driver* by, void* address, size_t size) {
  (void)address;
  (void)size;
  return (int)by->constant[SUCCESS];
}

static int unregister_host(const driver* by, uint64_t address) {
  (void)address;
  return (int)by->constant[SUCCESS];
}

static int new_stream(const driver* by, void** stream) { return CALL(by, STREAM_CREATE, void**)(stream); }

/*
 * CNDrv tells no device of a context, so a queue's is compared with what CNRT has made current. Where that is none yet, nothing
 * is asked: without a context on the thread CNDrv may refuse to tell.
 */
static int owns(const device* on, void* stream, bool* owns) {
  const driver* by = on->driver;
  void* current = NULL;
  void* context = NULL;
  int code = by->symbol[CURRENT_CONTEXT] == NULL ? (int)by->constant[SUCCESS] : CALL(by, CURRENT_CONTEXT, void**)(&current);
  *owns = true;
  if (code != by->constant[SUCCESS] || current == NULL) {
    return code;
  }
  code = CALL(by, STREAM_CONTEXT, void*, void**)(stream, &context);
  *owns = context == current;
  return code;
}

/* Of what is not ready, cnrt.h has its queries say one of two codes, and calls that one deprecated. */
static int query(const driver* by, role what, void* of) {
  int mode = capture_relax(by);
  int code = CALL(by, what, void*)(of);
  return capture_restore(by, mode, code == by->constant[STILL_BUSY] ? (int)by->constant[NOT_READY] : code);
}

static int wait_event(const driver* by, void* stream, void* event) {
  return CALL(by, STREAM_WAIT_EVENT, void*, void*, unsigned)(event, stream, 0);
}

static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  constant kind = direction == COPY_TO_DEVICE ? KIND_TO_DEVICE : direction == COPY_TO_HOST ? KIND_TO_HOST : KIND_ON_DEVICE;
  return CALL(by, direction, uint64_t, uint64_t, size_t, void*, int)(to, from, size, stream, (int)by->constant[kind]);
}

static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  return CALL(by, FILL, uint64_t, int, size_t, void*)(to, value, size, stream);
}

/* A gate is a word of CNDrv's that counts its turns: it is shut by waiting for the next one. */
static int set(const driver* by, const gate* at) {
  return CALL(by, GATE_OPEN, uint64_t, uint64_t, uint64_t, int, uint64_t)(
      at->handle, at->turn, 0, (int)by->constant[GATE_REQUESTS], (uint64_t)by->constant[GATE_SETS]);
}

static int new_gate(const driver* by, gate* made) {
  void* word = NULL;
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, GATE_MAKE, void**, uint64_t)(&word, sizeof(uint64_t)));
  *made = (gate){(uint64_t)(uintptr_t)word, 0};
  return code == by->constant[SUCCESS] ? set(by, made) : code;
}

static int wait_gate(const driver* by, void* stream, gate* at) {
  at->turn++;
  return CALL(by, GATE_WAIT, void*, uint64_t, uint64_t, uint64_t, int, uint64_t)(
      stream, at->handle, at->turn, 0, (int)by->constant[GATE_COMPARES], (uint64_t)by->constant[GATE_AT_LEAST]);
}

static int open_gate(const driver* by, gate* at) { return set(by, at); }

void cambricon_cnrt(calls* of) {
  of->version = version;
  of->allocate_pinned = allocate_pinned;
  of->register_host = register_host;
  of->unregister_host = unregister_host;
  of->new_stream = new_stream;
  of->owns = owns;
  of->query = query;
  of->wait_event = wait_event;
  of->copy = copy;
  of->fill = fill;
  of->wait_value = watched_wait;
  of->write_value = watched_write;
  of->new_gate = new_gate;
  of->wait_gate = wait_gate;
  of->open_gate = open_gate;
}
