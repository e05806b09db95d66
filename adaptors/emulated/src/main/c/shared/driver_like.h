// SPDX-License-Identifier: Apache-2.0
/*
 * CUDA's driver API under any prefix, in front of the emulated device. Whoever includes this defines NAME(suffix), the names
 * WAIT_VALUE and WRITE_VALUE, NUMBER(code), CAPTURE_NUMBER(result), WORDS_REFUSED (SUCCESS where
 * streams have words), WAIT_REFUSED(flags), the answer to flags of a wait that are not emulated, FLAG(name), MORE_ERRORS and ERROR(code, text) for the table of errors, DEVICE_TEXT and FIRST_BUS;
 * and adds what it has of its own.
 *
 * Stricter than the original where that finds mistakes: asynchronous copies refuse host memory that is not pinned, and
 * device pointers where host pointers belong.
 */
#ifndef DRIVER_LIKE_H
#define DRIVER_LIKE_H

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "device_engine.h"
#include "emu_numbers.h"

#define API __attribute__((visibility("default")))

typedef struct context {
  int device;
} context;
typedef struct ipc_handle {
  unsigned char data[FLAG(IPC_HANDLE_SIZE)];
} ipc_handle;

_Static_assert(FLAG(IPC_HANDLE_SIZE) == EMU_IPC_BYTES, "the engine's handles have the vendor's size");

enum { MAX_DEVICES = 64, DRIVER_VERSION = 12090 };

static context contexts[MAX_DEVICES];
static atomic_bool initialised;
static atomic_int retained[MAX_DEVICES];

static _Thread_local context* current;

