/*
 * Plain scalar arithmetic, written for this engine alone so that it can be held against others. Integers wrap; types
 * narrower than f32 combine in f32 and round once per pair; where a comparison is false (NaN) the earlier member wins.
 */
#include "ccl_internal.h"

#define EACH(statement)                  \
  for (size_t i = 0; i < count; i++) { \
    statement;                           \
  }                                      \
  break

/* Sums and products in the unsigned type U, where overflow is defined; order in T itself. */
#define COMBINE(T, U)                                              \
  {                                                                \
    T* a = destination;                                            \
    const T* b = source;                                           \
    switch (op) {                                                  \
      case EMU_PROD: EACH(a[i] = (T)((U)a[i] * (U)b[i]));          \
      case EMU_MIN: EACH(a[i] = b[i] < a[i] ? b[i] : a[i]);        \
      case EMU_MAX: EACH(a[i] = b[i] > a[i] ? b[i] : a[i]);        \
      default: EACH(a[i] = (T)((U)a[i] + (U)b[i]));                \
    }                                                              \
  }                                                                \
  break

static float combined(float a, float b, enum emu_op op) {
  switch (op) {
    case EMU_PROD: return a * b;
    case EMU_MIN: return b < a ? b : a;
    case EMU_MAX: return b > a ? b : a;
    default: return a + b;
  }
}

#define COMBINE_NARROW(U)                                                                                       \
  {                                                                                                             \
    U* a = destination;                                                                                         \
    const U* b = source;                                                                                        \
    for (size_t i = 0; i < count; i++) {                                                                      \
      a[i] = (U)emu_narrow(combined(emu_widen(a[i], type), emu_widen(b[i], type), op), type);                   \
    }                                                                                                           \
  }                                                                                                             \
  break

void emu_combine(void* destination, const void* source, size_t count, enum emu_type type, enum emu_op op) {
  switch (type) {
    case EMU_I8: COMBINE(int8_t, uint8_t);
    case EMU_U8: COMBINE(uint8_t, uint8_t);
    case EMU_I32: COMBINE(int32_t, uint32_t);
    case EMU_U32: COMBINE(uint32_t, uint32_t);
    case EMU_I64: COMBINE(int64_t, uint64_t);
    case EMU_U64: COMBINE(uint64_t, uint64_t);
    case EMU_F32: COMBINE(float, float);
    case EMU_F64: COMBINE(double, double);
    case EMU_F16:
    case EMU_BF16: COMBINE_NARROW(uint16_t);
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

void emu_divide(void* values, size_t count, enum emu_type type, int divisor) {
  switch (type) {
    case EMU_I8: DIVIDE(int8_t);
    case EMU_U8: DIVIDE(uint8_t);
    case EMU_I32: DIVIDE(int32_t);
    case EMU_U32: DIVIDE(uint32_t);
    case EMU_I64: DIVIDE(int64_t);
    case EMU_U64: DIVIDE(uint64_t);
    case EMU_F32: DIVIDE(float);
    case EMU_F64: DIVIDE(double);
    case EMU_F16:
    case EMU_BF16: DIVIDE_NARROW(uint16_t);
    default: DIVIDE_NARROW(uint8_t);
  }
}

size_t emu_type_bytes(enum emu_type type) {
  switch (type) {
    case EMU_I64:
    case EMU_U64:
    case EMU_F64: return 8;
    case EMU_I32:
    case EMU_U32:
    case EMU_F32: return 4;
    case EMU_F16:
    case EMU_BF16: return 2;
    default: return 1;
  }
}
