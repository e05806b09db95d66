/* What a library adds to the entry points that NCCL's and RCCL's have in common. */
#ifndef CCL_NCCL_ABI_H
#define CCL_NCCL_ABI_H

#include "engine.h"

#define API __attribute__((visibility("default")))

/* Checks the call, and queues it on `stream` or notes it for the open group; the vendor's result. */
int emu_nccl_call(struct engine_comm* comm, struct engine_call call, int type, int op, void* stream);

#endif
