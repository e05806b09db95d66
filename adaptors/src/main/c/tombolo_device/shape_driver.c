// SPDX-License-Identifier: Apache-2.0
/* CUDA's driver API, and the small ways in which HIP's runtime and others differ from it. */
#include "capture.h"
#include "current.h"

static int start(const driver* by) { return CALL(by, INIT, unsigned)(0); }

static int version(const driver* by, int* version) { return CALL(by, DRIVER_VERSION, int*)(version); }

static int device_count(const driver* by, int* count) { return CALL(by, DEVICE_COUNT, int*)(count); }

static int device_get(const driver* by, int* device, int ordinal) {
  return CALL(by, DEVICE_GET, int*, int)(device, ordinal);
}

static int device_name(const driver* by, char* text, int size, int device) {
  return CALL(by, DEVICE_NAME, char*, int, int)(text, size, device);
}

static int pci_bus_id(const driver* by, char* text, int size, int device) {
  return CALL(by, PCI_BUS_ID, char*, int, int)(text, size, device);
}

static int total_memory(const driver* by, size_t* bytes, int device) {
  return CALL(by, TOTAL_MEMORY, size_t*, int)(bytes, device);
}

static int retain(device* on) {
  const driver* by = on->driver;
  return by->symbol[CONTEXT_RETAIN] == NULL ? (int)by->constant[SUCCESS]
                                            : CALL(by, CONTEXT_RETAIN, void**, int)(&on->context, on->device);
}

static int release(const device* on) {
  const driver* by = on->driver;
  return by->symbol[CONTEXT_RELEASE] == NULL ? (int)by->constant[SUCCESS] : CALL(by, CONTEXT_RELEASE, int)(on->device);
}

static int set_context(const device* on) { return CALL(on->driver, SET_CURRENT, void*)(on->context); }

static int get_context(const driver* by, uint64_t* current) {
  void* context = NULL;
  int code = CALL(by, GET_CURRENT, void**)(&context);
  *current = (uint64_t)(uintptr_t)context;
  return code;
}

static uint64_t as_context(const device* on) { return (uint64_t)(uintptr_t)on->context; }

static int put_context(const driver* by, uint64_t current) {
  return CALL(by, SET_CURRENT, void*)((void*)(uintptr_t)current);
}

static int can_access_peer(const device* on, const device* peer, int* can) {
  return CALL(on->driver, PEER_CAN_ACCESS, int*, int, int)(can, on->device, peer->device);
}

static int enable_context(const device* on, const device* peer) {
  return CALL(on->driver, PEER_ENABLE, void*, unsigned)(peer->context, 0);
}

static const char* stored_text(const driver* of, role which, int code) {
  const char* text = NULL;
  return CALL(of, which, int, const char**)(code, &text) == of->constant[SUCCESS] ? text : NULL;
}

static int allocate(const driver* by, uint64_t* address, size_t size) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, ALLOCATE, uint64_t*, size_t)(address, size));
}

static int free_device(const driver* by, uint64_t address) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, FREE, uint64_t)(address));
}

static int allocate_managed(const driver* by, uint64_t* address, size_t size) {
  unsigned flags = (unsigned)by->constant[MANAGED_ATTACH];
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, MANAGED_ALLOCATE, uint64_t*, size_t, unsigned)(address, size, flags));
}

static int allocate_pinned(const driver* by, void** address, size_t size) {
  unsigned flags = (unsigned)(by->constant[HOST_ALLOCATE_PORTABLE] | by->constant[HOST_ALLOCATE_MAPPED]);
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_ALLOCATE, void**, size_t, unsigned)(address, size, flags));
}

static int free_pinned(const driver* by, uint64_t address) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_FREE, uint64_t)(address));
}

static int register_host(const driver* by, void* address, size_t size) {
  unsigned flags = (unsigned)(by->constant[HOST_REGISTER_PORTABLE] | by->constant[HOST_REGISTER_MAPPED]);
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_REGISTER, void*, size_t, unsigned)(address, size, flags));
}

static int unregister_host(const driver* by, uint64_t address) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, HOST_UNREGISTER, uint64_t)(address));
}

/* The row's own word for it, where it has one: else they are taken to be the same. */
static int host_pointer(const driver* by, uint64_t host, uint64_t* device) {
  *device = host;
  return by->symbol[HOST_POINTER] == NULL ? (int)by->constant[SUCCESS]
                                          : CALL(by, HOST_POINTER, uint64_t*, uint64_t, unsigned)(device, host, 0);
}

/* Attributes are numbered from 1 on: 0 is one that the row does not have, and nothing is asked. */
static int ask(const driver* by, constant attribute, uint64_t address, int* value) {
  int number = (int)by->constant[attribute];
  return number == 0 ? (int)by->constant[SUCCESS]
                     : CALL(by, POINTER_ATTRIBUTE, void*, int, uint64_t)(value, number, address);
}

