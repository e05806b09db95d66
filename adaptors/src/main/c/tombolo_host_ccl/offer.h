// SPDX-License-Identifier: Apache-2.0
/* Calls that a member begins before it makes them. */
#ifndef TOMBOLO_HOST_CCL_OFFER_H
#define TOMBOLO_HOST_CCL_OFFER_H

#include "../shared/engine.h"

/*
 * Puts this member's part of `call`, which must be its next one, where the others find it; waits for nobody. Who makes the
 * call then has nobody to wait for, if all had offered theirs. Does nothing while other calls are under way, and for calls
 * whose members work on each other's memory. Of the caller's memory nothing is used once this has returned.
 */
enum engine_result offer_call(struct engine_comm* comm, struct engine_call call);

#endif
