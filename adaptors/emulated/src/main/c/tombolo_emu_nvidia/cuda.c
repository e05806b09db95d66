/* The CUDA driver API, NVIDIA's and those compatible with it; numbers and prototypes as in cuda.h (witness/cuda.tsv). */
#include "cuda_context.h"
#include "witness_cuda.h"

#define NAME(suffix) cu##suffix
#define WAIT_VALUE cuStreamWaitValue64_v2
#define WRITE_VALUE cuStreamWriteValue64_v2
#define NUMBER(code) CUDA_##code
#define FLAG(name) CU_##name
#define ERROR(code, text) {CUDA_##code, "CUDA_" #code, text}
#define DEVICE_TEXT "emulated NVIDIA device"
#define FIRST_BUS 0x10

#include "../shared/driver_like.h"

int cuda_number(emu_result result) { return number(result); }

int cuda_context(void) { return current != NULL ? CUDA_SUCCESS : without_context(); }

API int cuMemGetHandleForAddressRange(void* handle, uint64_t from, size_t size, int kind, unsigned long long flags) {
  bool valid = handle != NULL && kind == CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD && flags == 0;
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(emu_export_dma_buf(pointer(from), size, handle));
}

API int cuFlushGPUDirectRDMAWrites(int target, int scope) {
  bool valid = target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX &&
               scope == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER;
  if (valid && current != NULL) {
    emu_flush();
  }
  return !valid ? CUDA_ERROR_INVALID_VALUE : IN_CONTEXT(EMU_OK);
}
