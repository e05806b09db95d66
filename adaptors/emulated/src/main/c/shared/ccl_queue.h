// SPDX-License-Identifier: Apache-2.0
/* Calls of the emulated collective libraries, from their entry points to the streams. */
#ifndef CCL_QUEUE_H
#define CCL_QUEUE_H

#include "engine.h"

#define API __attribute__((visibility("default")))

/* Checks the call, and queues it on `stream` or notes it for the open group; the vendor's result. */
int emu_queue_call(struct engine_comm* comm, struct engine_call call, int type, int op, void* stream);

/* Connects the communicator, where its first collective does: it waits for all members' first ones. */
enum engine_result emu_connect(struct engine_comm* comm);

/* Does not return until the communicator is aborted, where a call of so many elements is asked to be stuck. */
enum engine_result emu_block(struct engine_comm* comm, size_t count);

/* Groups of the calling thread; they nest, and the outermost end queues. */
void emu_group_start(void);
enum engine_result emu_group_end(void);
bool emu_in_group(void);

#endif