/* Managed memory lies where it was last touched, so its kind says nothing. */
static int find_place(const driver* by, uint64_t address, int* place) {
  int kind = -1;
  int managed = 0;
  int code = ask(by, POINTER_DEVICE, address, place);
  code = code == by->constant[SUCCESS] ? ask(by, POINTER_KIND, address, &kind) : code;
  if (code == by->constant[SUCCESS] && kind == by->constant[KIND_OF_HOST]) {
    code = ask(by, POINTER_MANAGED, address, &managed);
    *place = managed != 0 ? *place : PLACE_HOST;
  }
  if (code != by->constant[NOT_KNOWN]) {
    return code;
  }
  *place = PLACE_UNKNOWN;
  return (int)by->constant[SUCCESS];
}

static int new_stream(const driver* by, void** stream) {
  return CALL(by, STREAM_CREATE, void**, unsigned)(stream, (unsigned)by->constant[STREAM_NON_BLOCKING]);
}

/* The less the number, the sooner. */
static int new_urgent_stream(const driver* by, void** stream) {
  if (by->symbol[STREAM_PRIORITIES] == NULL || by->symbol[STREAM_CREATE_RANKED] == NULL) {
    return by->calls.new_stream(by, stream);
  }
  int least = 0;
  int greatest = 0;
  int code = CALL(by, STREAM_PRIORITIES, int*, int*)(&least, &greatest);
  unsigned flags = (unsigned)by->constant[STREAM_NON_BLOCKING];
  return code != by->constant[SUCCESS] ? code
                                       : CALL(by, STREAM_CREATE_RANKED, void**, unsigned, int)(stream, flags, greatest);
}

static int end_stream(const driver* by, void* stream) { return CALL(by, STREAM_DESTROY, void*)(stream); }

static int owns_context(const device* on, void* stream, bool* owns) {
  const driver* by = on->driver;
  void* context = NULL;
  int code = CALL(by, STREAM_CONTEXT, void*, void**)(stream, &context);
  bool untold = code == by->constant[CONTEXT_UNTOLD];
  *owns = untold || context == on->context;
  return untold ? (int)by->constant[SUCCESS] : code;
}

static int capture_status(const driver* by, void* stream, int* status) {
  return CALL(by, STREAM_CAPTURING, void*, int*)(stream, status);
}

static int new_event(const driver* by, void** event) {
  return CALL(by, EVENT_CREATE, void**, unsigned)(event, (unsigned)by->constant[EVENT_NO_TIMING]);
}

static int new_awaited_event(const driver* by, void** event) { return by->calls.new_event(by, event); }

static int end_event(const driver* by, void* event) { return CALL(by, EVENT_DESTROY, void*)(event); }

static int record(const driver* by, void* event, void* stream) {
  return CALL(by, EVENT_RECORD, void*, void*)(event, stream);
}

static int query(const driver* by, role what, void* of) {
  int mode = capture_relax(by);
  return capture_restore(by, mode, CALL(by, what, void*)(of));
}

static int wait_event(const driver* by, void* stream, void* event) {
  return CALL(by, STREAM_WAIT_EVENT, void*, void*, unsigned)(stream, event, 0);
}

/* All three directions have one shape, because device addresses are 64-bit integers or pointers, alike in the ABI. */
static int copy(const driver* by, role direction, uint64_t to, uint64_t from, size_t size, void* stream) {
  return CALL(by, direction, uint64_t, uint64_t, size_t, void*)(to, from, size, stream);
}

static int fill(const driver* by, uint64_t to, unsigned char value, size_t size, void* stream) {
  return CALL(by, FILL, uint64_t, unsigned char, size_t, void*)(to, value, size, stream);
}

static int plain_wait(const device* on, void* stream, uint64_t word, uint64_t value) {
  const driver* by = on->driver;
  unsigned flags = (unsigned)by->constant[WAIT_AT_LEAST];
  return CALL(by, WAIT_VALUE, void*, uint64_t, uint64_t, unsigned)(stream, word, value, flags);
}

static int write_value(const device* on, void* stream, uint64_t word, uint64_t value) {
  const driver* by = on->driver;
  unsigned flags = (unsigned)by->constant[WRITE_PLAIN];
  return CALL(by, WRITE_VALUE, void*, uint64_t, uint64_t, unsigned)(stream, word, value, flags);
}

