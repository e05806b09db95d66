/*
 * The CUDA driver API in front of the emulated device, NVIDIA's and those compatible with it; numbers and prototypes as in cuda.h (witness/cuda.tsv).
 *
 * Stricter than the original where that finds mistakes: asynchronous copies refuse host memory that is not pinned, and
 * device pointers where host pointers belong.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../shared/device_engine.h"
#include "cuda_context.h"
#include "emu_numbers.h"
#include "witness_cuda.h"

#define API __attribute__((visibility("default")))

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef emu_stream* CUstream;
typedef emu_event* CUevent;
typedef struct CUctx {
  CUdevice device;
}* CUcontext;
typedef struct CUipcMemHandle {
  unsigned char data[CU_IPC_HANDLE_SIZE];
} CUipcMemHandle;

_Static_assert(CU_IPC_HANDLE_SIZE == EMU_IPC_BYTES, "the engine's handles have the vendor's size");

enum { MAX_DEVICES = 64, DRIVER_VERSION = 12090 };

static struct CUctx contexts[MAX_DEVICES];
static atomic_bool initialised;
static _Thread_local CUcontext current;

CUresult cuda_number(emu_result result) {
  switch (result) {
    case EMU_OK: return CUDA_SUCCESS;
    case EMU_NOT_READY: return CUDA_ERROR_NOT_READY;
    case EMU_INVALID_VALUE: return CUDA_ERROR_INVALID_VALUE;
    case EMU_INVALID_HANDLE: return CUDA_ERROR_INVALID_HANDLE;
    case EMU_OUT_OF_MEMORY: return CUDA_ERROR_OUT_OF_MEMORY;
    case EMU_NOT_REGISTERED: return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    case EMU_ALREADY_REGISTERED: return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    case EMU_STREAM_FAILED: return emu_fault_code(CUDA_ERROR_LAUNCH_FAILED);
  }
  return CUDA_ERROR_UNKNOWN;
}

static const struct {
  CUresult code;
  const char* name;
  const char* text;
} errors[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static CUresult without_context(void) {
  return atomic_load(&initialised) ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_NOT_INITIALIZED;
}

int cuda_context(void) { return current != NULL ? CUDA_SUCCESS : without_context(); }

/* Most calls want a context on the calling thread, which is what callers forget. */
#define IN_CONTEXT(call) (current != NULL ? cuda_number(call) : without_context())

static void* pointer(CUdeviceptr address) { return (void*)(uintptr_t)address; }

static bool is_device(CUdevice device) {
  return device >= 0 && device < MAX_DEVICES && device < emu_device_count();
}

API CUresult cuInit(unsigned int flags) {
  if (flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  atomic_store(&initialised, true);
  return CUDA_SUCCESS;
}

API CUresult cuDriverGetVersion(int* version) {
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

API CUresult cuGetErrorName(CUresult code, const char** name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code == code) {
      *name = errors[i].name;
      return CUDA_SUCCESS;
    }
  }
  *name = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuGetErrorString(CUresult code, const char** text) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code == code) {
      *text = errors[i].text;
      return CUDA_SUCCESS;
    }
  }
  *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuDeviceGetCount(int* count) {
  if (!atomic_load(&initialised)) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  *count = emu_device_count();
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!atomic_load(&initialised)) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (!is_device(ordinal)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = ordinal;
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!is_device(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  emu_device_name(device, "emulated NVIDIA device", name, (size_t)length);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceGetPCIBusId(char* id, int length, CUdevice device) {
  if (!is_device(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  (void)snprintf(id, (size_t)length, "0000:%02X:00.0", 0x10 + device);
  return CUDA_SUCCESS;
}

API CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  *bytes = emu_total_memory();
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!is_device(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *context = &contexts[device];
  return CUDA_SUCCESS;
}

API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

API CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}

API CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t size) {
  void* block = NULL;
  CUresult result = IN_CONTEXT(emu_allocate(size, &block));
  *address = (CUdeviceptr)(uintptr_t)block;
  return result;
}

API CUresult cuMemFree_v2(CUdeviceptr address) { return IN_CONTEXT(emu_release(pointer(address), EMU_DEVICE)); }

API CUresult cuMemHostAlloc(void** address, size_t size, unsigned int flags) {
  (void)flags;
  return IN_CONTEXT(emu_allocate_pinned(size, address));
}

API CUresult cuMemFreeHost(void* address) { return IN_CONTEXT(emu_release(address, EMU_PINNED)); }

API CUresult cuMemHostRegister_v2(void* address, size_t size, unsigned int flags) {
  (void)flags;
  return IN_CONTEXT(emu_register(address, size));
}

API CUresult cuMemHostUnregister(void* address) { return IN_CONTEXT(emu_release(address, EMU_REGISTERED)); }

API CUresult cuStreamCreate(CUstream* stream, unsigned int flags) {
  return flags > CU_STREAM_NON_BLOCKING ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_stream_create(stream));
}

API CUresult cuStreamDestroy_v2(CUstream stream) { return IN_CONTEXT(emu_stream_destroy(stream)); }

API CUresult cuStreamQuery(CUstream stream) { return IN_CONTEXT(emu_stream_query(stream)); }

API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  return flags != CU_EVENT_WAIT_DEFAULT ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_event_wait(event, stream));
}

