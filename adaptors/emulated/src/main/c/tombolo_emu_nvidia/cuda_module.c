// SPDX-License-Identifier: Apache-2.0
/* Modules of kernels and their launch, as in cuda.h. Stricter than the original: one axis, and no shared memory. */
#include "../shared/device_kernels.h"
#include "cuda_context.h"
#include "witness_cuda.h"

#define API __attribute__((visibility("default")))

typedef int CUresult;
typedef void* CUmodule;
typedef const emu_kernel* CUfunction;
typedef emu_stream* CUstream;

/* PTX is text that begins with a directive or a comment. */
static bool looks_like_ptx(const char* image) { return image != NULL && (*image == '.' || *image == '/'); }

API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  CUresult context = cuda_context();
  if (context != CUDA_SUCCESS) {
    return context;
  }
  emu_result result = emu_kernels_load(image, module);
  return result != EMU_INVALID_VALUE ? cuda_number(result) : looks_like_ptx(image) ? CUDA_ERROR_INVALID_PTX : CUDA_ERROR_INVALID_IMAGE;
}

API CUresult cuModuleUnload(CUmodule module) {
  CUresult context = cuda_context();
  return context != CUDA_SUCCESS ? context : cuda_number(emu_kernels_unload(module));
}

API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  CUresult context = cuda_context();
  if (context != CUDA_SUCCESS) {
    return context;
  }
  emu_result result = emu_kernels_find(module, name, function);
  return result == EMU_INVALID_VALUE ? CUDA_ERROR_NOT_FOUND : cuda_number(result);
}

API CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments,
                            void** extra) {
  CUresult context = cuda_context();
  if (context != CUDA_SUCCESS) {
    return context;
  }
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared != 0 || extra != NULL) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return cuda_number(emu_launch(function, (emu_grid){grid_x, block_x}, arguments, stream));
}
