/* The emulated CUDA driver, called as the real cuda.h declares it: managed memory, host functions, peers. */
#include <cuda.h>

#include "../check.h"

static CUcontext enter(int ordinal) {
  CUdevice device = -1;
  CUcontext context = NULL;
  CHECK(cuDeviceGet(&device, ordinal) == CUDA_SUCCESS);
  CHECK(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS);
  CHECK(cuCtxSetCurrent(context) == CUDA_SUCCESS);
  return context;
}

static void managed_memory_has_one_address(void) {
  CUdeviceptr managed = 7;
  CHECK(cuMemAllocManaged(&managed, 0, CU_MEM_ATTACH_GLOBAL) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(&managed, BYTES, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_SINGLE) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemAllocManaged(NULL, BYTES, CU_MEM_ATTACH_HOST) == CUDA_ERROR_INVALID_VALUE && managed == 7);
  CHECK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_HOST) == CUDA_SUCCESS);
  ((unsigned char*)managed)[BYTES - 1] = 1;
  CHECK(cuMemFreeHost((void*)managed) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuMemFree(managed) == CUDA_SUCCESS);
}

/* Looks between two fills, at what the host reads of the device's memory. */
static void host_functions_keep_their_place(void) {
  CUstream stream = NULL;
  CUdeviceptr managed = 0;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  CHECK(cuMemAllocManaged(&managed, BYTES, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  seen first = {.caller = pthread_self(), .bytes = (unsigned char*)managed};
  seen second = first;
  CHECK(cuMemsetD8Async(managed, 1, BYTES, stream) == CUDA_SUCCESS);
  CHECK(cuLaunchHostFunc(stream, look, &first) == CUDA_SUCCESS);
  CHECK(cuMemsetD8Async(managed, 2, BYTES, stream) == CUDA_SUCCESS);
  CHECK(cuLaunchHostFunc(stream, look, &second) == CUDA_SUCCESS);
  CHECK(cuLaunchHostFunc(stream, NULL, NULL) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS);
  CHECK(has_seen(&first, 1) && has_seen(&second, 2));
  CHECK(cuLaunchHostFunc(stream, look, &first) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(cuMemFree(managed) == CUDA_SUCCESS);
}

static void access_to_peers_is_enabled_once(void) {
  int reaches = -1;
  CUcontext other = enter(1);
  CUcontext own = enter(0);
  CHECK(cuDeviceCanAccessPeer(&reaches, 0, 1) == CUDA_SUCCESS && reaches == 1);
  CHECK(cuDeviceCanAccessPeer(&reaches, 0, 0) == CUDA_SUCCESS && reaches == 0);
  CHECK(cuDeviceCanAccessPeer(&reaches, 0, 99) == CUDA_ERROR_INVALID_DEVICE);
  CHECK(cuCtxEnablePeerAccess(other, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuCtxEnablePeerAccess(own, 0) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxEnablePeerAccess((CUcontext)&reaches, 0) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuCtxEnablePeerAccess(other, 0) == CUDA_SUCCESS);
  CHECK(cuCtxEnablePeerAccess(other, 0) == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
  CHECK(cuCtxSetCurrent(NULL) == CUDA_SUCCESS);
  CHECK(cuCtxEnablePeerAccess(other, 0) == CUDA_ERROR_INVALID_CONTEXT);
}

int main(void) {
  CHECK(cuInit(0) == CUDA_SUCCESS);
  (void)enter(0);
  managed_memory_has_one_address();
  host_functions_keep_their_place();
  access_to_peers_is_enabled_once();
  return 0;
}