API CUresult cuEventCreate(CUevent* event, unsigned int flags) {
  return flags != CU_EVENT_DISABLE_TIMING ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_event_create(event));
}

API CUresult cuEventRecord(CUevent event, CUstream stream) { return IN_CONTEXT(emu_event_record(event, stream)); }

API CUresult cuEventQuery(CUevent event) { return IN_CONTEXT(emu_event_query(event)); }

API CUresult cuEventDestroy_v2(CUevent event) { return IN_CONTEXT(emu_event_destroy(event)); }

API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t size, CUstream on) {
  return IN_CONTEXT(emu_copy(pointer(to), EMU_ANY_DEVICE, from, EMU_ANY_HOST, size, on));
}

API CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t size, CUstream on) {
  return IN_CONTEXT(emu_copy(to, EMU_ANY_HOST, pointer(from), EMU_ANY_DEVICE, size, on));
}

API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t size, CUstream on) {
  return IN_CONTEXT(emu_copy(pointer(to), EMU_ANY_DEVICE, pointer(from), EMU_ANY_DEVICE, size, on));
}

API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t size, CUstream on) {
  return IN_CONTEXT(emu_fill(pointer(to), value, size, on));
}

/* "Wait until (int64_t)(*addr - value) >= 0", says cuda.h: the comparison is cyclic. */
static bool reached(uint64_t word, uint64_t value) { return (int64_t)(word - value) >= 0; }

API CUresult cuStreamWaitValue64_v2(CUstream on, CUdeviceptr word, uint64_t value, unsigned int flags) {
  return flags != CU_STREAM_WAIT_VALUE_GEQ
             ? CUDA_ERROR_INVALID_VALUE
             : IN_CONTEXT(emu_wait_value(pointer(word), value, UINT64_MAX, reached, on));
}

API CUresult cuStreamWriteValue64_v2(CUstream on, CUdeviceptr word, uint64_t value, unsigned int flags) {
  return flags != CU_STREAM_WRITE_VALUE_DEFAULT ? CUDA_ERROR_INVALID_VALUE
                                                : IN_CONTEXT(emu_write_value(pointer(word), value, on));
}

API CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  return IN_CONTEXT(emu_ipc_export(emu_numbers.vendor, pointer(address), handle->data));
}

API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* address, CUipcMemHandle handle, unsigned int flags) {
  void* block = NULL;
  CUresult result = flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS ? CUDA_ERROR_INVALID_VALUE
                                                                : IN_CONTEXT(emu_ipc_open(emu_numbers.vendor, handle.data, &block));
  *address = (CUdeviceptr)(uintptr_t)block;
  return result;
}

API CUresult cuIpcCloseMemHandle(CUdeviceptr address) { return IN_CONTEXT(emu_release(pointer(address), EMU_IMPORTED)); }

API CUresult cuMemGetHandleForAddressRange(void* handle, CUdeviceptr from, size_t size, int kind, unsigned long long flags) {
  bool valid = handle != NULL && kind == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD && flags == 0;
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_export_dma_buf(pointer(from), size, handle));
}

API CUresult cuFlushGPUDirectRDMAWrites(int target, int scope) {
  bool valid = target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
               scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER;
  if (valid && current != NULL) {
    emu_flush();
  }
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(EMU_OK);
}
