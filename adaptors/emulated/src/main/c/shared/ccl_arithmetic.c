// SPDX-License-Identifier: Apache-2.0
/*
 * Plain scalar arithmetic, written for this engine alone so that it can be held against others. Integers wrap; types
 * narrower than f32 combine in f32 and round once per pair; where a comparison is false (NaN) the earlier member wins.
 */
#include "ccl_narrow.h"

#define EACH(statement)                  \
  for (size_t i = 0; i < count; i++) { \
    statement;                           \
  }                                      \
  break

/* Sums and products in the unsigned type U, where overflow is defined; order in T itself. */
#define COMBINE(T, U)                                              \
  {                                                                \
    T* to = destination;                                           \
    const T* a = left;                                             \
    const T* b = right;                                            \
    switch (op) {                                                  \
      case ENGINE_PROD: EACH(to[i] = (T)((U)a[i] * (U)b[i]));          \
      case ENGINE_MIN: EACH(to[i] = b[i] < a[i] ? b[i] : a[i]);        \
      case ENGINE_MAX: EACH(to[i] = b[i] > a[i] ? b[i] : a[i]);        \
      default: EACH(to[i] = (T)((U)a[i] + (U)b[i]));                \
    }                                                              \
  }                                                                \
  break

static float combined(float a, float b, enum engine_op op) {
  switch (op) {
    case ENGINE_PROD: return a * b;
    case ENGINE_MIN: return b < a ? b : a;
    case ENGINE_MAX: return b > a ? b : a;
    default: return a + b;
  }
}

#define COMBINE_NARROW(U)                                                                                       \
  {                                                                                                             \
    U* to = destination;                                                                                        \
    const U* a = left;                                                                                          \
    const U* b = right;                                                                                         \
    for (size_t i = 0; i < count; i++) {                                                                      \
      to[i] = (U)emu_narrow(combined(emu_widen(a[i], type), emu_widen(b[i], type), op), type);                   \
    }                                                                                                           \
  }                                                                                                             \
  break

void engine_combine(void* destination, const void* left, const void* right, size_t count, enum engine_type type,
                    enum engine_op op) {
  switch (type) {
    case ENGINE_I8: COMBINE(int8_t, uint8_t);
    case ENGINE_U8: COMBINE(uint8_t, uint8_t);
    case ENGINE_I32: COMBINE(int32_t, uint32_t);
    case ENGINE_U32: COMBINE(uint32_t, uint32_t);
    case ENGINE_I64: COMBINE(int64_t, uint64_t);
    case ENGINE_U64: COMBINE(uint64_t, uint64_t);
    case ENGINE_F32: COMBINE(float, float);
    case ENGINE_F64: COMBINE(double, double);
    case ENGINE_F16:
    case ENGINE_BF16: COMBINE_NARROW(uint16_t);
    default: COMBINE_NARROW(uint8_t);
  }
}

#define DIVIDE(T)                      \
  {                                    \
    T* a = values;                     \
    EACH(a[i] = (T)(a[i] / (T)divisor)); \
  }                                    \
  break

#define DIVIDE_NARROW(U)                                                       \
  {                                                                            \
    U* a = values;                                                             \
    EACH(a[i] = (U)emu_narrow(emu_widen(a[i], type) / (float)divisor, type)); \
  }                                                                            \
  break

void engine_divide(void* values, size_t count, enum engine_type type, int divisor) {
  switch (type) {
    case ENGINE_I8: DIVIDE(int8_t);
    case ENGINE_U8: DIVIDE(uint8_t);
    case ENGINE_I32: DIVIDE(int32_t);
    case ENGINE_U32: DIVIDE(uint32_t);
    case ENGINE_I64: DIVIDE(int64_t);
    case ENGINE_U64: DIVIDE(uint64_t);
    case ENGINE_F32: DIVIDE(float);
    case ENGINE_F64: DIVIDE(double);
    case ENGINE_F16:
    case ENGINE_BF16: DIVIDE_NARROW(uint16_t);
    default: DIVIDE_NARROW(uint8_t);
  }
}
