// SPDX-License-Identifier: Apache-2.0
/* The floating-point mode of the thread, which programs may have changed: entered before arithmetic whose results must be
 * the same everywhere, and left after it. */
#ifndef TOMBOLO_PLAIN_MODE_H
#define TOMBOLO_PLAIN_MODE_H

#include <stdbool.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

/* Round to nearest, all exceptions masked, no flush to zero, denormals are not zeros: the state after reset. */
#define PLAIN_MXCSR 0x1f80u

/* What arithmetic may leave behind: which exceptions, all masked, there were. */
#define MXCSR_FLAGS 0x3fu

static inline bool is_plain_mode(unsigned mode) { return (mode & ~MXCSR_FLAGS) == PLAIN_MXCSR; }

/* Setting a mode costs as much as combining a few hundred bytes. */
static inline unsigned enter_plain_mode(void) {
  unsigned saved = _mm_getcsr();
  if (!is_plain_mode(saved)) {
    _mm_setcsr(PLAIN_MXCSR);
  }
  return saved;
}

static inline void leave_plain_mode(unsigned saved) {
  if (!is_plain_mode(saved)) {
    _mm_setcsr(saved);
  }
}

#else

static inline unsigned enter_plain_mode(void) { return 0; }

static inline void leave_plain_mode(unsigned saved) { (void)saved; }

#endif
#endif
