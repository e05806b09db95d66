// SPDX-License-Identifier: Apache-2.0
/* TopsRT in front of the emulated device (witness/tops.tsv): devices and memory alone, without a collective library. */
#include "witness_tops.h"

#define NAME(suffix) tops##suffix
#define NUMBER_SUCCESS topsSuccess
#define NUMBER_NOT_READY topsErrorNotReady
#define NUMBER_OUT_OF_MEMORY topsErrorOutOfMemory
#define NUMBER_INVALID topsErrorInvalidValue
#define NUMBER_FAILURE topsErrorLaunchFailure
#define REGISTER_FLAGS (topsHostRegisterPortable | topsHostRegisterMapped)
#define CAPTURE_NUMBER(result)                                                \
  ((result) == EMU_CAPTURE_INVALIDATED    ? topsErrorStreamCaptureInvalidated \
   : (result) == EMU_CAPTURE_WRONG_THREAD ? topsErrorStreamCaptureWrongThread \
   : (result) == EMU_CAPTURE_IMPLICIT     ? topsErrorStreamCaptureImplicit    \
                                          : topsErrorStreamCaptureUnsupported)

#include <stdatomic.h>

#include "../shared/device_sync.h"
#include "../shared/runtime_like.h"

_Static_assert(topsStreamNonBlocking == NON_BLOCKING && topsEventDisableTiming == DISABLE_TIMING,
               "the flags of this kind of runtime");
_Static_assert(TOPS_IPC_HANDLE_SIZE == EMU_IPC_BYTES, "the engine's handles have the vendor's size");

const struct emu_numbers emu_numbers = {.vendor = "emu-tops", .device = "GCU"};

#define BEGIN_CAPTURE topsStreamBeginCapture
#define END_CAPTURE topsStreamEndCapture
#define EXCHANGE_CAPTURE_MODE topsThreadExchangeStreamCaptureMode
#define CAPTURED(result) ON_DEVICE(true, result)
#define CAPTURE_REFUSED topsErrorInvalidValue

#include "../shared/capture_like.h"

_Static_assert((int)EMU_CAPTURE_NONE == topsStreamCaptureStatusNone && (int)EMU_CAPTURE_ACTIVE == topsStreamCaptureStatusActive,
               "the engine's states have TopsRT's numbers");

API int topsStreamIsCapturing(emu_stream* stream, int* status) { return capture_status(stream, status); }

typedef struct handle {
  unsigned char reserved[TOPS_IPC_HANDLE_SIZE];
} handle;

API int topsDeviceTotalMem(size_t* bytes, int device) {
  *bytes = emu_total_memory();
  return is_ordinal(device) ? topsSuccess : topsErrorInvalidValue;
}

API int topsHostMalloc(void** address, size_t size, unsigned flags) {
  return ON_DEVICE(flags == (topsHostMallocPortable | topsHostMallocMapped), emu_allocate_pinned(size, address));
}

API int topsHostFree(void* address) { return ON_DEVICE(true, emu_release(address, EMU_PINNED)); }

typedef struct pointer_attribute {
  int memory_type;
  int device;
  void* device_pointer;
  void* host_pointer;
  int is_managed;
  unsigned allocation_flags;
} pointer_attribute;

API int topsPointerGetAttributes(pointer_attribute* told, const void* address) {
  emu_kind kind = EMU_DEVICE;
  int device = 0;
  if (told == NULL || !emu_place(address, &kind, &device)) {
    return topsErrorInvalidValue;
  }
  *told = (pointer_attribute){.memory_type = (kind & EMU_ANY_HOST) != 0 ? topsMemoryTypeHost : topsMemoryTypeDevice,
                              .device = device};
  return topsSuccess;
}

API int topsMemsetD8Async(void* to, unsigned char value, size_t size, emu_stream* on) {
  return ON_DEVICE(true, emu_fill(to, value, size, on));
}

API int topsIpcGetMemHandle(handle* made, void* address) {
  return ON_DEVICE(true, emu_ipc_export("enflame", address, made->reserved));
}

API int topsIpcOpenMemHandle(void** address, handle from, unsigned flags) {
  return ON_DEVICE(flags == 0, emu_ipc_open("enflame", from.reserved, address));
}

API int topsIpcCloseMemHandle(void* address) { return ON_DEVICE(true, emu_release(address, EMU_IMPORTED)); }

/* Of newer releases than 2.3, by torch_gcu. */
API int topsLaunchHostFunc(emu_stream* on, void (*run)(void*), void* argument) {
  return ON_DEVICE(true, emu_host_function(run, argument, on));
}

/* "The value to compare with": taken at its strictest. */
static bool is_equal(uint64_t word, uint64_t value) { return word == value; }

/* The engine's words have 64 bits; the upper half is not looked at. */
API int topsStreamWaitValue32Async(void* word, int value, unsigned flags, emu_stream* on) {
  return ON_DEVICE(flags == 0, emu_wait_value(word, (uint32_t)value, UINT32_MAX, is_equal, on));
}

API int topsStreamWriteValue32(void* word, int value, unsigned flags) {
  _Atomic uint32_t* known = emu_alias(word, sizeof value);
  if (known == NULL || flags != 0) {
    return topsErrorInvalidValue;
  }
  int code = ON_DEVICE(true, emu_synchronise_gate());
  if (code == topsSuccess) {
    atomic_store(known, (uint32_t)value);
  }
  return code;
}
