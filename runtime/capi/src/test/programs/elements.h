/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of all types by their values: whole numbers so small that every type has them exactly, and quotients of these. An
 * oracle of its own. */
#ifndef ELEMENTS_H
#define ELEMENTS_H

#include <stdint.h>
#include <string.h>
#include <tombolo.h>

enum { TYPES = 15, MAX_BYTES = 8 };

static inline int is_floating(tombolo_type type) {
  return (type >= TOMBOLO_F16 && type <= TOMBOLO_F64) || type == TOMBOLO_F8E4M3 || type == TOMBOLO_F8E5M2;
}

/* The nearest small float with so many bits of exponent and of fraction; normal numbers and zero only, and none that lies
 * halfway between two. */
static inline unsigned small_float(double value, int exponent_bits, int fraction_bits) {
  unsigned sign = value < 0;
  double magnitude = sign ? -value : value;
  int exponent = 0;
  if (magnitude == 0) {
    return 0;
  }
  while (magnitude >= 2) {
    magnitude /= 2;
    exponent++;
  }
  while (magnitude < 1) {
    magnitude *= 2;
    exponent--;
  }
  unsigned biased = (unsigned)(exponent + (1 << (exponent_bits - 1)) - 1);
  unsigned fraction = (unsigned)((magnitude - 1) * (1 << fraction_bits) + 0.5); /* may carry into the exponent */
  return (sign << (exponent_bits + fraction_bits)) + (biased << fraction_bits) + fraction;
}

static inline void put(void* at, tombolo_type type, double value) {
  int64_t whole = (int64_t)value;
  uint16_t half = 0;
  uint8_t byte = 0;
  float single = (float)value;
  switch (type) {
    case TOMBOLO_I8:
    case TOMBOLO_U8:
    case TOMBOLO_I16:
    case TOMBOLO_U16:
    case TOMBOLO_I32:
    case TOMBOLO_U32:
    case TOMBOLO_I64:
    case TOMBOLO_U64:
      memcpy(at, &whole, tombolo_type_size(type)); /* little-endian */
      break;
    case TOMBOLO_F16:
      half = (uint16_t)small_float(value, 5, 10);
      memcpy(at, &half, 2);
      break;
    case TOMBOLO_BF16:
      half = (uint16_t)small_float(value, 8, 7);
      memcpy(at, &half, 2);
      break;
    case TOMBOLO_F32:
      memcpy(at, &single, 4);
      break;
    case TOMBOLO_F64:
      memcpy(at, &value, 8);
      break;
    case TOMBOLO_BOOL:
      byte = value != 0;
      memcpy(at, &byte, 1);
      break;
    case TOMBOLO_F8E4M3:
      byte = (uint8_t)small_float(value, 4, 3);
      memcpy(at, &byte, 1);
      break;
    case TOMBOLO_F8E5M2:
      byte = (uint8_t)small_float(value, 5, 2);
      memcpy(at, &byte, 1);
      break;
  }
}

/* What an operator makes of two values. */
static inline double combine(tombolo_type type, tombolo_op op, double a, double b) {
  int64_t x = (int64_t)a;
  int64_t y = (int64_t)b;
  int truth = type == TOMBOLO_BOOL;
  switch (op) {
    case TOMBOLO_SUM:
    case TOMBOLO_AVG:
    case TOMBOLO_PREMUL_SUM:
      return truth ? (a != 0 || b != 0) : a + b;
    case TOMBOLO_PROD:
      return a * b;
    case TOMBOLO_MIN:
      return a < b ? a : b;
    case TOMBOLO_MAX:
      return a > b ? a : b;
    case TOMBOLO_BAND:
      return (double)(x & y);
    case TOMBOLO_BOR:
      return (double)(x | y);
    case TOMBOLO_BXOR:
      return (double)(x ^ y);
  }
  return 0;
}

/* Whether the operator has a meaning for the type; the conformance run asks for a refusal where it has not. */
static inline int has_meaning(tombolo_type type, tombolo_op op) {
  if (op == TOMBOLO_BAND || op == TOMBOLO_BOR || op == TOMBOLO_BXOR) {
    return !is_floating(type);
  }
  return type != TOMBOLO_BOOL || (op != TOMBOLO_AVG && op != TOMBOLO_PREMUL_SUM);
}

#endif
