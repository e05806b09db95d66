// SPDX-License-Identifier: Apache-2.0
/* The entry points for windows; MemAlloc and CommRegister are in NCCL's shape, but registering is for all members at once. */
#include "windows.h"

#define API __attribute__((visibility("default")))

API int tomboloMemAlloc(void** memory, size_t bytes) { return window_allocate(memory, bytes); }

API int tomboloMemFree(void* memory) { return window_free(memory); }

/* Waits for all members, as a collective does, in its turn among them. */
API int tomboloCommRegister(struct engine_comm* comm, void* memory) { return window_register(comm, memory); }
