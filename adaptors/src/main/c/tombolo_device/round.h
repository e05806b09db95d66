// SPDX-License-Identifier: Apache-2.0
/*
 * Rounds move operations forward, and so write the words that held streams wait for. A call in one that may wait for the
 * device may wait for such a stream, and then for itself. So rounds make those calls alone that the row declares safe; in
 * tests, where Java's RoundCheck is on, the others are refused here, above whichever library.
 */
#ifndef TOMBOLO_ROUND_H
#define TOMBOLO_ROUND_H

#include "driver.h"

/* Whether this thread may make `call` now; else an IllegalStateException is pending. */
bool round_allows(JNIEnv* env, const driver* by, role call);

#endif
