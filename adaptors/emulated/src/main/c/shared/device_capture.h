// SPDX-License-Identifier: Apache-2.0
/*
 * Capturing streams, as CUDA has them (cuda.h, cuStreamBeginCapture and cuThreadExchangeStreamCaptureMode). What is queued on
 * a stream that captures is noted and not run; nothing is replayed here. A call that is "potentially unsafe" (an allocation,
 * a free, a registration, loading code, a query of an event or a stream) is refused, and invalidates the capture, where
 *
 *   the capture is global         and any thread makes the call, unless its own mode is relaxed or thread-local
 *   the capture is thread-local   and the thread that has begun it does, unless its own mode is relaxed
 *   the capture is relaxed        never
 *
 * A stream that waits for an event which was recorded in a capture is in that capture from then on, until it ends: by then the
 * first stream must have waited for its work, at first or second hand.
 */
#ifndef DEVICE_CAPTURE_H
#define DEVICE_CAPTURE_H

#include "device_engine.h"

typedef enum emu_capture_mode { EMU_CAPTURE_GLOBAL, EMU_CAPTURE_THREAD_LOCAL, EMU_CAPTURE_RELAXED } emu_capture_mode;

/* The default stream does not capture: EMU_CAPTURE_UNSUPPORTED. */
emu_result emu_capture_begin(emu_stream* stream, emu_capture_mode mode);

/*
 * EMU_CAPTURE_INVALIDATED if something illegal came; EMU_CAPTURE_WRONG_THREAD unless relaxed, and it goes on;
 * EMU_CAPTURE_UNMATCHED where it was not begun on that stream; EMU_CAPTURE_UNJOINED if another one's work is left out.
 */
emu_result emu_capture_end(emu_stream* stream);

/* So many streams one capture may have. */
enum { EMU_CAPTURE_STREAMS = 32 };

/* A point of a stream of a capture: the capture, by its number among the process's, and how much of its streams' work is before. */
typedef struct emu_capture_point {
  uint64_t number;
  uint64_t before[EMU_CAPTURE_STREAMS];
} emu_capture_point;

/* Where `stream` is now, to be freed; NULL if it is in no capture. */
emu_capture_point* emu_capture_here(const emu_stream* stream);

/*
 * For a wait of `stream` for an event at `point`, whose capture it then is in. Refused, with what is part of it invalidated, if
 * it is in another one (EMU_CAPTURE_MERGE), or the default stream (EMU_CAPTURE_UNSUPPORTED); EMU_CAPTURED_EVENT if that
 * capture has ended.
 */
emu_result emu_capture_join(const emu_capture_point* point, emu_stream* stream);

/* For a wait of `stream` for an event of no capture: EMU_CAPTURE_ISOLATION if it is in one, which is then invalid. */
emu_result emu_capture_isolate(const emu_stream* stream);

typedef enum emu_capture_state { EMU_CAPTURE_NONE, EMU_CAPTURE_ACTIVE, EMU_CAPTURE_BROKEN } emu_capture_state;

/*
 * Asks whether it captures, and whether that is still good; legal at any time, and harmless. EMU_CAPTURE_IMPLICIT of the
 * default stream while a blocking one of its device captures.
 */
emu_result emu_capture_look(const emu_stream* stream, emu_capture_state* state);

/* The calling thread's mode becomes `mode`; what it was. Global at first. */
emu_capture_mode emu_capture_exchange(emu_capture_mode mode);

/* For a call that may be unsafe: EMU_CAPTURE_UNSUPPORTED if a capture forbids it, which is then invalid. */
emu_result emu_capture_permit(void);

/* The same for a query of `stream`, which its own capture forbids in each mode, and a blocking one if it is the default stream. */
emu_result emu_capture_permit_query(const emu_stream* stream);

/* Something illegal has come to that capture, if it has not ended. */
void emu_capture_spoil(uint64_t number);

/* For `work` about to be queued on `stream`; `is_noted` says whether it is noted in place of being run. */
emu_result emu_capture_take(const emu_stream* stream, const emu_work* work, bool* is_noted);

#endif
