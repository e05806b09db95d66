/* The emulated HIP runtime, called as the real hip_runtime_api.h declares it: managed memory, host functions, peers. */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include "../check.h"

static void managed_memory_has_one_address(void) {
  void* managed = NULL;
  CHECK(hipMallocManaged(&managed, 0, hipMemAttachGlobal) == hipErrorInvalidValue);
  CHECK(hipMallocManaged(&managed, BYTES, hipMemAttachSingle) == hipErrorInvalidValue);
  CHECK(hipMallocManaged(&managed, BYTES, hipMemAttachHost) == hipSuccess);
  ((unsigned char*)managed)[BYTES - 1] = 1;
  CHECK(hipFree(managed) == hipSuccess);
  CHECK(hipFree(managed) == hipErrorInvalidDevicePointer);
}

static void host_functions_keep_their_place(void) {
  hipStream_t stream = NULL;
  void* managed = NULL;
  CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess);
  CHECK(hipMallocManaged(&managed, BYTES, hipMemAttachGlobal) == hipSuccess);
  seen first = {.caller = pthread_self(), .bytes = managed};
  seen second = first;
  CHECK(hipMemsetD8Async(managed, 1, BYTES, stream) == hipSuccess);
  CHECK(hipLaunchHostFunc(stream, look, &first) == hipSuccess);
  CHECK(hipMemsetD8Async(managed, 2, BYTES, stream) == hipSuccess);
  CHECK(hipLaunchHostFunc(stream, look, &second) == hipSuccess);
  CHECK(hipLaunchHostFunc(stream, NULL, NULL) == hipErrorInvalidValue);
  CHECK(hipStreamDestroy(stream) == hipSuccess);
  CHECK(has_seen(&first, 1) && has_seen(&second, 2));
  CHECK(hipFree(managed) == hipSuccess);
}

static void access_to_peers_is_enabled_once(void) {
  int reaches = -1;
  CHECK(hipDeviceCanAccessPeer(&reaches, 2, 3) == hipSuccess && reaches == 1);
  CHECK(hipDeviceCanAccessPeer(&reaches, 2, 2) == hipSuccess && reaches == 0);
  CHECK(hipDeviceCanAccessPeer(&reaches, 2, 99) == hipErrorInvalidDevice);
  CHECK(hipSetDevice(2) == hipSuccess);
  CHECK(hipDeviceEnablePeerAccess(3, 1) == hipErrorInvalidValue);
  CHECK(hipDeviceEnablePeerAccess(2, 0) == hipErrorInvalidDevice);
  CHECK(hipDeviceEnablePeerAccess(3, 0) == hipSuccess);
  CHECK(hipDeviceEnablePeerAccess(3, 0) == hipErrorPeerAccessAlreadyEnabled);
  CHECK(hipSetDevice(3) == hipSuccess);
  CHECK(hipDeviceEnablePeerAccess(2, 0) == hipSuccess);
}

int main(void) {
  CHECK(hipInit(0) == hipSuccess);
  managed_memory_has_one_address();
  host_functions_keep_their_place();
  access_to_peers_is_enabled_once();
  return 0;
}
