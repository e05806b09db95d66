// SPDX-License-Identifier: Apache-2.0
/*
 * CNRT, and what of CNDrv it is used with, in front of the emulated device; numbers and prototypes as in cnrt.h and cn_api.h
 * (witness/cnrt.tsv).
 *
 * Stricter than the original where that finds mistakes: nothing works on a thread that has not chosen a device, a copy goes
 * the way it says, and words for queues to wait for come from cnMallocHost. As in the original, and unlike in most other
 * emulations here, host memory is copied without being registered.
 */
#include <stdatomic.h>
#include <stdio.h>

#include "../shared/device_engine.h"
#include "../shared/device_sync.h"
#include "emu_numbers.h"
#include "witness_cnrt.h"

#define API __attribute__((visibility("default")))

typedef int cnrtRet_t;
typedef emu_stream* cnrtQueue_t;
typedef emu_event* cnrtNotifier_t;

/* A device's handle is not its ordinal. */
enum { HANDLE = 40 };

static _Thread_local int chosen = -1;

static cnrtRet_t number(emu_result result) {
  switch (result) {
    case EMU_OK: return cnrtSuccess;
    case EMU_NOT_READY: return cnrtErrorNotReady;
    case EMU_OUT_OF_MEMORY:
    case EMU_OUT_OF_HOST_MEMORY: return cnrtErrorNoMem;
    case EMU_INVALID_HANDLE: return cnrtErrorInvalidResourceHandle;
    case EMU_CAPTURE_MERGE:
    case EMU_CAPTURE_UNMATCHED:
    case EMU_CAPTURE_UNJOINED:
    case EMU_CAPTURE_ISOLATION:
    case EMU_CAPTURED_EVENT:
    case EMU_CAPTURE_UNSUPPORTED: return cnrtErrorQueueCaptureUnsupported;
    case EMU_CAPTURE_INVALIDATED: return cnrtErrorQueueCaptureInvalidated;
    case EMU_CAPTURE_WRONG_THREAD: return cnrtErrorQueueCaptureWrongThread;
    case EMU_STREAM_FAILED: return emu_fault_code(cnrtErrorQueue);
    default: return cnrtErrorArgsInvalid;
  }
}

#define ON_DEVICE(call) (chosen >= 0 ? number(call) : cnrtErrorNoCnrtContext)

#define BEGIN_CAPTURE cnrtQueueBeginCapture
#define END_CAPTURE cnrtQueueEndCapture
#define EXCHANGE_CAPTURE_MODE cnrtThreadExchangeQueueCaptureMode
#define CAPTURED(result) ON_DEVICE(result)
#define CAPTURE_REFUSED cnrtErrorArgsInvalid
#define CAPTURES_IN(mode) ((mode) != EMU_CAPTURE_THREAD_LOCAL) /* "is not supported yet" */

#include "../shared/capture_like.h"

API cnrtRet_t cnInit(unsigned flags) { return flags == 0 ? cnrtSuccess : cnrtErrorArgsInvalid; }

API cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch) {
  *major = CNRT_MAJOR_VERSION;
  *minor = CNRT_MINOR_VERSION;
  *patch = CNRT_PATCH_VERSION;
  return cnrtSuccess;
}

API const char* cnrtGetErrorName(cnrtRet_t code) {
  switch (code) {
    case cnrtSuccess: return "cnrtSuccess";
    case cnrtErrorNotReady: return "cnrtErrorNotReady";
    case cnrtErrorArgsInvalid: return "cnrtErrorArgsInvalid";
    case cnrtErrorInvalidResourceHandle: return "cnrtErrorInvalidResourceHandle";
    case cnrtErrorNoMem: return "cnrtErrorNoMem";
    case cnrtErrorNoCnrtContext: return "cnrtErrorNoCnrtContext";
    case cnrtErrorDeviceInvalid: return "cnrtErrorDeviceInvalid";
    case cnrtErrorMemcpyDirectionInvalid: return "cnrtErrorMemcpyDirectionInvalid";
    case cnrtErrorQueue: return "cnrtErrorQueue";
    default: return "cnrtErrorUnknown";
  }
}

API const char* cnrtGetErrorStr(cnrtRet_t code) {
  return code == cnrtErrorQueue ? "the queue has failed (emulated)" : cnrtGetErrorName(code);
}

API cnrtRet_t cnrtGetDeviceCount(unsigned* count) {
  *count = (unsigned)emu_device_count();
  return cnrtSuccess;
}

static bool is_ordinal(int device) { return device >= 0 && device < emu_device_count(); }

