// SPDX-License-Identifier: Apache-2.0
/*
 * While a stream is captured into a graph, by whatever thread, "potentially unsafe" calls are refused and break the
 * capture (cuda.h, cuStreamBeginCapture): allocations, frees, registrations, loading code, queries. What this library
 * does so is its own affair, no part of anybody's graph. So it does it in the thread's relaxed mode:
 *
 *   int mode = capture_relax(by);
 *   return capture_restore(by, mode, CALL(...)(...));
 */
#ifndef TOMBOLO_CAPTURE_H
#define TOMBOLO_CAPTURE_H

#include "driver.h"

/* The thread's mode before; where there is none, or it cannot be changed, the call to come says what a capture forbids. */
int capture_relax(const driver* by);

/* Gives the mode back; returns `code`, the vendor's of the call between, or what is wrong with giving it back. */
int capture_restore(const driver* by, int mode, int code);

#endif