const calls driver_api_calls = {
    .start = start,
    .version = version,
    .device_count = device_count,
    .device_get = device_get,
    .device_name = device_name,
    .pci_bus_id = pci_bus_id,
    .total_memory = total_memory,
    .retain = retain,
    .release = release,
    .set_current = set_context,
    .get_current = get_context,
    .as_current = as_context,
    .put_current = put_context,
    .can_access_peer = can_access_peer,
    .enable_peer = enable_context,
    .text = stored_text,
    .allocate = allocate,
    .free = free_device,
    .allocate_managed = allocate_managed,
    .allocate_pinned = allocate_pinned,
    .free_pinned = free_pinned,
    .register_host = register_host,
    .unregister_host = unregister_host,
    .host_pointer = host_pointer,
    .find_place = find_place,
    .new_stream = new_stream,
    .new_urgent_stream = new_urgent_stream,
    .end_stream = end_stream,
    .owns = owns_context,
    .capture_status = capture_status,
    .new_event = new_event,
    .new_awaited_event = new_awaited_event,
    .end_event = end_event,
    .record = record,
    .query = query,
    .wait_event = wait_event,
    .copy = copy,
    .fill = fill,
    .wait_value = plain_wait,
    .write_value = write_value,
};

static int set_ordinal(const device* on) { return CALL(on->driver, SET_CURRENT, int)(on->ordinal); }

static int get_ordinal(const driver* by, uint64_t* current) {
  int ordinal = 0;
  int code = CALL(by, GET_CURRENT, int*)(&ordinal);
  *current = (uint64_t)ordinal;
  return code;
}

static uint64_t as_ordinal(const device* on) { return (uint64_t)on->ordinal; }

static int put_ordinal(const driver* by, uint64_t current) { return CALL(by, SET_CURRENT, int)((int)current); }

static int can_access_ordinal(const device* on, const device* peer, int* can) {
  return CALL(on->driver, PEER_CAN_ACCESS, int*, int, int)(can, on->ordinal, peer->ordinal);
}

static int enable_ordinal(const device* on, const device* peer) {
  return CALL(on->driver, PEER_ENABLE, int, unsigned)(peer->ordinal, 0);
}

/* Such a call returns the ordinal itself. What it says of no stream tells nothing: other calls refuse that. */
static int owns_ordinal(const device* on, void* stream, bool* owns) {
  int ordinal = CALL(on->driver, STREAM_CONTEXT, void*)(stream);
  *owns = ordinal == on->ordinal || ordinal == on->driver->constant[CONTEXT_UNTOLD];
  return (int)on->driver->constant[SUCCESS];
}

void ordinal_is_context(calls* of) {
  of->set_current = set_ordinal;
  of->get_current = get_ordinal;
  of->as_current = as_ordinal;
  of->put_current = put_ordinal;
  of->can_access_peer = can_access_ordinal;
  of->enable_peer = enable_ordinal;
  of->owns = owns_ordinal;
}

static const char* returned_text(const driver* of, role which, int code) {
  return ((const char* (*)(int))of->symbol[which])(code);
}

void text_is_returned(calls* of) { of->text = returned_text; }

static int masked_wait(const device* on, void* stream, uint64_t word, uint64_t value) {
  const driver* by = on->driver;
  unsigned flags = (unsigned)by->constant[WAIT_AT_LEAST];
  return CALL(by, WAIT_VALUE, void*, uint64_t, uint64_t, unsigned, uint64_t)(stream, word, value, flags, UINT64_MAX);
}

void wait_has_mask(calls* of) { of->wait_value = masked_wait; }

/* Of the device that the thread has chosen, by its ordinal: devices have no other handle there. */
static int current_memory(const driver* by, size_t* bytes, int device) {
  size_t unused = 0;
  struct device asked = {by, device, device, NULL};
  uint64_t before = 0;
  int code = current_take(&asked, &before);
  code = code != by->constant[SUCCESS] ? code : CALL(by, TOTAL_MEMORY, size_t*, size_t*)(&unused, bytes);
  current_give_back(by, before);
  return code;
}

void memory_is_the_current_one(calls* of) { of->total_memory = current_memory; }

/* What such a runtime fills begins so; there is room for all that follows. */
typedef struct told {
  int kind;
  int device;
  uint64_t rest[14];
} told;

/* No kind is 0 but that of memory that the runtime does not know. */
static int find_place_at_once(const driver* by, uint64_t address, int* place) {
  told memory = {0};
  int code = CALL(by, POINTER_ATTRIBUTE, told*, uint64_t)(&memory, address);
  bool is_known = code != by->constant[NOT_KNOWN] && memory.kind != 0;
  *place = !is_known ? PLACE_UNKNOWN : memory.kind == by->constant[KIND_OF_HOST] ? PLACE_HOST : memory.device;
  return code == by->constant[NOT_KNOWN] ? (int)by->constant[SUCCESS] : code;
}

void place_is_told_at_once(calls* of) { of->find_place = find_place_at_once; }

void host_ordered(calls* of) {
  of->wait_value = NULL;
  of->write_value = NULL;
}
