// SPDX-License-Identifier: Apache-2.0
/* bfloat16, the upper half of an f32, and f32, in integer arithmetic that a compiler can vectorise. */
#ifndef TOMBOLO_BFLOAT16_H
#define TOMBOLO_BFLOAT16_H

#include "half.h"

static inline float bf16_to_float(uint16_t x) { return half_float_of((uint32_t)x << 16); }

/* To the nearest, halves to even. A NaN comes out as the canonical one, 0x7fc0. */
static inline uint16_t bf16_of_float(float x) {
  uint32_t bits = half_bits_of(x);
  uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0 : rounded);
}

#endif
