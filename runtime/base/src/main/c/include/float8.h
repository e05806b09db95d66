// SPDX-License-Identifier: Apache-2.0
/*
 * The 8-bit floats of the OCP specification 1.0 and f32, in integer and f32 arithmetic that a compiler can vectorise, by
 * the same two tricks as half.h: a multiplication rebiases the exponent, an addition rounds subnormals.
 *
 *   e5m2  IEEE's shape: bias 15, infinities, the upper byte of a half
 *   e4m3  torch's "fn" flavour: bias 7, no infinities, one NaN per sign (0x7f), largest number 448; what is larger, and
 *         not rounded down to that, becomes NaN, as in torch's conversion
 *
 * A NaN comes out as the canonical one: e5m2 0x7e, e4m3 0x7f.
 */
#ifndef TOMBOLO_FLOAT8_H
#define TOMBOLO_FLOAT8_H

#include "half.h"

static inline float e5m2_to_float(uint8_t x) {
  const float rebias = 0x1p112f; /* bias 15 to bias 127 */
  uint32_t magnitude = (uint32_t)(x & 0x7f) << 21;
  uint32_t scaled = half_bits_of(half_float_of(magnitude) * rebias);
  uint32_t special = magnitude >= 0x7cu << 21 ? 0xffu << 23 : 0;
  return half_float_of(scaled | special | (uint32_t)(x & 0x80) << 24);
}

static inline uint8_t e5m2_of_float(float x) {
  const uint32_t overflow = (127 + 16) << 23; /* 2^16 */
  const uint32_t normal = (127 - 14) << 23;   /* 2^-14: the smallest normal number */
  const float unit = 0x1p7f;                  /* its last bit is the unit of a subnormal, 2^-16 */
  uint32_t bits = half_bits_of(x);
  uint32_t sign = bits & 0x80000000u;
  uint32_t magnitude = bits ^ sign;
  uint32_t infinity = 0x7c | sign >> 24;
  uint32_t special = magnitude > 0xffu << 23 ? 0x7e : infinity;
  uint32_t subnormal = half_bits_of(half_float_of(magnitude) + unit) - half_bits_of(unit);
  uint32_t rounded = (magnitude - ((127u - 15u) << 23) + 0xfffff + (magnitude >> 21 & 1)) >> 21;
  uint32_t finite = (magnitude < normal ? subnormal : rounded) | sign >> 24;
  return (uint8_t)(magnitude >= overflow ? special : finite);
}

static inline float e4m3_to_float(uint8_t x) {
  const float rebias = 0x1p120f; /* bias 7 to bias 127 */
  uint32_t magnitude = (uint32_t)(x & 0x7f) << 20;
  uint32_t scaled = half_bits_of(half_float_of(magnitude) * rebias);
  uint32_t special = magnitude == 0x7fu << 20 ? 0x7fcu << 20 : 0;
  return half_float_of(scaled | special | (uint32_t)(x & 0x80) << 24);
}

static inline uint8_t e4m3_of_float(float x) {
  const uint32_t overflow = 0x43f00000u;   /* 480, which has the pattern of NaN */
  const uint32_t normal = (127 - 6) << 23; /* 2^-6 */
  const float unit = 0x1p14f;              /* its last bit is 2^-9 */
  uint32_t bits = half_bits_of(x);
  uint32_t sign = bits & 0x80000000u;
  uint32_t magnitude = bits ^ sign;
  uint32_t subnormal = half_bits_of(half_float_of(magnitude) + unit) - half_bits_of(unit);
  uint32_t rounded = (magnitude - ((127u - 7u) << 23) + 0x7ffff + (magnitude >> 20 & 1)) >> 20;
  uint32_t finite = magnitude < normal ? subnormal : rounded;
  return (uint8_t)(magnitude >= overflow || finite >= 0x7f ? 0x7f : finite | sign >> 24);
}

#endif
