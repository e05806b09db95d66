// SPDX-License-Identifier: Apache-2.0
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

static void signal_memory_is_one_word(void) {
  void* word = NULL;
  hipStream_t stream = NULL;
  CHECK(hipExtMallocWithFlags(&word, BYTES, hipMallocSignalMemory) == hipErrorInvalidValue);
  CHECK(setenv("TOMBOLO_EMU_LACKS", "signals", 1) == 0);
  CHECK(hipExtMallocWithFlags(&word, sizeof(uint64_t), hipMallocSignalMemory) == hipErrorInvalidValue);
  CHECK(unsetenv("TOMBOLO_EMU_LACKS") == 0);
  CHECK(hipExtMallocWithFlags(&word, sizeof(uint64_t), hipMallocSignalMemory) == hipSuccess);
  CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess);
  CHECK(hipStreamWaitValue64(stream, word, 0, hipStreamWaitValueGte, UINT64_MAX) == hipSuccess);
  while (hipStreamQuery(stream) == hipErrorNotReady) {
  }
  CHECK(hipStreamDestroy(stream) == hipSuccess && hipFree(word) == hipSuccess);
}

static void streams_wait_for_signal_memory_alone(void) {
  void* pinned = NULL;
  CHECK(hipHostMalloc(&pinned, BYTES, hipHostMallocMapped) == hipSuccess);
  CHECK(hipStreamWaitValue64(NULL, pinned, 0, hipStreamWaitValueGte, UINT64_MAX) == hipErrorInvalidValue);
  CHECK(hipHostFree(pinned) == hipSuccess);
}

/* A query is forbidden, unless the thread says otherwise; to ask whether a stream captures is not. */
static void captures_are_refused_what_they_forbid(void) {
  hipStream_t stream = NULL;
  hipGraph_t graph = NULL;
  hipStreamCaptureMode mode = hipStreamCaptureModeRelaxed;
  hipStreamCaptureStatus status = hipStreamCaptureStatusInvalidated;
  CHECK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking) == hipSuccess);
  CHECK(hipStreamIsCapturing(stream, &status) == hipSuccess && status == hipStreamCaptureStatusNone);
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal) == hipSuccess);
  CHECK(hipThreadExchangeStreamCaptureMode(&mode) == hipSuccess && mode == hipStreamCaptureModeGlobal);
  CHECK(hipStreamQuery(NULL) == hipSuccess);
  CHECK(hipThreadExchangeStreamCaptureMode(&mode) == hipSuccess && mode == hipStreamCaptureModeRelaxed);
  CHECK(hipStreamIsCapturing(stream, &status) == hipSuccess && status == hipStreamCaptureStatusActive);
  CHECK(hipStreamQuery(NULL) == hipErrorStreamCaptureUnsupported);
  CHECK(hipStreamIsCapturing(stream, &status) == hipSuccess && status == hipStreamCaptureStatusInvalidated);
  CHECK(hipStreamEndCapture(stream, &graph) == hipErrorStreamCaptureInvalidated && graph == NULL);
  CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed) == hipSuccess);
  CHECK(hipStreamEndCapture(stream, &graph) == hipSuccess && hipGraphDestroy(graph) == hipSuccess);
  CHECK(hipStreamDestroy(stream) == hipSuccess);
}

static void what_a_device_lacks_it_says(void) {
  int value = -1;
  CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeCanUseStreamWaitValue, 0) == hipSuccess && value == 1);
  CHECK(setenv("TOMBOLO_EMU_LACKS", "words", 1) == 0);
  CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeCanUseStreamWaitValue, 0) == hipSuccess && value == 0);
  CHECK(hipStreamWaitValue64(NULL, &value, 0, hipStreamWaitValueGte, UINT64_MAX) == hipErrorNotSupported);
  CHECK(unsetenv("TOMBOLO_EMU_LACKS") == 0);
}

int main(void) {
  CHECK(hipInit(0) == hipSuccess);
  managed_memory_has_one_address();
  host_functions_keep_their_place();
  access_to_peers_is_enabled_once();
  signal_memory_is_one_word();
  streams_wait_for_signal_memory_alone();
  captures_are_refused_what_they_forbid();
  what_a_device_lacks_it_says();
  return 0;
}
