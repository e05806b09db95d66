// SPDX-License-Identifier: Apache-2.0
/*
 * AscendCL, the runtime of Huawei's CANN. Devices are ordinals; sizes are given twice; what is left to do comes through a
 * pointer and not as the result; pinned memory must be registered to have a second address, by which streams wait for its
 * words and write them.
 */
#include <stdio.h>

#include "capture.h"
#include "current.h"

enum { PAGE_BYTES = 4096 };

/* The runtime is one for the process; whoever else is in it may have started it. */
static int start(const driver* by) {
  int code = CALL(by, INIT, const char*)(NULL);
  return code == by->constant[STARTED_BEFORE] ? (int)by->constant[SUCCESS] : code;
}

static int version(const driver* by, int* version) {
  int32_t major = 0;
  int32_t minor = 0;
  int32_t patch = 0;
  int code = CALL(by, DRIVER_VERSION, int32_t*, int32_t*, int32_t*)(&major, &minor, &patch);
  *version = major * 10000 + minor * 100 + patch;
  return code;
}

static int device_get(const driver* by, int* device, int ordinal) {
  *device = ordinal;
  return (int)by->constant[SUCCESS];
}

static int device_name(const driver* by, char* text, int size, int device) {
  const char* name = ((const char* (*)(void))by->symbol[DEVICE_NAME])();
  (void)snprintf(text, (size_t)size, "%s %d", name == NULL ? "Ascend" : name, device);
  return (int)by->constant[SUCCESS];
}

/* No public call tells it. */
static int pci_bus_id(const driver* by, char* text, int size, int device) {
  (void)device;
  (void)snprintf(text, (size_t)size, "%s", "");
  return (int)by->constant[SUCCESS];
}

static int total_memory(const driver* by, size_t* bytes, int device) {
  size_t unused = 0;
  struct device asked = {by, device, device, NULL};
  uint64_t before = 0;
  int code = current_take(&asked, &before);
  code = code != by->constant[SUCCESS]
             ? code
             : CALL(by, TOTAL_MEMORY, int, size_t*, size_t*)((int)by->constant[MEMORY_KIND], &unused, bytes);
  current_give_back(by, before);
  return code;
}

/* The last message of the calling thread, whatever the code. */
static const char* text(const driver* of, role which, int code) {
  (void)code;
  return which == ERROR_TEXT ? ((const char* (*)(void))of->symbol[ERROR_TEXT])() : NULL;
}

static int allocate(const driver* by, uint64_t* address, size_t size) {
  int mode = capture_relax(by);
  return capture_restore(by, mode,
                         CALL(by, ALLOCATE, uint64_t*, size_t, int)(address, size, (int)by->constant[MEMORY_POLICY]));
}

static int register_as(const driver* by, jlong flags, void* address, size_t size) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_REGISTER, void*, uint64_t, uint32_t)(address, size, (uint32_t)flags));
}

/* Of pageable memory, which is to be page-locked, too. */
static int register_host(const driver* by, void* address, size_t size) {
  return register_as(by, by->constant[HOST_REGISTER_PORTABLE] | by->constant[HOST_REGISTER_MAPPED], address, size);
}

/* Copies use the host's; for waits and writes the shim asks for the other one each time. */
static int host_pointer(const driver* by, uint64_t host, uint64_t* device) {
  *device = host;
  return (int)by->constant[SUCCESS];
}

static int free_host(const driver* by, uint64_t address) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_FREE, uint64_t)(address));
}

/*
 * What is registered must begin with a page, and aclrtMallocHost gives multiples of 64 bytes. So a block is the pages behind
 * the one that its allocation begins in, and no page of it has anything of somebody else; that beginning is noted before it.
 */
static int allocate_pinned(const driver* by, void** address, size_t size) {
  size_t pages = (size + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
  uint64_t begin = 0;
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, HOST_ALLOCATE, uint64_t*, size_t)(&begin, pages + PAGE_BYTES));
  if (code != by->constant[SUCCESS]) {
    return code;
  }
  uint64_t* block = (uint64_t*)(uintptr_t)(begin / PAGE_BYTES * PAGE_BYTES + PAGE_BYTES);
  block[-1] = begin;
  code = register_as(by, by->constant[HOST_REGISTER_MAPPED], block, size);
  if (code == by->constant[SUCCESS]) {
    *address = block;
  } else {
    (void)free_host(by, begin); /* the registration's failure is the one to report */
  }
  return code;
}

static int free_pinned(const driver* by, uint64_t address) {
  uint64_t begin = ((const uint64_t*)(uintptr_t)address)[-1];
  int unregistered = by->calls.unregister_host(by, address);
  int freed = free_host(by, begin);
  return unregistered != by->constant[SUCCESS] ? unregistered : freed;
}

