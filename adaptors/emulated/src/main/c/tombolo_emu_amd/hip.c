// SPDX-License-Identifier: Apache-2.0
/*
 * The HIP runtime API in front of the emulated device; numbers and prototypes as in hip_runtime_api.h (witness/hip.tsv).
 *
 * Unlike CUDA's driver API every thread has a device, 0 unless it chose another, and error texts are returned rather
 * than stored. Stricter than the original in the same ways as cuda.c.
 */
#include <stdio.h>

#include "../shared/device_engine.h"
#include "emu_settings.h"
#include "emu_strict.h"
#include "hip_number.h"
#include "witness_hip.h"

#define API __attribute__((visibility("default")))

typedef int hipError_t;
typedef int hipDevice_t;
typedef void* hipDeviceptr_t;
typedef emu_stream* hipStream_t;
typedef emu_event* hipEvent_t;
typedef struct hipIpcMemHandle_t {
  unsigned char reserved[HIP_IPC_HANDLE_SIZE];
} hipIpcMemHandle_t;

_Static_assert(HIP_IPC_HANDLE_SIZE == EMU_IPC_BYTES, "the engine's handles have the vendor's size");

enum { RUNTIME_VERSION = 50221153 };

static const char vendor[] = "amd";

static _Thread_local int chosen;

hipError_t hip_number(emu_result result) {
  switch (result) {
    case EMU_OK: return hipSuccess;
    case EMU_NOT_READY: return hipErrorNotReady;
    case EMU_INVALID_VALUE: return hipErrorInvalidValue;
    case EMU_INVALID_HANDLE: return hipErrorInvalidHandle;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return hipErrorOutOfMemory;
    case EMU_NOT_REGISTERED: return hipErrorHostMemoryNotRegistered;
    case EMU_ALREADY_REGISTERED: return hipErrorHostMemoryAlreadyRegistered;
    case EMU_ALREADY_ENABLED: return hipErrorPeerAccessAlreadyEnabled;
    case EMU_STREAM_FAILED: return emu_fault_code(hipErrorLaunchFailure);
    case EMU_CAPTURED_EVENT:
    case EMU_CAPTURE_UNSUPPORTED: return hipErrorStreamCaptureUnsupported;
    case EMU_CAPTURE_INVALIDATED: return hipErrorStreamCaptureInvalidated;
    case EMU_CAPTURE_MERGE: return hipErrorStreamCaptureMerge;
    case EMU_CAPTURE_UNMATCHED: return hipErrorStreamCaptureUnmatched;
    case EMU_CAPTURE_UNJOINED: return hipErrorStreamCaptureUnjoined;
    case EMU_CAPTURE_ISOLATION: return hipErrorStreamCaptureIsolation;
    case EMU_CAPTURE_WRONG_THREAD: return hipErrorStreamCaptureWrongThread;
    case EMU_CAPTURE_IMPLICIT: return hipErrorStreamCaptureImplicit;
    case EMU_DEADLOCK: return hipErrorUnknown;
  }
  return hipErrorUnknown;
}

static bool is_device(int device) { return device >= 0 && device < emu_device_count(); }

API const char* hipGetErrorName(hipError_t code) {
  switch (code) {
    case hipSuccess: return "hipSuccess";
    case hipErrorInvalidValue: return "hipErrorInvalidValue";
    case hipErrorOutOfMemory: return "hipErrorOutOfMemory";
    case hipErrorInvalidDevicePointer: return "hipErrorInvalidDevicePointer";
    case hipErrorInvalidDevice: return "hipErrorInvalidDevice";
    case hipErrorInvalidImage: return "hipErrorInvalidImage";
    case hipErrorInvalidHandle: return "hipErrorInvalidHandle";
    case hipErrorNotFound: return "hipErrorNotFound";
    case hipErrorNotReady: return "hipErrorNotReady";
    case hipErrorPeerAccessAlreadyEnabled: return "hipErrorPeerAccessAlreadyEnabled";
    case hipErrorHostMemoryAlreadyRegistered: return "hipErrorHostMemoryAlreadyRegistered";
    case hipErrorHostMemoryNotRegistered: return "hipErrorHostMemoryNotRegistered";
    case hipErrorLaunchFailure: return "hipErrorLaunchFailure";
    case hipErrorNotSupported: return "hipErrorNotSupported";
    case hipErrorStreamCaptureUnsupported: return "hipErrorStreamCaptureUnsupported";
    case hipErrorStreamCaptureInvalidated: return "hipErrorStreamCaptureInvalidated";
    case hipErrorStreamCaptureMerge: return "hipErrorStreamCaptureMerge";
    case hipErrorStreamCaptureUnmatched: return "hipErrorStreamCaptureUnmatched";
    case hipErrorStreamCaptureUnjoined: return "hipErrorStreamCaptureUnjoined";
    case hipErrorStreamCaptureIsolation: return "hipErrorStreamCaptureIsolation";
    case hipErrorStreamCaptureImplicit: return "hipErrorStreamCaptureImplicit";
    case hipErrorStreamCaptureWrongThread: return "hipErrorStreamCaptureWrongThread";
    default: return "hipErrorUnknown";
  }
}

