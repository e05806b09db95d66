// SPDX-License-Identifier: Apache-2.0
/* Calls of the emulated collective libraries, from their entry points to the streams. */
#ifndef CCL_QUEUE_H
#define CCL_QUEUE_H

#include "engine.h"

#define API __attribute__((visibility("default")))

/* Checks the call, and queues it on `stream` or notes it for the open group; the vendor's result. */
int emu_queue_call(struct engine_comm* comm, struct engine_call call, int type, int op, void* stream);

/* Connects the communicator for a collective: the first of its kind waits for all members' first ones. */
enum engine_result emu_connect(struct engine_comm* comm, const struct engine_call* call);

/* Connects two members for a send or receive, in two parts, so that several can be waited for: the first waits for the other. */
void emu_approach_peer(struct engine_comm* comm, const struct engine_call* call);
enum engine_result emu_meet_peer(struct engine_comm* comm, const struct engine_call* call);

/* Does not return until the communicator is aborted, where a call of so many elements is asked to be stuck. */
enum engine_result emu_block(struct engine_comm* comm, size_t count);

/* Groups of the calling thread; they nest, and the outermost end queues. */
void emu_group_start(void);
enum engine_result emu_group_end(void);
bool emu_in_group(void);

#endif
