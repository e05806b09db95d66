// SPDX-License-Identifier: Apache-2.0
/* What the files in front of the emulated device share of CUDA's driver API. */
#ifndef CUDA_CONTEXT_H
#define CUDA_CONTEXT_H

#include "../shared/device_engine.h"

/* CUDA_SUCCESS if the calling thread has a context, else what it is told. */
int cuda_context(void);

/* The API's number for what the engine answers. */
int cuda_number(emu_result result);

#endif
