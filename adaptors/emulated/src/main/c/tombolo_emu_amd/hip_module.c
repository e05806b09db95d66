// SPDX-License-Identifier: Apache-2.0
/* Modules of kernels and their launch, as in hip_runtime_api.h. Stricter than the original: one axis, and no shared memory. */
#include "../shared/device_kernels.h"
#include "hip_number.h"
#include "witness_hip.h"

#define API __attribute__((visibility("default")))

typedef int hipError_t;
typedef void* hipModule_t;
typedef const emu_kernel* hipFunction_t;
typedef emu_stream* hipStream_t;

API hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  emu_result result = emu_kernels_load(image, module);
  return result == EMU_INVALID_VALUE ? hipErrorInvalidImage : hip_number(result);
}

API hipError_t hipModuleUnload(hipModule_t module) {
  return hip_number(emu_kernels_unload(module));
}

API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* name) {
  emu_result result = emu_kernels_find(module, name, function);
  return result == EMU_INVALID_VALUE ? hipErrorNotFound : hip_number(result);
}

API hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                     hipStream_t stream, void** arguments, void** extra) {
  if (grid_y != 1 || grid_z != 1 || block_y != 1 || block_z != 1 || shared != 0 || extra != NULL) {
    return hipErrorInvalidValue;
  }
  return hip_number(emu_launch(function, (emu_grid){grid_x, block_x}, arguments, stream));
}