API cnrtRet_t cnDeviceGet(int* device, int ordinal) {
  *device = ordinal + HANDLE;
  return is_ordinal(ordinal) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnDeviceGetName(char* name, unsigned length, int device) {
  emu_device_name(device - HANDLE, "emulated MLU device", name, length);
  return is_ordinal(device - HANDLE) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnDeviceGetPCIBusId(char* id, int length, int device) {
  (void)snprintf(id, (size_t)length, "0000:%02X:00.0", device);
  return is_ordinal(device - HANDLE) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnDeviceTotalMem(uint64_t* bytes, int device) {
  *bytes = emu_total_memory();
  return is_ordinal(device - HANDLE) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnrtSetDevice(int device) {
  chosen = is_ordinal(device) ? device : chosen;
  emu_use_device(chosen < 0 ? 0 : chosen);
  return is_ordinal(device) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnrtGetDevice(int* device) {
  *device = chosen < 0 ? 0 : chosen;
  return cnrtSuccess;
}

API cnrtRet_t cnrtGetPeerAccessibility(unsigned* reaches, int device, int peer) {
  if (reaches == NULL) {
    return cnrtErrorArgsInvalid;
  }
  *reaches = emu_peer_reaches(device, peer);
  return is_ordinal(device) && is_ordinal(peer) ? cnrtSuccess : cnrtErrorDeviceInvalid;
}

API cnrtRet_t cnrtMalloc(void** address, size_t size) { return ON_DEVICE(emu_allocate(size, address)); }

API cnrtRet_t cnrtFree(void* address) { return ON_DEVICE(emu_release(address, EMU_DEVICE)); }

API cnrtRet_t cnrtHostMalloc(void** address, size_t size) { return ON_DEVICE(emu_allocate_pinned(size, address)); }

API cnrtRet_t cnrtFreeHost(void* address) { return ON_DEVICE(emu_release(address, EMU_PINNED)); }

API cnrtRet_t cnMallocHost(void** address, uint64_t size) { return ON_DEVICE(emu_allocate_pinned(size, address)); }

typedef struct pointer_attributes {
  int type;
  int device;
  size_t size;
  void* device_pointer;
  void* host_pointer;
  int cache_mode;
  void* base;
} pointer_attributes;

/* Memory that it does not know is "unregistered memory". */
API cnrtRet_t cnrtPointerGetAttributes(pointer_attributes* told, const void* address) {
  emu_kind kind = EMU_DEVICE;
  if (told == NULL) {
    return cnrtErrorArgsInvalid;
  }
  *told = (pointer_attributes){.type = cnrtMemTypeUnregistered};
  if (emu_place(address, &kind, &told->device)) {
    told->type = (kind & EMU_ANY_HOST) != 0 ? cnrtMemTypeHost : cnrtMemTypeDevice;
  }
  return ON_DEVICE(EMU_OK);
}

API cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) { return ON_DEVICE(emu_stream_create(queue)); }

/* "Lower numbers imply greater priorities", says the header, but no numbers; these are those that torch_mlu prints. */
enum { LEAST_PRIORITY = 7, GREATEST_PRIORITY = 0 };

API cnrtRet_t cnrtDeviceGetQueuePriorityRange(int* least, int* greatest) {
  *least = LEAST_PRIORITY;
  *greatest = GREATEST_PRIORITY;
  return cnrtSuccess;
}

API cnrtRet_t cnrtQueueCreateWithPriority(cnrtQueue_t* queue, unsigned flags, int priority) {
  emu_stream_kind kind = {.priority = priority - LEAST_PRIORITY};
  return flags == 0 ? ON_DEVICE(emu_stream_create_as(kind, queue)) : cnrtErrorArgsInvalid;
}

API cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue) { return ON_DEVICE(emu_stream_destroy(queue)); }

/* CNDrv's contexts, of which CNRT has one on each device. */
static char contexts[64];

static void* context_of(int device) { return device >= 0 && device < (int)sizeof contexts ? &contexts[device] : NULL; }

API int cnCtxGetCurrent(void** context) {
  if (context == NULL) {
    return CN_ERROR_INVALID_VALUE;
  }
  *context = context_of(chosen);
  return CN_SUCCESS;
}

/* Of a queue that was destroyed as cn_api.h has it. What it says of the default queue, which nobody made, the header does not say. */
API int cnQueueGetContext(cnrtQueue_t queue, void** context) {
  int device = 0;
  if (context == NULL || chosen < 0) {
    return context == NULL ? CN_ERROR_INVALID_VALUE : CN_CONTEXT_ERROR_INVALID;
  }
  if (queue == NULL || emu_stream_device(queue, &device) != EMU_OK) {
    return CN_QUEUE_ERROR_INVALID;
  }
  *context = context_of(device);
  return CN_SUCCESS;
}

/* The code that cnrt.h names where it describes the queries, and calls deprecated where it lists all codes. */
static cnrtRet_t queried(cnrtRet_t code) { return code == cnrtErrorNotReady ? cnrtErrorBusy : code; }

API cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue) { return queried(ON_DEVICE(emu_stream_query(queue))); }

_Static_assert((int)EMU_CAPTURE_RELAXED == cnrtQueueCaptureModeRelaxed && (int)EMU_CAPTURE_NONE == cnrtQueueCaptureStatusNone &&
                   (int)EMU_CAPTURE_ACTIVE == cnrtQueueCaptureStatusActive,
               "the engine's modes and states have CNRT's numbers");

API cnrtRet_t cnrtQueueIsCapturing(cnrtQueue_t queue, int* status) { return capture_status(queue, status); }

API cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned flag) {
  return flag == 0 ? ON_DEVICE(emu_event_wait(notifier, queue)) : cnrtErrorArgsInvalid;
}

API cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned flags) {
  return flags == CNRT_NOTIFIER_DISABLE_TIMING_ALL ? ON_DEVICE(emu_event_create(notifier)) : cnrtErrorArgsInvalid;
}

API cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue) {
  return ON_DEVICE(emu_event_record(notifier, queue));
}

/* Done, and no error, though the work before it failed: the programming guide has the queue tell that. */
API cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) {
  emu_result result = emu_event_query(notifier);
  return queried(ON_DEVICE(result == EMU_STREAM_FAILED ? EMU_OK : result));
}

API cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) { return ON_DEVICE(emu_event_destroy(notifier)); }

API cnrtRet_t cnrtMemcpyAsync(void* to, void* from, size_t size, cnrtQueue_t on, int direction) {
  const unsigned host = EMU_ANY_HOST | EMU_PAGEABLE;
  emu_result ready =
      direction == cnrtMemcpyDevToDev ? EMU_OK : emu_synchronise_copy(direction == cnrtMemcpyHostToDev ? from : to, size);
  if (ready != EMU_OK) {
    return ON_DEVICE(ready);
  }
  switch (direction) {
    case cnrtMemcpyHostToDev: return ON_DEVICE(emu_copy(to, EMU_ANY_DEVICE, from, host, size, on));
    case cnrtMemcpyDevToHost: return ON_DEVICE(emu_copy(to, host, from, EMU_ANY_DEVICE, size, on));
    case cnrtMemcpyDevToDev: return ON_DEVICE(emu_copy(to, EMU_ANY_DEVICE, from, EMU_ANY_DEVICE, size, on));
    default: return cnrtErrorMemcpyDirectionInvalid;
  }
}

API cnrtRet_t cnrtMemsetAsync(void* to, int value, size_t size, cnrtQueue_t on) {
  return ON_DEVICE(emu_fill(to, (unsigned char)value, size, on));
}

API cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t queue, void (*run)(void*), void* argument) {
  return ON_DEVICE(emu_host_function(run, argument, queue));
}

/* The header compares "until opData1 <= *opPtr". */
static bool reached(uint64_t word, uint64_t value) { return value <= word; }

API cnrtRet_t cnQueueAtomicOperation(cnrtQueue_t queue, uint64_t word, uint64_t value, uint64_t reserved, int type,
                                     uint64_t flag) {
  return type == CN_ATOMIC_OP_COMPARE && flag == CN_ATOMIC_COMPARE_LESS_EQUAL && reserved == 0
             ? ON_DEVICE(emu_wait_value((void*)(uintptr_t)word, value, UINT64_MAX, reached, queue))
             : cnrtErrorArgsInvalid;
}

API cnrtRet_t cnAtomicOperation(uint64_t word, uint64_t value, uint64_t reserved, int type, uint64_t flag) {
  _Atomic uint64_t* known = emu_alias((void*)(uintptr_t)word, sizeof value);
  if (known == NULL || type != CN_ATOMIC_OP_REQUEST || flag != CN_ATOMIC_REQUEST_SET || reserved != 0) {
    return cnrtErrorArgsInvalid;
  }
  cnrtRet_t code = ON_DEVICE(emu_synchronise_gate());
  if (code == cnrtSuccess) {
    atomic_store(known, value);
  }
  return code;
}
