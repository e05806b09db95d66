// SPDX-License-Identifier: Apache-2.0
/* f16, bf16 and the 8-bit floats of the OCP specification (E5M2 like IEEE; E4M3 without infinities, maximum 448). */
#include <string.h>

#include "ccl_narrow.h"

struct format {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;
};

static struct format format_of(enum engine_type type) {
  switch (type) {
    case ENGINE_F16: return (struct format){5, 10, true};
    case ENGINE_BF16: return (struct format){8, 7, true};
    case ENGINE_F8E5M2: return (struct format){5, 2, true};
    default: return (struct format){4, 3, false};
  }
}

static float from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static uint32_t to_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint32_t not_a_number(struct format format) {
  uint32_t all_exponent = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
  return format.has_infinity ? all_exponent | 1u << (format.mantissa_bits - 1)
                             : all_exponent | ((1u << format.mantissa_bits) - 1);
}

/* The least magnitude that is no finite number any more. */
static uint32_t beyond_finite(struct format format) {
  uint32_t all_exponent = ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
  return format.has_infinity ? all_exponent : not_a_number(format);
}

float emu_widen(uint32_t bits, enum engine_type type) {
  struct format format = format_of(type);
  int width = format.exponent_bits + format.mantissa_bits;
  uint32_t sign = (bits >> width & 1) << 31;
  uint32_t magnitude = bits & ((1u << width) - 1);
  uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  int exponent = (int)(magnitude >> format.mantissa_bits);
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  if (magnitude >= beyond_finite(format)) {
    bool infinite = format.has_infinity && mantissa == 0;
    return from_bits(sign | (infinite ? 0x7f800000u : 0x7fc00000u));
  }
  if (exponent == 0 && bias == 127) {
    return from_bits(sign | mantissa << (23 - format.mantissa_bits)); /* bf16: subnormal in f32 as well */
  }
  if (exponent == 0) {
    float unit = from_bits((uint32_t)(128 - bias - format.mantissa_bits) << 23);
    float value = (float)mantissa * unit;
    return sign ? -value : value;
  }
  return from_bits(sign | (uint32_t)(exponent - bias + 127) << 23 | mantissa << (23 - format.mantissa_bits));
}

static uint32_t shift_to_even(uint32_t value, int shift) {
  if (shift >= 26) {
    return 0;
  }
  uint32_t half = 1u << (shift - 1);
  uint32_t rest = value & ((half << 1) - 1);
  uint32_t kept = value >> shift;
  return kept + (rest > half || (rest == half && (kept & 1)));
}

uint32_t emu_narrow(float value, enum engine_type type) {
  struct format format = format_of(type);
  uint32_t bits = to_bits(value);
  uint32_t sign = bits >> 31 << (format.exponent_bits + format.mantissa_bits);
  uint32_t fraction = bits & 0x7fffff;
  int field = (int)(bits >> 23 & 255);
  if (field == 255 && fraction != 0) {
    return sign | not_a_number(format);
  }
  int bias = (1 << (format.exponent_bits - 1)) - 1;
  int exponent = (field == 0 ? 1 : field) - 127;
  uint32_t significand = field == 0 ? fraction : fraction | 0x800000;
  int shift = 23 - format.mantissa_bits;
  uint32_t magnitude;
  if (exponent < 1 - bias || field == 0) {
    magnitude = shift_to_even(significand, shift + (1 - bias - exponent));
  } else {
    /* The leading one of the significand carries into the exponent, as does a round-up to the next power of two. */
    magnitude = ((uint32_t)(exponent + bias - 1) << format.mantissa_bits) + shift_to_even(significand, shift);
  }
  uint32_t limit = beyond_finite(format);
  return sign | (magnitude < limit ? magnitude : limit);
}
