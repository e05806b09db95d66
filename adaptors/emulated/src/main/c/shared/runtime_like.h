// SPDX-License-Identifier: Apache-2.0
/*
 * What runtimes that are called as HIP's is have in common, under the prefix of one of them: whoever includes this defines
 * NAME(suffix), the NUMBER_s, REGISTER_FLAGS and CAPTURE_NUMBER(result), and adds what it has of its own. Nothing works on a thread
 * that has not chosen a device, and flags must be the ones that the row has.
 */
#ifndef RUNTIME_LIKE_H
#define RUNTIME_LIKE_H

#include <stdio.h>

#include "device_engine.h"
#include "emu_numbers.h"

#define API __attribute__((visibility("default")))

enum { DISABLE_TIMING = 2, NON_BLOCKING = 1, VERSION = 12030 };

static _Thread_local int chosen = -1;

static int number(emu_result result) {
  switch (result) {
    case EMU_OK: return NUMBER_SUCCESS;
    case EMU_NOT_READY: return NUMBER_NOT_READY;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return NUMBER_OUT_OF_MEMORY;
    case EMU_STREAM_FAILED: return emu_fault_code(NUMBER_FAILURE);
    case EMU_CAPTURE_UNSUPPORTED:
    case EMU_CAPTURE_INVALIDATED:
    case EMU_CAPTURE_MERGE:
    case EMU_CAPTURE_UNMATCHED:
    case EMU_CAPTURE_UNJOINED:
    case EMU_CAPTURE_ISOLATION:
    case EMU_CAPTURE_WRONG_THREAD:
    case EMU_CAPTURE_IMPLICIT:
    case EMU_CAPTURED_EVENT: return CAPTURE_NUMBER(result);
    default: return NUMBER_INVALID;
  }
}

static int on_device(bool right, emu_result result) { return right && chosen >= 0 ? number(result) : NUMBER_INVALID; }

/* The call is not made where it is not right. */
#define ON_DEVICE(right, call) on_device(right, (right) && chosen >= 0 ? (call) : EMU_INVALID_VALUE)

static bool is_ordinal(int device) { return device >= 0 && device < emu_device_count(); }

API int NAME(Init)(unsigned flags) { return flags == 0 ? NUMBER_SUCCESS : NUMBER_INVALID; }

API int NAME(DriverGetVersion)(int* version) {
  *version = VERSION;
  return NUMBER_SUCCESS;
}

API const char* NAME(GetErrorName)(int code) {
  return code == NUMBER_SUCCESS ? "success" : code == NUMBER_NOT_READY ? "not ready" : "an error (emulated)";
}

API const char* NAME(GetErrorString)(int code) { return NAME(GetErrorName)(code); }

API int NAME(GetDeviceCount)(int* count) {
  *count = emu_device_count();
  return NUMBER_SUCCESS;
}

API int NAME(DeviceGet)(int* device, int ordinal) {
  *device = ordinal;
  return is_ordinal(ordinal) ? NUMBER_SUCCESS : NUMBER_INVALID;
}

API int NAME(DeviceGetName)(char* name, int length, int device) {
  emu_device_name(device, "emulated device", name, (size_t)length);
  return is_ordinal(device) ? NUMBER_SUCCESS : NUMBER_INVALID;
}

API int NAME(DeviceGetPCIBusId)(char* id, int length, int device) {
  (void)snprintf(id, (size_t)length, "0000:%02x:00.0", 0x80 + device);
  return is_ordinal(device) ? NUMBER_SUCCESS : NUMBER_INVALID;
}

API int NAME(SetDevice)(int device) {
  chosen = is_ordinal(device) ? device : chosen;
  emu_use_device(chosen < 0 ? 0 : chosen);
  return is_ordinal(device) ? NUMBER_SUCCESS : NUMBER_INVALID;
}

API int NAME(GetDevice)(int* device) {
  *device = chosen < 0 ? 0 : chosen;
  return NUMBER_SUCCESS;
}

API int NAME(Malloc)(void** address, size_t size) { return ON_DEVICE(true, emu_allocate(size, address)); }

API int NAME(Free)(void* address) { return ON_DEVICE(true, emu_release(address, EMU_DEVICE | EMU_MANAGED)); }

API int NAME(HostRegister)(void* host, size_t size, unsigned flags) {
  return ON_DEVICE(flags == REGISTER_FLAGS, emu_register(host, size));
}

API int NAME(HostUnregister)(void* host) { return ON_DEVICE(true, emu_release(host, EMU_REGISTERED)); }

API int NAME(HostGetDevicePointer)(void** device, void* host, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_host_pointer(host, device));
}

/* A flag of this name is all that MACA's and TopsRT's documents say of it: the legacy default stream is taken to be CUDA's. */
API int NAME(StreamCreateWithFlags)(emu_stream** stream, unsigned flags) {
  emu_stream_kind kind = {.is_blocking = flags != NON_BLOCKING};
  return ON_DEVICE((flags & ~(unsigned)NON_BLOCKING) == 0, emu_stream_create_as(kind, stream));
}

API int NAME(DeviceGetStreamPriorityRange)(int* least, int* greatest) {
  *least = 1;
  *greatest = -1;
  return chosen >= 0 ? NUMBER_SUCCESS : NUMBER_INVALID;
}

API int NAME(StreamCreateWithPriority)(emu_stream** stream, unsigned flags, int priority) {
  emu_stream_kind kind = {.is_blocking = flags != NON_BLOCKING, .priority = priority};
  return ON_DEVICE((flags & ~(unsigned)NON_BLOCKING) == 0, emu_stream_create_as(kind, stream));
}

API int NAME(StreamDestroy)(emu_stream* stream) { return ON_DEVICE(true, emu_stream_destroy(stream)); }

API int NAME(StreamQuery)(emu_stream* stream) { return ON_DEVICE(true, emu_stream_query(stream)); }

API int NAME(StreamWaitEvent)(emu_stream* stream, emu_event* event, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_event_wait(event, stream));
}

API int NAME(EventCreateWithFlags)(emu_event** event, unsigned flags) {
  return ON_DEVICE(flags == DISABLE_TIMING, emu_event_create(event));
}

API int NAME(EventRecord)(emu_event* event, emu_stream* stream) { return ON_DEVICE(true, emu_event_record(event, stream)); }

API int NAME(EventQuery)(emu_event* event) { return ON_DEVICE(true, emu_event_query(event)); }

API int NAME(EventDestroy)(emu_event* event) { return ON_DEVICE(true, emu_event_destroy(event)); }

API int NAME(MemcpyHtoDAsync)(void* to, void* from, size_t size, emu_stream* on) {
  return ON_DEVICE(true, emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
}

API int NAME(MemcpyDtoHAsync)(void* to, void* from, size_t size, emu_stream* on) {
  return ON_DEVICE(true, emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, size, on));
}

API int NAME(MemcpyDtoDAsync)(void* to, void* from, size_t size, emu_stream* on) {
  return ON_DEVICE(true, emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
}

#endif
