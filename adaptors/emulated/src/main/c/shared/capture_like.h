// SPDX-License-Identifier: Apache-2.0
/*
 * Capturing streams as in cuda.h, under any vendor's names, for vendors whose modes and states have CUDA's numbers. Whoever
 * includes this defines BEGIN_CAPTURE, END_CAPTURE and EXCHANGE_CAPTURE_MODE, the names of three calls; CAPTURED(result), the
 * vendor's number of an emu_result; CAPTURE_REFUSED, that of a bad argument; and CAPTURES_IN(mode) if not all of CUDA's modes
 * are there. The graph that comes of it has nothing in it.
 */
#ifndef CAPTURE_LIKE_H
#define CAPTURE_LIKE_H

#include "device_capture.h"

#ifndef CAPTURES_IN
#define CAPTURES_IN(mode) true
#endif

static const char empty_graph;

static bool is_capture_mode(int mode) { return mode >= EMU_CAPTURE_GLOBAL && mode <= EMU_CAPTURE_RELAXED; }

API int BEGIN_CAPTURE(emu_stream* stream, int mode) {
  return is_capture_mode(mode) && CAPTURES_IN(mode) ? CAPTURED(emu_capture_begin(stream, (emu_capture_mode)mode)) : CAPTURE_REFUSED;
}

API int END_CAPTURE(emu_stream* stream, const void** graph) {
  if (graph == NULL) {
    return CAPTURE_REFUSED;
  }
  emu_result result = emu_capture_end(stream);
  *graph = result == EMU_OK ? &empty_graph : NULL;
  return CAPTURED(result);
}

API int EXCHANGE_CAPTURE_MODE(int* mode) {
  if (mode == NULL || !is_capture_mode(*mode)) {
    return CAPTURE_REFUSED;
  }
  *mode = (int)emu_capture_exchange((emu_capture_mode)*mode);
  return CAPTURED(EMU_OK);
}

/* For the call that asks, whose arguments differ. */
static int capture_status(const emu_stream* stream, int* status) {
  if (status == NULL) {
    return CAPTURE_REFUSED;
  }
  emu_capture_state state = EMU_CAPTURE_NONE;
  emu_result result = emu_capture_look(stream, &state);
  *status = (int)state;
  return CAPTURED(result);
}

#endif
