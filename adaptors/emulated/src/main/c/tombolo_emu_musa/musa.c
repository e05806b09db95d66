// SPDX-License-Identifier: Apache-2.0
/* MUSA's driver API: CUDA's under another prefix, with waits and writes of one version (witness/musa.tsv); no collectives. */
#include "emu_settings.h"
#include "witness_musa.h"

#define NAME(suffix) mu##suffix
#define WAIT_VALUE muStreamWaitValue64
#define WRITE_VALUE muStreamWriteValue64
#define NUMBER(code) MUSA_##code
#define CAPTURE_NUMBER(result)                                                     \
  ((result) == EMU_CAPTURE_INVALIDATED    ? MUSA_ERROR_STREAM_CAPTURE_INVALIDATED  \
   : (result) == EMU_CAPTURE_WRONG_THREAD ? MUSA_ERROR_STREAM_CAPTURE_WRONG_THREAD \
   : (result) == EMU_CAPTURE_IMPLICIT     ? MUSA_ERROR_STREAM_CAPTURE_IMPLICIT     \
                                          : MUSA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
#define WAIT_REFUSED(flags) MUSA_ERROR_INVALID_VALUE
#define MORE_ERRORS
#define WORDS_REFUSED (emu_quirk("TOMBOLO_EMU_LACKS", "words") ? MUSA_ERROR_INVALID_VALUE : MUSA_SUCCESS)
#define FLAG(name) MU_##name
#define ERROR(code, text) {MUSA_##code, "MUSA_" #code, text}
#define DEVICE_TEXT "emulated MUSA device"
#define FIRST_BUS 0x40

#include "../shared/driver_like.h"

#define BEGIN_CAPTURE muStreamBeginCapture
#define END_CAPTURE muStreamEndCapture
#define EXCHANGE_CAPTURE_MODE muThreadExchangeStreamCaptureMode
#define CAPTURED(result) IN_CONTEXT(result)
#define CAPTURE_REFUSED MUSA_ERROR_INVALID_VALUE

#include "../shared/capture_like.h"

API int muStreamIsCapturing(emu_stream* stream, int* status) { return capture_status(stream, status); }

API int muMemHostGetDevicePointer_v2(uint64_t* device, void* host, unsigned int flags) {
  void* known = NULL;
  int result = flags == 0 ? IN_CONTEXT(emu_host_pointer(host, &known)) : MUSA_ERROR_INVALID_VALUE;
  *device = (uint64_t)(uintptr_t)known;
  return result;
}

/* Managed memory is the device's here. */
API int muPointerGetAttribute(void* data, int attribute, uint64_t address) {
  emu_kind kind = EMU_DEVICE;
  int device = 0;
  if (data == NULL || !emu_place(pointer(address), &kind, &device)) {
    return MUSA_ERROR_INVALID_VALUE;
  }
  switch (attribute) {
    case MU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned*)data = (kind & (EMU_PINNED | EMU_REGISTERED)) != 0 ? MU_MEMORYTYPE_HOST : MU_MEMORYTYPE_DEVICE;
      return MUSA_SUCCESS;
    case MU_POINTER_ATTRIBUTE_IS_MANAGED: *(bool*)data = kind == EMU_MANAGED; return MUSA_SUCCESS;
    case MU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int*)data = device; return MUSA_SUCCESS;
    default: return MUSA_ERROR_INVALID_VALUE;
  }
}

/* What it answers of the default stream no source says: the unkind way, that it is no stream. */
API int muStreamGetCtx(emu_stream* stream, context** of) {
  int device = 0;
  int code = stream == NULL ? MUSA_ERROR_INVALID_HANDLE : IN_CONTEXT(emu_stream_device(stream, &device));
  if (code == MUSA_SUCCESS) {
    *of = &contexts[device];
  }
  return code;
}

const struct emu_numbers emu_numbers = {.vendor = "emu-musa", .device = "MUSA"};
