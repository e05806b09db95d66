// SPDX-License-Identifier: Apache-2.0
/*
 * What real devices do that is inconvenient, one word for each. What it is taken from, and which are off until somebody asks
 * for them, is in docs/emulated-devices.md. The environment turns single ones off and on, by their words:
 *
 *   TOMBOLO_EMU_KIND      off: the device is kinder than its original; "1" is all of them
 *   TOMBOLO_EMU_UNKIND    on: those of which a device is usually kinder here; "1" is all of them
 *   TOMBOLO_EMU_REPORT    a file to which reports are appended, beside stderr
 */
#ifndef EMU_STRICT_H
#define EMU_STRICT_H

#include <stdbool.h>

typedef enum emu_strictness {
  EMU_FREES,         /* frees wait for the context's work */
  EMU_ALLOCATIONS,   /* so do allocations, of the device's memory and of page-locked */
  EMU_REGISTRATIONS, /* and registering host memory, and taking that back */
  EMU_MODULES,       /* and loading code, and the first look-up of a function */
  EMU_LOCKS,         /* while a free, and its like, waits, other threads' calls wait for it */
  EMU_LEGACY,        /* the legacy default stream is in order with all blocking streams */
  EMU_QUEUES,        /* streams share hardware queues */
  EMU_SHARES,        /* CUDA's priorities share those, and copies have others */
  EMU_SIGNALS,       /* HIP's streams wait for words of signal memory only */
  EMU_CAPTURE,       /* what a capture does not allow invalidates it */
  EMU_CONNECTS,      /* a communicator connects in the first call of a kind, or to a member, which blocks for it */
  EMU_ABORTS,        /* an abort frees the communicator, whoever uses it */
  EMU_GATES,         /* the call that opens a gate waits for the context's work */
  EMU_PAGEABLES,     /* so do large copies of pageable memory, where there are any */
  EMU_STRICTNESSES
} emu_strictness;

bool emu_is_strict(emu_strictness which);

/* The word for it. */
const char* emu_strict_word(emu_strictness which);

/* Tells what a real device would have hung or crashed at, on stderr and in the file for it: one line. */
void emu_report(const char* format, ...) __attribute__((format(printf, 1, 2)));

#endif
