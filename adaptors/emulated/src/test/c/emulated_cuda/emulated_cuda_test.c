// SPDX-License-Identifier: Apache-2.0
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

typedef enum ending { GOES_ON, IS_INVALID } ending;

/* What another thread, or this one, does during a capture, and what becomes of the capture. */
typedef struct attempt {
  CUstreamCaptureMode capture;
  CUstreamCaptureMode own; /* of the thread that makes the call */
  bool elsewhere;          /* on a thread that does not capture */
  ending ending;
} attempt;

static const attempt attempts[] = {
    {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, IS_INVALID},
    {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_GLOBAL, true, IS_INVALID},
    {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, true, GOES_ON},
    {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, true, GOES_ON},
    {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_RELAXED, false, GOES_ON},
    {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, false, IS_INVALID},
    {CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL, true, GOES_ON},
    {CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_GLOBAL, false, GOES_ON},
};

static CUevent asked;

/* An event is queried, memory allocated and freed: all of it "potentially unsafe". */
static void* use_unsafely(void* argument) {
  const attempt* of = argument;
  CUstreamCaptureMode mode = of->own;
  CUdeviceptr block = 0;
  (void)enter(0);
  CHECK(cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS && mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUresult wanted = of->ending == IS_INVALID ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
  CHECK(cuEventQuery(asked) == wanted);
  CHECK(cuMemAlloc(&block, 8) == wanted && (wanted != CUDA_SUCCESS || cuMemFree(block) == CUDA_SUCCESS));
  CHECK(cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS && mode == of->own);
  return NULL;
}

static void captures_are_invalidated_as_their_mode_says(void) {
  CHECK(cuEventCreate(&asked, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    attempt of = attempts[i];
    CUstream stream = NULL;
    CUgraph graph = NULL;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    pthread_t other;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(cuStreamBeginCapture(stream, of.capture) == CUDA_SUCCESS);
    if (of.elsewhere) {
      CHECK(pthread_create(&other, NULL, use_unsafely, &of) == 0 && pthread_join(other, NULL) == 0);
    } else {
      (void)use_unsafely(&of);
    }
    bool invalid = of.ending == IS_INVALID;
    CHECK(cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS);
    CHECK(status == (invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE));
    CHECK(cuStreamEndCapture(stream, &graph) == (invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS));
    CHECK((graph == NULL) == invalid && (invalid || cuGraphDestroy(graph) == CUDA_SUCCESS));
    CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS);
  }
  CHECK(cuEventDestroy(asked) == CUDA_SUCCESS);
}

/* What is queued meanwhile does not run; the default stream refuses what would wait for it. */
static void captured_work_does_not_run(void) {
  CUstream stream = NULL;
  CUgraph graph = NULL;
  unsigned char* bytes = NULL;
  CHECK(cuMemHostAlloc((void**)&bytes, BYTES, 0) == CUDA_SUCCESS);
  bytes[0] = 1;
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT) == CUDA_SUCCESS);
  CHECK(cuStreamBeginCapture(NULL, CU_STREAM_CAPTURE_MODE_GLOBAL) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuMemsetD8Async((CUdeviceptr)bytes, 2, BYTES, stream) == CUDA_SUCCESS);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CHECK(cuStreamIsCapturing(NULL, &status) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuMemsetD8Async((CUdeviceptr)bytes, 3, BYTES, NULL) == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CHECK(cuStreamEndCapture(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(cuStreamQuery(stream) == CUDA_SUCCESS && bytes[0] == 1);
  CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS && cuMemFreeHost(bytes) == CUDA_SUCCESS);
}

static CUstream new_stream(void) {
  CUstream stream = NULL;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  return stream;
}

static CUstreamCaptureStatus status_of(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  CHECK(cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS);
  return status;
}

/* What waits for an event of a capture is part of it, until that ends where it was begun. */
static void captures_spread_by_events(void) {
  CUstream first = new_stream();
  CUstream second = new_stream();
  CUstream third = new_stream();
  CUevent event = NULL;
  CUgraph graph = NULL;
  unsigned char* bytes = NULL;
  CHECK(cuMemHostAlloc((void**)&bytes, BYTES, 0) == CUDA_SUCCESS);
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  bytes[0] = 1;
  CHECK(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuEventRecord(event, first) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(second, event, 0) == CUDA_SUCCESS && cuStreamWaitEvent(second, event, 0) == CUDA_SUCCESS);
  CHECK(cuEventRecord(event, second) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(third, event, 0) == CUDA_SUCCESS && cuStreamWaitEvent(first, event, 0) == CUDA_SUCCESS);
  CHECK(status_of(second) == CU_STREAM_CAPTURE_STATUS_ACTIVE && status_of(third) == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuMemsetD8Async((CUdeviceptr)bytes, 2, BYTES, second) == CUDA_SUCCESS);
  CHECK(cuEventRecord(event, second) == CUDA_SUCCESS && cuStreamWaitEvent(third, event, 0) == CUDA_SUCCESS);
  CHECK(cuMemsetD8Async((CUdeviceptr)bytes, 3, BYTES, third) == CUDA_SUCCESS);
  CHECK(cuEventRecord(event, third) == CUDA_SUCCESS && cuStreamWaitEvent(first, event, 0) == CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(first, &graph) == CUDA_SUCCESS && cuGraphDestroy(graph) == CUDA_SUCCESS);
  CHECK(status_of(second) == CU_STREAM_CAPTURE_STATUS_NONE && status_of(third) == CU_STREAM_CAPTURE_STATUS_NONE);
  CHECK(cuStreamWaitEvent(second, event, 0) == CUDA_ERROR_CAPTURED_EVENT);
  CHECK(cuStreamQuery(second) == CUDA_SUCCESS && cuStreamQuery(third) == CUDA_SUCCESS && bytes[0] == 1);
  CHECK(cuEventDestroy(event) == CUDA_SUCCESS && cuMemFreeHost(bytes) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy(first) == CUDA_SUCCESS && cuStreamDestroy(second) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy(third) == CUDA_SUCCESS);
}

/* As an H200 has it, a stream that has only waited leaves nothing out. */
static void what_a_capture_forks_it_joins(void) {
  CUstream first = new_stream();
  CUstream second = new_stream();
  CUevent event = NULL;
  CUgraph graph = NULL;
  unsigned char* bytes = NULL;
  CHECK(cuMemHostAlloc((void**)&bytes, BYTES, 0) == CUDA_SUCCESS);
  CHECK(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  for (int works = 0; works < 2; works++) {
    CHECK(cuStreamBeginCapture(first, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
    CHECK(cuEventRecord(event, first) == CUDA_SUCCESS && cuStreamWaitEvent(second, event, 0) == CUDA_SUCCESS);
    CHECK(works == 0 || cuMemsetD8Async((CUdeviceptr)bytes, 2, BYTES, second) == CUDA_SUCCESS);
    CHECK(cuEventRecord(event, second) == CUDA_SUCCESS);
    CHECK(cuStreamEndCapture(first, &graph) == (works == 0 ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED));
    CHECK((graph == NULL) == (works != 0) && status_of(second) == CU_STREAM_CAPTURE_STATUS_NONE);
  }
  CHECK(cuEventDestroy(event) == CUDA_SUCCESS && cuMemFreeHost(bytes) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy(first) == CUDA_SUCCESS && cuStreamDestroy(second) == CUDA_SUCCESS);
}

static void ends_invalid(CUstream capturing) {
  CUgraph graph = NULL;
  CHECK(status_of(capturing) == CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  CHECK(cuStreamEndCapture(capturing, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

/* Events that would join two captures, or one to what is outside, and an end where it was not begun. */
static void captures_stay_apart(void) {
  CUstream one = new_stream();
  CUstream other = new_stream();
  CUevent inside = NULL;
  CUevent outside = NULL;
  CUgraph graph = NULL;
  CHECK(cuEventCreate(&inside, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  CHECK(cuEventCreate(&outside, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  CHECK(cuEventRecord(outside, other) == CUDA_SUCCESS);

  CHECK(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(one, outside, 0) == CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  ends_invalid(one);

  CHECK(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuStreamBeginCapture(other, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuEventRecord(inside, one) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(other, inside, 0) == CUDA_ERROR_STREAM_CAPTURE_MERGE);
  ends_invalid(one);
  ends_invalid(other);

  CHECK(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuEventRecord(inside, one) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(other, inside, 0) == CUDA_SUCCESS);
  CHECK(cuStreamEndCapture(other, &graph) == CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  ends_invalid(one);

  CHECK(cuStreamBeginCapture(one, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(cuEventRecord(inside, one) == CUDA_SUCCESS);
  CHECK(cuStreamWaitEvent(NULL, inside, 0) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  ends_invalid(one);
  CHECK(cuEventDestroy(inside) == CUDA_SUCCESS && cuEventDestroy(outside) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy(one) == CUDA_SUCCESS && cuStreamDestroy(other) == CUDA_SUCCESS);
}

static void* without_a_context(void* unused) {
  (void)unused;
  CUdeviceptr block = 0;
  CUstream stream = NULL;
  CHECK(cuMemAlloc(&block, BYTES) == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_ERROR_INVALID_CONTEXT);
  return NULL;
}

static void contexts_are_of_threads(void) {
  pthread_t other;
  CHECK(pthread_create(&other, NULL, without_a_context, NULL) == 0 && pthread_join(other, NULL) == 0);
}

static void words_are_pinned_and_aligned(void) {
  static uint64_t plain;
  CUstream stream = NULL;
  CUdeviceptr pinned = 0;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  CHECK(cuMemHostAlloc((void**)&pinned, BYTES, 0) == CUDA_SUCCESS);
  CHECK(cuStreamWaitValue64(stream, (CUdeviceptr)&plain, 0, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamWaitValue64(stream, pinned + 4, 0, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamWriteValue64(stream, pinned + 4, 0, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_ERROR_INVALID_VALUE);
  CHECK(cuStreamWaitValue64(stream, pinned, 0, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
  CHECK(cuStreamDestroy(stream) == CUDA_SUCCESS && cuMemFreeHost((void*)pinned) == CUDA_SUCCESS);
}

/* The attribute says so, and the call refuses. */
static void what_a_device_lacks_it_says(void) {
  static const CUdevice_attribute asked_for[] = {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                                                 CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM,
                                                 CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS};
  static const char* const words[] = {"words", "host-pointers", "flush"};
  CUdeviceptr pinned = 0;
  CHECK(cuMemHostAlloc((void**)&pinned, BYTES, 0) == CUDA_SUCCESS);
  for (int i = 0; i < 3; i++) {
    int value = -1;
    CHECK(cuDeviceGetAttribute(&value, asked_for[i], 0) == CUDA_SUCCESS && value == 1);
    CHECK(setenv("TOMBOLO_EMU_LACKS", words[i], 1) == 0);
    CHECK(cuDeviceGetAttribute(&value, asked_for[i], 0) == CUDA_SUCCESS && value == 0);
    CUresult words_too = i == 0 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
    CHECK(cuStreamWaitValue64(NULL, pinned, 0, CU_STREAM_WAIT_VALUE_GEQ) == words_too);
    CHECK(unsetenv("TOMBOLO_EMU_LACKS") == 0);
  }
  while (cuStreamQuery(NULL) == CUDA_ERROR_NOT_READY) {
  }
  CHECK(cuMemFreeHost((void*)pinned) == CUDA_SUCCESS);
}

int main(void) {
  CHECK(cuInit(0) == CUDA_SUCCESS);
  (void)enter(0);
  managed_memory_has_one_address();
  host_functions_keep_their_place();
  access_to_peers_is_enabled_once();
  (void)enter(0);
  contexts_are_of_threads();
  words_are_pinned_and_aligned();
  captures_are_invalidated_as_their_mode_says();
  captured_work_does_not_run();
  captures_spread_by_events();
  what_a_capture_forks_it_joins();
  captures_stay_apart();
  what_a_device_lacks_it_says();
  return 0;
}