static int number(emu_result result) {
  switch (result) {
    case EMU_OK: return NUMBER(SUCCESS);
    case EMU_NOT_READY: return NUMBER(ERROR_NOT_READY);
    case EMU_INVALID_VALUE: return NUMBER(ERROR_INVALID_VALUE);
    case EMU_INVALID_HANDLE: return NUMBER(ERROR_INVALID_HANDLE);
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return NUMBER(ERROR_OUT_OF_MEMORY);
    case EMU_NOT_REGISTERED: return NUMBER(ERROR_HOST_MEMORY_NOT_REGISTERED);
    case EMU_ALREADY_REGISTERED: return NUMBER(ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    case EMU_ALREADY_ENABLED: return NUMBER(ERROR_PEER_ACCESS_ALREADY_ENABLED);
    case EMU_STREAM_FAILED: return emu_fault_code(NUMBER(ERROR_LAUNCH_FAILED));
    case EMU_CAPTURE_UNSUPPORTED:
    case EMU_CAPTURE_INVALIDATED:
    case EMU_CAPTURE_MERGE:
    case EMU_CAPTURE_UNMATCHED:
    case EMU_CAPTURE_UNJOINED:
    case EMU_CAPTURE_ISOLATION:
    case EMU_CAPTURE_WRONG_THREAD:
    case EMU_CAPTURE_IMPLICIT:
    case EMU_CAPTURED_EVENT: return CAPTURE_NUMBER(result);
    case EMU_DEADLOCK: return NUMBER(ERROR_UNKNOWN);
  }
  return NUMBER(ERROR_UNKNOWN);
}

static const struct {
  int code;
  const char* name;
  const char* text;
} errors[] = {
    ERROR(SUCCESS, "no error"),
    ERROR(ERROR_INVALID_VALUE, "invalid argument"),
    ERROR(ERROR_OUT_OF_MEMORY, "out of memory"),
    ERROR(ERROR_NOT_INITIALIZED, "initialization error"),
    ERROR(ERROR_INVALID_DEVICE, "invalid device ordinal"),
    ERROR(ERROR_INVALID_CONTEXT, "invalid device context"),
    ERROR(ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
    ERROR(ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    ERROR(ERROR_INVALID_HANDLE, "invalid resource handle"),
    ERROR(ERROR_NOT_FOUND, "named symbol not found"),
    ERROR(ERROR_NOT_READY, "device not ready"),
    ERROR(ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    ERROR(ERROR_HOST_MEMORY_ALREADY_REGISTERED, "part or all of the requested memory range is already mapped"),
    ERROR(ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
    ERROR(ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    ERROR(ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
    ERROR(ERROR_STREAM_CAPTURE_INVALIDATED, "operation failed due to a previous error during capture"),
    ERROR(ERROR_STREAM_CAPTURE_IMPLICIT, "operation would make the legacy stream depend on a capturing blocking stream"),
    ERROR(ERROR_STREAM_CAPTURE_WRONG_THREAD, "attempt to terminate a thread-local capture sequence from another thread"),
    ERROR(ERROR_UNKNOWN, "unknown error"),
    MORE_ERRORS
};

static int without_context(void) {
  return atomic_load(&initialised) ? NUMBER(ERROR_INVALID_CONTEXT) : NUMBER(ERROR_NOT_INITIALIZED);
}

/* Most calls want a context on the calling thread, which is what callers forget. */
#define IN_CONTEXT(call) (current != NULL ? number(call) : without_context())

static void* pointer(uint64_t address) { return (void*)(uintptr_t)address; }

static bool is_device(int device) {
  return device >= 0 && device < MAX_DEVICES && device < emu_device_count();
}

API int NAME(Init)(unsigned int flags) {
  if (flags != 0) {
    return NUMBER(ERROR_INVALID_VALUE);
  }
  atomic_store(&initialised, true);
  return NUMBER(SUCCESS);
}

API int NAME(DriverGetVersion)(int* version) {
  *version = DRIVER_VERSION;
  return NUMBER(SUCCESS);
}

API int NAME(GetErrorName)(int code, const char** name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code == code) {
      *name = errors[i].name;
      return NUMBER(SUCCESS);
    }
  }
  *name = NULL;
  return NUMBER(ERROR_INVALID_VALUE);
}

API int NAME(GetErrorString)(int code, const char** text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code == code) {
      *text = errors[i].text;
      return NUMBER(SUCCESS);
    }
  }
  *text = NULL;
  return NUMBER(ERROR_INVALID_VALUE);
}

API int NAME(DeviceGetCount)(int* count) {
  if (!atomic_load(&initialised)) {
    return NUMBER(ERROR_NOT_INITIALIZED);
  }
  *count = emu_device_count();
  return NUMBER(SUCCESS);
}

API int NAME(DeviceGet)(int* device, int ordinal) {
  if (!atomic_load(&initialised)) {
    return NUMBER(ERROR_NOT_INITIALIZED);
  }
  if (!is_device(ordinal)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  *device = ordinal;
  return NUMBER(SUCCESS);
}

API int NAME(DeviceGetName)(char* name, int length, int device) {
  if (!is_device(device)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  emu_device_name(device, DEVICE_TEXT, name, (size_t)length);
  return NUMBER(SUCCESS);
}

API int NAME(DeviceGetPCIBusId)(char* id, int length, int device) {
  if (!is_device(device)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  (void)snprintf(id, (size_t)length, "0000:%02X:00.0", FIRST_BUS + device);
  return NUMBER(SUCCESS);
}

API int NAME(DeviceTotalMem_v2)(size_t* bytes, int device) {
  *bytes = emu_total_memory();
  return is_device(device) ? NUMBER(SUCCESS) : NUMBER(ERROR_INVALID_DEVICE);
}

API int NAME(DevicePrimaryCtxRetain)(context** made, int device) {
  if (!is_device(device)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  (void)atomic_fetch_add(&retained[device], 1);
  *made = &contexts[device];
  return NUMBER(SUCCESS);
}

API int NAME(DevicePrimaryCtxRelease_v2)(int device) {
  if (!is_device(device)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  (void)atomic_fetch_sub(&retained[device], 1);
  return NUMBER(SUCCESS);
}

API int NAME(CtxSetCurrent)(context* chosen) {
  current = chosen;
  emu_use_device(chosen == NULL ? 0 : (int)(chosen - contexts));
  return NUMBER(SUCCESS);
}

API int NAME(CtxGetCurrent)(context** found) {
  *found = current;
  return atomic_load(&initialised) ? NUMBER(SUCCESS) : NUMBER(ERROR_NOT_INITIALIZED);
}

API int NAME(DeviceCanAccessPeer)(int* reaches, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) {
    return NUMBER(ERROR_INVALID_DEVICE);
  }
  *reaches = emu_peer_reaches(device, peer);
  return NUMBER(SUCCESS);
}

static bool is_context(const context* given) {
  for (int device = 0; device < MAX_DEVICES && device < emu_device_count(); device++) {
    if (given == &contexts[device]) {
      return true;
    }
  }
  return false;
}

API int NAME(CtxEnablePeerAccess)(context* peer, unsigned int flags) {
  if (flags != 0) {
    return NUMBER(ERROR_INVALID_VALUE);
  }
  if (current == NULL || peer == current || !is_context(peer)) {
    return current == NULL ? without_context() : NUMBER(ERROR_INVALID_CONTEXT);
  }
  int from = (int)(current - contexts);
  int to = (int)(peer - contexts);
  return emu_peer_reaches(from, to) ? number(emu_peer_enable(from, to)) : NUMBER(ERROR_PEER_ACCESS_UNSUPPORTED);
}

API int NAME(MemAlloc_v2)(uint64_t* address, size_t size) {
  void* block = NULL;
  int result = IN_CONTEXT(emu_allocate(size, &block));
  *address = (uint64_t)(uintptr_t)block;
  return result;
}

API int NAME(MemFree_v2)(uint64_t address) { return IN_CONTEXT(emu_release(pointer(address), EMU_DEVICE | EMU_MANAGED)); }

API int NAME(MemAllocManaged)(uint64_t* address, size_t size, unsigned int flags) {
  bool valid = address != NULL && (flags == FLAG(MEM_ATTACH_GLOBAL) || flags == FLAG(MEM_ATTACH_HOST));
  void* block = NULL;
  int result = valid ? IN_CONTEXT(emu_allocate_managed(size, &block)) : NUMBER(ERROR_INVALID_VALUE);
  if (result == NUMBER(SUCCESS)) {
    *address = (uint64_t)(uintptr_t)block;
  }
  return result;
}

API int NAME(MemHostAlloc)(void** address, size_t size, unsigned int flags) {
  (void)flags;
  return IN_CONTEXT(emu_allocate_pinned(size, address));
}

API int NAME(MemFreeHost)(void* address) { return IN_CONTEXT(emu_release(address, EMU_PINNED)); }

API int NAME(MemHostRegister_v2)(void* address, size_t size, unsigned int flags) {
  (void)flags;
  return IN_CONTEXT(emu_register(address, size));
}

API int NAME(MemHostUnregister)(void* address) { return IN_CONTEXT(emu_release(address, EMU_REGISTERED)); }

API int NAME(StreamCreate)(emu_stream** stream, unsigned int flags) {
  emu_stream_kind kind = {.is_blocking = flags != FLAG(STREAM_NON_BLOCKING)};
  return flags > FLAG(STREAM_NON_BLOCKING) ? NUMBER(ERROR_INVALID_VALUE) : IN_CONTEXT(emu_stream_create_as(kind, stream));
}

/* As many as a GPU has: the less, the sooner. */
enum { LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

API int NAME(CtxGetStreamPriorityRange)(int* least, int* greatest) {
  *least = LEAST_PRIORITY;
  *greatest = GREATEST_PRIORITY;
  return current == NULL ? without_context() : NUMBER(SUCCESS);
}

API int NAME(StreamCreateWithPriority)(emu_stream** stream, unsigned int flags, int priority) {
  emu_stream_kind kind = {.is_blocking = flags != FLAG(STREAM_NON_BLOCKING), .priority = priority};
  return flags > FLAG(STREAM_NON_BLOCKING) ? NUMBER(ERROR_INVALID_VALUE) : IN_CONTEXT(emu_stream_create_as(kind, stream));
}

API int NAME(StreamDestroy_v2)(emu_stream* stream) { return IN_CONTEXT(emu_stream_destroy(stream)); }

API int NAME(StreamQuery)(emu_stream* stream) { return IN_CONTEXT(emu_stream_query(stream)); }

API int NAME(StreamWaitEvent)(emu_stream* stream, emu_event* event, unsigned int flags) {
  return flags != FLAG(EVENT_WAIT_DEFAULT) ? NUMBER(ERROR_INVALID_VALUE) : IN_CONTEXT(emu_event_wait(event, stream));
}

API int NAME(EventCreate)(emu_event** event, unsigned int flags) {
  return flags != FLAG(EVENT_DISABLE_TIMING) ? NUMBER(ERROR_INVALID_VALUE) : IN_CONTEXT(emu_event_create(event));
}

API int NAME(EventRecord)(emu_event* event, emu_stream* stream) { return IN_CONTEXT(emu_event_record(event, stream)); }

API int NAME(EventQuery)(emu_event* event) { return IN_CONTEXT(emu_event_query(event)); }

API int NAME(EventDestroy_v2)(emu_event* event) { return IN_CONTEXT(emu_event_destroy(event)); }

API int NAME(MemcpyHtoDAsync_v2)(uint64_t to, const void* from, size_t size, emu_stream* on) {
  return IN_CONTEXT(emu_copy(pointer(to), EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
}

API int NAME(MemcpyDtoHAsync_v2)(void* to, uint64_t from, size_t size, emu_stream* on) {
  return IN_CONTEXT(emu_copy(to, EMU_ANY_HOST, pointer(from), EMU_ANY_DEVICE, size, on));
}

API int NAME(MemcpyDtoDAsync_v2)(uint64_t to, uint64_t from, size_t size, emu_stream* on) {
  return IN_CONTEXT(emu_copy(pointer(to), EMU_ANY_DEVICE, pointer(from), EMU_ANY_DEVICE, size, on));
}

API int NAME(MemsetD8Async)(uint64_t to, unsigned char value, size_t size, emu_stream* on) {
  return IN_CONTEXT(emu_fill(pointer(to), value, size, on));
}

API int NAME(LaunchHostFunc)(emu_stream* on, void (*run)(void*), void* argument) {
  return IN_CONTEXT(emu_host_function(run, argument, on));
}

/* "Wait until (int64_t)(*addr - value) >= 0", says cuda.h: the comparison is cyclic. */
static bool reached(uint64_t word, uint64_t value) { return (int64_t)(word - value) >= 0; }

static bool is_equal(uint64_t word, uint64_t value) { return word == value; }

/* What a runtime that only claims this interface may mean by the number. */
static emu_condition condition(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "at-least") ? is_equal : reached; }

API int WAIT_VALUE(emu_stream* on, uint64_t word, uint64_t value, unsigned int flags) {
  if (WORDS_REFUSED != NUMBER(SUCCESS)) {
    return WORDS_REFUSED;
  }
  return flags != FLAG(STREAM_WAIT_VALUE_GEQ)
             ? WAIT_REFUSED(flags)
             : IN_CONTEXT(emu_wait_value(pointer(word), value, UINT64_MAX, condition(), on));
}

API int WRITE_VALUE(emu_stream* on, uint64_t word, uint64_t value, unsigned int flags) {
  if (WORDS_REFUSED != NUMBER(SUCCESS)) {
    return WORDS_REFUSED;
  }
  return flags != FLAG(STREAM_WRITE_VALUE_DEFAULT) ? NUMBER(ERROR_INVALID_VALUE)
                                                : IN_CONTEXT(emu_write_value(pointer(word), value, on));
}

API int NAME(IpcGetMemHandle)(ipc_handle* handle, uint64_t address) {
  return IN_CONTEXT(emu_ipc_export(emu_numbers.vendor, pointer(address), handle->data));
}

API int NAME(IpcOpenMemHandle_v2)(uint64_t* address, ipc_handle handle, unsigned int flags) {
  void* block = NULL;
  int result = flags != FLAG(IPC_MEM_LAZY_ENABLE_PEER_ACCESS) ? NUMBER(ERROR_INVALID_VALUE)
                                                                : IN_CONTEXT(emu_ipc_open(emu_numbers.vendor, handle.data, &block));
  *address = (uint64_t)(uintptr_t)block;
  return result;
}

API int NAME(IpcCloseMemHandle)(uint64_t address) { return IN_CONTEXT(emu_release(pointer(address), EMU_IMPORTED)); }

#endif
