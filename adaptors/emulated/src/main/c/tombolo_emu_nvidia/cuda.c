// SPDX-License-Identifier: Apache-2.0
/* The CUDA driver API, NVIDIA's and those compatible with it; numbers and prototypes as in cuda.h (witness/cuda.tsv). */
#include "cuda_context.h"
#include "emu_settings.h"
#include "witness_cuda.h"

#define NAME(suffix) cu##suffix
#define WAIT_VALUE cuStreamWaitValue64_v2
#define WRITE_VALUE cuStreamWriteValue64_v2
#define NUMBER(code) CUDA_##code
#define FLAG(name) CU_##name
#define ERROR(code, text) {CUDA_##code, "CUDA_" #code, text}
#define DEVICE_TEXT "emulated NVIDIA device"
#define FIRST_BUS 0x10

#define CAPTURE_NUMBER(result) capture_number(result)

static int capture_number(emu_result result) {
  switch (result) {
    case EMU_CAPTURE_UNSUPPORTED: return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    case EMU_CAPTURE_INVALIDATED: return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    case EMU_CAPTURE_MERGE: return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    case EMU_CAPTURE_UNMATCHED: return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    case EMU_CAPTURE_UNJOINED: return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    case EMU_CAPTURE_ISOLATION: return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    case EMU_CAPTURED_EVENT: return CUDA_ERROR_CAPTURED_EVENT;
    case EMU_CAPTURE_WRONG_THREAD: return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    default: return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
}

/* What older devices lack: TOMBOLO_EMU_LACKS names it, separated by commas: words, host-pointers, flush. */
static bool lacks(const char* ability) { return emu_quirk("TOMBOLO_EMU_LACKS", ability); }

#define WAIT_REFUSED(flags) (((flags) & CU_STREAM_WAIT_VALUE_FLUSH) != 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE)

#define MORE_ERRORS                                                                                              \
  ERROR(ERROR_INVALID_IMAGE, "device kernel image is invalid"),                                                  \
      ERROR(ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),                      \
      ERROR(ERROR_NOT_SUPPORTED, "operation not supported"),                                                     \
      ERROR(ERROR_STREAM_CAPTURE_MERGE, "operation would merge two capture sequences"),                           \
      ERROR(ERROR_STREAM_CAPTURE_UNMATCHED, "capture was not initiated in this stream"),                         \
      ERROR(ERROR_STREAM_CAPTURE_UNJOINED, "capture has work that the stream it began on does not wait for"),    \
      ERROR(ERROR_STREAM_CAPTURE_ISOLATION, "dependency would cross the boundary of the capture sequence"),      \
      ERROR(ERROR_CAPTURED_EVENT, "operation not permitted on an event last recorded in a capturing stream"),

#define WORDS_REFUSED (lacks("words") ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS)

#include "../shared/driver_like.h"

int cuda_number(emu_result result) { return number(result); }

int cuda_context(void) { return current != NULL ? CUDA_SUCCESS : without_context(); }

API int cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* active) {
  if (!is_device(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *flags = 0;
  *active = atomic_load(&retained[device]) > 0;
  return CUDA_SUCCESS;
}

API int cuMemGetHandleForAddressRange(void* handle, uint64_t from, size_t size, int kind, unsigned long long flags) {
  bool valid = handle != NULL && kind == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD && flags == 0;
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_export_dma_buf(pointer(from), size, handle));
}

API int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (value == NULL || !is_device(device)) {
    return value == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
  }
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS: *value = !lacks("words"); return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM: *value = !lacks("host-pointers"); return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS: *value = !lacks("flush"); return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

API int cuFlushGPUDirectRDMAWrites(int target, int scope) {
  if (lacks("flush")) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  bool valid = target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
               scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER;
  if (valid && current != NULL) {
    emu_flush();
  }
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(EMU_OK);
}

API int cuPointerGetAttribute(void* data, int attribute, uint64_t address) {
  emu_kind kind = EMU_DEVICE;
  int device = 0;
  if (data == NULL || !emu_place(pointer(address), &kind, &device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned*)data = (kind & (EMU_PINNED | EMU_REGISTERED | EMU_MANAGED)) != 0 ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(bool*)data = kind == EMU_MANAGED; return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int*)data = device; return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

API int cuStreamGetCtx(emu_stream* stream, context** of) {
  int device = 0;
  int code = IN_CONTEXT(emu_stream_device(stream, &device));
  if (code == CUDA_SUCCESS) {
    *of = &contexts[device];
  }
  return code;
}