/* The original's texts are its names too, in release 5.2. */
API const char* hipGetErrorString(hipError_t code) { return hipGetErrorName(code); }

API hipError_t hipInit(unsigned int flags) { return flags == 0 ? hipSuccess : hipErrorInvalidValue; }

API hipError_t hipDriverGetVersion(int* version) {
  *version = RUNTIME_VERSION;
  return hipSuccess;
}

API hipError_t hipGetDeviceCount(int* count) {
  *count = emu_device_count();
  return hipSuccess;
}

API hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  *device = ordinal;
  return is_device(ordinal) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipSetDevice(int device) {
  chosen = is_device(device) ? device : chosen;
  emu_use_device(chosen);
  return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipGetDevice(int* device) {
  *device = chosen;
  return hipSuccess;
}

API hipError_t hipDeviceCanAccessPeer(int* reaches, int device, int peer) {
  if (reaches == NULL) {
    return hipErrorInvalidValue;
  }
  *reaches = emu_peer_reaches(device, peer);
  return is_device(device) && is_device(peer) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipDeviceEnablePeerAccess(int peer, unsigned int flags) {
  return flags != 0                        ? hipErrorInvalidValue
         : emu_peer_reaches(chosen, peer) ? hip_number(emu_peer_enable(chosen, peer))
                                           : hipErrorInvalidDevice;
}

API hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  emu_device_name(device, "emulated AMD device", name, (size_t)length);
  return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipDeviceGetPCIBusId(char* id, int length, int device) {
  (void)snprintf(id, (size_t)length, "0000:%02x:00.0", 0x80 + device);
  return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  *bytes = emu_total_memory();
  return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
}

static bool lacks_words(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "words"); }

API hipError_t hipDeviceGetAttribute(int* value, int attribute, int device) {
  if (value == NULL || attribute != hipDeviceAttributeCanUseStreamWaitValue) {
    return hipErrorInvalidValue;
  }
  *value = !lacks_words();
  return is_device(device) ? hipSuccess : hipErrorInvalidDevice;
}

API hipError_t hipPointerGetAttribute(void* data, int attribute, hipDeviceptr_t address) {
  emu_kind kind = EMU_DEVICE;
  int device = 0;
  if (data == NULL || attribute != HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL || !emu_place(address, &kind, &device)) {
    return hipErrorInvalidValue;
  }
  *(int*)data = device;
  return hipSuccess;
}

API hipError_t hipMalloc(void** address, size_t size) { return hip_number(emu_allocate(size, address)); }

static hipError_t freed(emu_result result) {
  return result == EMU_INVALID_VALUE ? hipErrorInvalidDevicePointer : hip_number(result);
}

API hipError_t hipFree(void* address) { return freed(emu_release(address, EMU_DEVICE | EMU_MANAGED | EMU_SIGNAL)); }

/* Not a result: the ordinal, or -1 for what is no stream. */
API int hipGetStreamDeviceId(emu_stream* stream) {
  int device = -1;
  return emu_stream_device(stream, &device) == EMU_OK ? device : -1;
}

/* Some APUs have none, and wait for pinned memory. */
static bool lacks_signals(void) { return emu_quirk("TOMBOLO_EMU_LACKS", "signals"); }

/* "Allocate signal memory. Must be 8 bytes, and accessible from CPU and GPU", says hip_runtime_api.h. */
API hipError_t hipExtMallocWithFlags(void** address, size_t size, unsigned int flags) {
  return flags != hipMallocSignalMemory || size != sizeof(uint64_t) || lacks_signals()
             ? hipErrorInvalidValue
             : hip_number(emu_allocate_signal(size, address));
}

API hipError_t hipMallocManaged(void** address, size_t size, unsigned int flags) {
  return flags == hipMemAttachGlobal || flags == hipMemAttachHost ? hip_number(emu_allocate_managed(size, address))
                                                                  : hipErrorInvalidValue;
}

API hipError_t hipHostMalloc(void** address, size_t size, unsigned int flags) {
  (void)flags;
  return hip_number(emu_allocate_pinned(size, address));
}

API hipError_t hipHostFree(void* address) { return freed(emu_release(address, EMU_PINNED)); }

API hipError_t hipHostRegister(void* address, size_t size, unsigned int flags) {
  (void)flags;
  return hip_number(emu_register(address, size));
}

API hipError_t hipHostUnregister(void* address) { return hip_number(emu_release(address, EMU_REGISTERED)); }

API hipError_t hipHostGetDevicePointer(void** device, void* host, unsigned int flags) {
  return flags == 0 ? hip_number(emu_host_pointer(host, device)) : hipErrorInvalidValue;
}

API hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned int flags) {
  emu_stream_kind kind = {.is_blocking = flags != hipStreamNonBlocking};
  return flags > hipStreamNonBlocking ? hipErrorInvalidValue : hip_number(emu_stream_create_as(kind, stream));
}

