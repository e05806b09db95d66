// SPDX-License-Identifier: Apache-2.0
/* What the files in front of the emulated device share of HIP's runtime API. */
#ifndef HIP_NUMBER_H
#define HIP_NUMBER_H

#include "../shared/device_engine.h"

/* The API's number for what the engine answers. */
int hip_number(emu_result result);

#endif