/* aclrtPtrAttributes. */
typedef struct told {
  uint32_t device;
  int kind;
  uint32_t page_bytes;
  uint32_t reserved[4];
} told;

/*
 * Of which device memory is, is not told: the driver leaves 0 there for stream-ordered memory. Nor is an error an answer: there
 * is memory that devices use and the call has no kind for. Work on what is none fails.
 */
static int find_place(const driver* by, uint64_t address, int* place) {
  told memory = {0};
  int code = CALL(by, POINTER_ATTRIBUTE, uint64_t, told*)(address, &memory);
  bool is_told = code == by->constant[SUCCESS];
  *place = is_told && memory.kind == by->constant[KIND_OF_HOST]     ? PLACE_HOST
           : is_told && memory.kind == by->constant[KIND_OF_NOBODY] ? PLACE_UNKNOWN
                                                                    : PLACE_NOT_TOLD;
  return (int)by->constant[SUCCESS];
}

static int new_stream(const driver* by, void** stream) { return CALL(by, STREAM_CREATE, void**)(stream); }

/* With a handle of what is captured, which nobody wants; on products that capture nothing the call is not supported. */
static int capture_status(const driver* by, void* stream, int* status) {
  void* captured = NULL;
  int code = CALL(by, STREAM_CAPTURING, void*, int*, void**)(stream, status, &captured);
  return code == by->constant[NO_CAPTURES] ? (int)by->constant[SUCCESS] : code;
}

static int new_event_as(const driver* by, jlong flags, void** event) {
  return CALL(by, EVENT_CREATE, void**, uint32_t)(event, (uint32_t)flags);
}

static int new_event(const driver* by, void** event) { return new_event_as(by, by->constant[EVENT_POLLED], event); }

/* A device has so many: to record one may wait until another is free. */
static int new_awaited_event(const driver* by, void** event) {
  return new_event_as(by, by->constant[EVENT_POLLED] | by->constant[EVENT_NO_TIMING], event);
}

static int query(const driver* by, role what, void* of) {
  int state = 0;
  int mode = capture_relax(by);
  int code = capture_restore(by, mode, CALL(by, what, void*, int*)(of, &state));
  int complete = (int)by->constant[what == STREAM_QUERY ? STREAM_COMPLETE : EVENT_COMPLETE];
  return code == by->constant[SUCCESS] && state != complete ? (int)by->constant[NOT_READY] : code;
}

static int wait_event(const driver* by, void* stream, void* event) {
  return CALL(by, STREAM_WAIT_EVENT, void*, void*)(stream, event);
}

static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  constant kind = direction == COPY_TO_DEVICE ? KIND_TO_DEVICE : direction == COPY_TO_HOST ? KIND_TO_HOST : KIND_ON_DEVICE;
  return CALL(by, direction, uint64_t, size_t, uint64_t, size_t, int, void*)(to, size, from, size, (int)by->constant[kind],
                                                                           stream);
}

static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  return CALL(by, FILL, uint64_t, size_t, int32_t, size_t, void*)(to, size, value, size, stream);
}

/* Calls `what`, a wait or a write, on the device's address of the pinned word. */
static int on_word(const driver* by, role what, void* stream, uint64_t word, uint64_t value, constant flag) {
  void* mapped = NULL;
  int code = CALL(by, HOST_POINTER, uint64_t, void**, uint32_t)(word, &mapped, 0);
  return code != by->constant[SUCCESS]
             ? code
             : CALL(by, what, void*, uint64_t, uint32_t, void*)(mapped, value, (uint32_t)by->constant[flag], stream);
}

static int wait_value(const device* on, void* stream, uint64_t word, uint64_t value) {
  return on_word(on->driver, WAIT_VALUE, stream, word, value, WAIT_AT_LEAST);
}

static int write_value(const device* on, void* stream, uint64_t word, uint64_t value) {
  return on_word(on->driver, WRITE_VALUE, stream, word, value, WRITE_PLAIN);
}

void ascend_cl(calls* of) {
  of->start = start;
  of->version = version;
  of->device_get = device_get;
  of->device_name = device_name;
  of->pci_bus_id = pci_bus_id;
  of->total_memory = total_memory;
  of->text = text;
  of->allocate = allocate;
  of->allocate_pinned = allocate_pinned;
  of->free_pinned = free_pinned;
  of->register_host = register_host;
  of->host_pointer = host_pointer;
  of->find_place = find_place;
  of->new_stream = new_stream;
  of->capture_status = capture_status;
  of->new_event = new_event;
  of->new_awaited_event = new_awaited_event;
  of->query = query;
  of->wait_event = wait_event;
  of->copy = copy;
  of->fill = fill;
  of->wait_value = wait_value;
  of->write_value = write_value;
}
