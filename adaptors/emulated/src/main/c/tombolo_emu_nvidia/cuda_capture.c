// SPDX-License-Identifier: Apache-2.0
/* Capturing streams, as in cuda.h. The graph that comes of it has nothing in it. */
#include "../shared/device_capture.h"
#include "cuda_context.h"
#include "witness_cuda.h"

#define API __attribute__((visibility("default")))

typedef int CUresult;
typedef emu_stream* CUstream;
typedef const void* CUgraph;

static const char empty;

static bool is_mode(int mode) { return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED; }

_Static_assert((int)EMU_CAPTURE_GLOBAL == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                   (int)EMU_CAPTURE_THREAD_LOCAL == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL &&
                   (int)EMU_CAPTURE_RELAXED == CU_STREAM_CAPTURE_MODE_RELAXED,
               "the engine's modes have CUDA's numbers");
_Static_assert((int)EMU_CAPTURE_NONE == CU_STREAM_CAPTURE_STATUS_NONE &&
                   (int)EMU_CAPTURE_ACTIVE == CU_STREAM_CAPTURE_STATUS_ACTIVE &&
                   (int)EMU_CAPTURE_BROKEN == CU_STREAM_CAPTURE_STATUS_INVALIDATED,
               "so have its states");

API CUresult cuStreamBeginCapture_v2(CUstream stream, int mode) {
  CUresult context = cuda_context();
  return context != CUDA_SUCCESS ? context
         : !is_mode(mode)        ? CUDA_ERROR_INVALID_VALUE
                                 : cuda_number(emu_capture_begin(stream, (emu_capture_mode)mode));
}

API CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  CUresult context = cuda_context();
  if (context != CUDA_SUCCESS || graph == NULL) {
    return context != CUDA_SUCCESS ? context : CUDA_ERROR_INVALID_VALUE;
  }
  emu_result result = emu_capture_end(stream);
  *graph = result == EMU_OK ? &empty : NULL;
  return result == EMU_INVALID_VALUE ? CUDA_ERROR_ILLEGAL_STATE : cuda_number(result);
}

API CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  CUresult context = cuda_context();
  if (context != CUDA_SUCCESS || status == NULL) {
    return context != CUDA_SUCCESS ? context : CUDA_ERROR_INVALID_VALUE;
  }
  emu_capture_state state = EMU_CAPTURE_NONE;
  emu_result result = emu_capture_look(stream, &state);
  *status = (int)state;
  return cuda_number(result);
}

API CUresult cuThreadExchangeStreamCaptureMode(int* mode) {
  if (mode == NULL || !is_mode(*mode)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *mode = (int)emu_capture_exchange((emu_capture_mode)*mode);
  return CUDA_SUCCESS;
}

API CUresult cuGraphDestroy(CUgraph graph) { return graph == &empty ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
