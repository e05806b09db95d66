// SPDX-License-Identifier: Apache-2.0
/* Element formats narrower than f32, to and from their bits: round to nearest, ties to even. */
#ifndef CCL_NARROW_H
#define CCL_NARROW_H

#include "engine.h"

float emu_widen(uint32_t bits, enum engine_type type);
uint32_t emu_narrow(float value, enum engine_type type);

#endif
