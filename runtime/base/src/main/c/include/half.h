// SPDX-License-Identifier: Apache-2.0
/*
 * IEEE binary16 to f32 and back, in integer and f32 arithmetic that a compiler can vectorise.
 * After Fabian Giesen, "half to float done quick" and "float to half, round to nearest even" (public domain, 2012).
 */
#ifndef TOMBOLO_HALF_H
#define TOMBOLO_HALF_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline float half_float_of(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint32_t half_bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* Multiplying by 2^112 moves the exponent bias from 15 to 127, and makes subnormals normal. */
static inline float half_to_float(uint16_t half) {
  const float rebias = 0x1p112f;
  uint32_t magnitude = (uint32_t)(half & 0x7fff) << 13;
  uint32_t scaled = half_bits_of(half_float_of(magnitude) * rebias);
  uint32_t special = magnitude >= 0x7c00u << 13 ? 0xffu << 23 : 0; /* infinity and NaN */
  return half_float_of(scaled | special | (uint32_t)(half & 0x8000) << 16);
}

static inline uint16_t half_of_float(float x) {
  const uint32_t overflow = (127 + 16) << 23;  /* 2^16: rounds to infinity */
  const uint32_t normal = (127 - 14) << 23;    /* 2^-14: the smallest normal half */
  uint32_t bits = half_bits_of(x);
  uint32_t sign = bits & 0x80000000u;
  uint32_t magnitude = bits ^ sign;
  uint32_t special = magnitude > 0xffu << 23 ? 0x7e00 : 0x7c00;
  /* Adding 0.5 makes the f32 adder round at the unit of a subnormal half, 2^-24. */
  uint32_t subnormal = half_bits_of(half_float_of(magnitude) + 0.5f) - half_bits_of(0.5f);
  uint32_t rounded = (magnitude - ((127u - 15u) << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
  uint32_t half = magnitude >= overflow ? special : magnitude < normal ? subnormal : rounded;
  return (uint16_t)(half | sign >> 16);
}

#endif
