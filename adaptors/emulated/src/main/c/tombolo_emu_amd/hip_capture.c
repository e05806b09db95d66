// SPDX-License-Identifier: Apache-2.0
/* Capturing streams, as in hip_runtime_api.h, and where that says nothing as in cuda.h. The graph has nothing in it. */
#include "../shared/device_capture.h"
#include "hip_number.h"
#include "witness_hip.h"

#define API __attribute__((visibility("default")))

typedef int hipError_t;
typedef emu_stream* hipStream_t;
typedef const void* hipGraph_t;

static const char empty;

static bool is_mode(int mode) { return mode >= hipStreamCaptureModeGlobal && mode <= hipStreamCaptureModeRelaxed; }

_Static_assert((int)EMU_CAPTURE_GLOBAL == hipStreamCaptureModeGlobal &&
                   (int)EMU_CAPTURE_THREAD_LOCAL == hipStreamCaptureModeThreadLocal &&
                   (int)EMU_CAPTURE_RELAXED == hipStreamCaptureModeRelaxed,
               "the engine's modes have HIP's numbers");
_Static_assert((int)EMU_CAPTURE_NONE == hipStreamCaptureStatusNone &&
                   (int)EMU_CAPTURE_ACTIVE == hipStreamCaptureStatusActive &&
                   (int)EMU_CAPTURE_BROKEN == hipStreamCaptureStatusInvalidated,
               "so have its states");

API hipError_t hipStreamBeginCapture(hipStream_t stream, int mode) {
  return is_mode(mode) ? hip_number(emu_capture_begin(stream, (emu_capture_mode)mode)) : hipErrorInvalidValue;
}

API hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t* graph) {
  if (graph == NULL) {
    return hipErrorInvalidValue;
  }
  emu_result result = emu_capture_end(stream);
  *graph = result == EMU_OK ? &empty : NULL;
  return hip_number(result);
}

API hipError_t hipStreamIsCapturing(hipStream_t stream, int* status) {
  if (status == NULL) {
    return hipErrorInvalidValue;
  }
  emu_capture_state state = EMU_CAPTURE_NONE;
  emu_result result = emu_capture_look(stream, &state);
  *status = (int)state;
  return hip_number(result);
}

API hipError_t hipThreadExchangeStreamCaptureMode(int* mode) {
  if (mode == NULL || !is_mode(*mode)) {
    return hipErrorInvalidValue;
  }
  *mode = (int)emu_capture_exchange((emu_capture_mode)*mode);
  return hipSuccess;
}

API hipError_t hipGraphDestroy(hipGraph_t graph) { return graph == &empty ? hipSuccess : hipErrorInvalidValue; }