/* As in ROCm's clr: low, normal and high. */
API hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 1;
  *greatest = -1;
  return hipSuccess;
}

API hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned int flags, int priority) {
  emu_stream_kind kind = {.is_blocking = flags != hipStreamNonBlocking, .priority = priority};
  return flags > hipStreamNonBlocking ? hipErrorInvalidValue : hip_number(emu_stream_create_as(kind, stream));
}

API hipError_t hipStreamDestroy(hipStream_t stream) { return hip_number(emu_stream_destroy(stream)); }

API hipError_t hipStreamQuery(hipStream_t stream) { return hip_number(emu_stream_query(stream)); }

API hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  return flags != 0 ? hipErrorInvalidValue : hip_number(emu_event_wait(event, stream));
}

API hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return flags != hipEventDisableTiming ? hipErrorInvalidValue : hip_number(emu_event_create(event));
}

API hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) { return hip_number(emu_event_record(event, stream)); }

API hipError_t hipEventQuery(hipEvent_t event) { return hip_number(emu_event_query(event)); }

API hipError_t hipEventDestroy(hipEvent_t event) { return hip_number(emu_event_destroy(event)); }

API hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void* from, size_t size, hipStream_t on) {
  return hip_number(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
}

API hipError_t hipMemcpyDtoHAsync(void* to, hipDeviceptr_t from, size_t size, hipStream_t on) {
  return hip_number(emu_copy(to, EMU_ANY_HOST, from, EMU_ANY_DEVICE, size, on));
}

API hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t size, hipStream_t on) {
  return hip_number(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
}

API hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t size, hipStream_t on) {
  return hip_number(emu_fill(to, value, size, on));
}

API hipError_t hipLaunchHostFunc(hipStream_t on, void (*run)(void*), void* argument) {
  return hip_number(emu_host_function(run, argument, on));
}

/* "*ptr & mask >= value", says hip_runtime_api.h: the comparison is unsigned. */
static bool reached(uint64_t word, uint64_t value) { return word >= value; }

/* "Pointer to memory object allocated using hipMallocSignalMemory flag", says hip_runtime_api.h of hipStreamWaitValue64. */
static bool is_word(const void* word) {
  emu_block* block = emu_block_find(word, sizeof(uint64_t), emu_is_strict(EMU_SIGNALS) ? EMU_SIGNAL : EMU_ANY);
  if (block != NULL) {
    emu_block_unref(block);
  }
  return block != NULL;
}

API hipError_t hipStreamWaitValue64(hipStream_t on, void* word, uint64_t value, unsigned int flags, uint64_t mask) {
  if (lacks_words()) {
    return hipErrorNotSupported;
  }
  return !is_word(word) || flags != hipStreamWaitValueGte ? hipErrorInvalidValue : hip_number(emu_wait_value(word, value, mask, reached, on));
}

API hipError_t hipStreamWriteValue64(hipStream_t on, void* word, uint64_t value, unsigned int flags) {
  return flags != 0 ? hipErrorInvalidValue : hip_number(emu_write_value(word, value, on));
}

API hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return hip_number(emu_ipc_export(vendor, address, handle->reserved));
}

API hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle, unsigned int flags) {
  return flags != hipIpcMemLazyEnablePeerAccess ? hipErrorInvalidValue
                                                : hip_number(emu_ipc_open(vendor, handle.reserved, address));
}

API hipError_t hipIpcCloseMemHandle(void* address) { return hip_number(emu_release(address, EMU_IMPORTED)); }
