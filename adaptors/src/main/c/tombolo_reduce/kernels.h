/*
 * The kernels of one SIMD level. Each level's source includes this once, after setting the compiler's target,
 * HALF_WIDEN / HALF_NARROW and KERNELS, the name of its table.
 *
 * Loops are written for the compiler's vectoriser: "ivdep" holds because dst is a, is b, or overlaps neither.
 */
#include <string.h>

#include "half.h"
#include "reduce.h"

#define EACH(count) _Pragma("GCC ivdep") for (size_t i = 0; i < (count); i++)

#define BINARY(NAME, T, RESULT)                                                    \
  static void NAME(void* dst, const void* left, const void* right, size_t count) { \
    T* out = dst;                                                                  \
    const T* a = left;                                                             \
    const T* b = right;                                                            \
    EACH(count) { out[i] = RESULT; }                                               \
  }

#define DIVIDE(NAME, T, RESULT)                                                  \
  static void NAME(void* dst, const void* src, size_t count, uint32_t divisor) { \
    T* out = dst;                                                                \
    const T* a = src;                                                            \
    EACH(count) { out[i] = RESULT; }                                             \
  }

/* Integers: W is an unsigned type at least as wide as T and as int, in which wrapping is defined. */
#define INTEGER(t, T, W)                        \
  BINARY(t##_sum, T, (T)((W)a[i] + (W)b[i]))    \
  BINARY(t##_prod, T, (T)((W)a[i] * (W)b[i]))   \
  BINARY(t##_min, T, a[i] < b[i] ? a[i] : b[i]) \
  BINARY(t##_max, T, a[i] > b[i] ? a[i] : b[i]) \
  DIVIDE(t##_divide, T, (T)(a[i] / (T##_quotient)divisor))

typedef int32_t int8_t_quotient;
typedef int32_t int16_t_quotient;
typedef int32_t int32_t_quotient;
typedef int64_t int64_t_quotient;
typedef uint32_t uint8_t_quotient;
typedef uint32_t uint16_t_quotient;
typedef uint32_t uint32_t_quotient;
typedef uint64_t uint64_t_quotient;

INTEGER(i8, int8_t, uint32_t)
INTEGER(u8, uint8_t, uint32_t)
INTEGER(i16, int16_t, uint32_t)
INTEGER(u16, uint16_t, uint32_t)
INTEGER(i32, int32_t, uint32_t)
INTEGER(u32, uint32_t, uint32_t)
INTEGER(i64, int64_t, uint64_t)
INTEGER(u64, uint64_t, uint64_t)

/*
 * Floating point. The operand order of an addition is the compiler's to choose, and with it the payload of a NaN:
 * hence one canonical NaN. Equal operands differ in the sign of a zero at most, so OR gives the lesser one, AND the
 * greater.
 */
#define FLOATING(t, T, BITS, NAN_VALUE)                                    \
  static inline BITS t##_bits(T x) {                                       \
    BITS bits;                                                             \
    memcpy(&bits, &x, sizeof bits);                                        \
    return bits;                                                           \
  }                                                                        \
  static inline T t##_of(BITS bits) {                                      \
    T x;                                                                   \
    memcpy(&x, &bits, sizeof x);                                           \
    return x;                                                              \
  }                                                                        \
  static inline T t##_canonical(T x) { return x == x ? x : NAN_VALUE; }    \
  static inline T t##_lesser(T x, T y) {                                   \
    T ordered = x < y ? x : x > y ? y : t##_of(t##_bits(x) | t##_bits(y)); \
    return x == x && y == y ? ordered : NAN_VALUE;                         \
  }                                                                        \
  static inline T t##_greater(T x, T y) {                                  \
    T ordered = x > y ? x : x < y ? y : t##_of(t##_bits(x) & t##_bits(y)); \
    return x == x && y == y ? ordered : NAN_VALUE;                         \
  }                                                                        \
  BINARY(t##_sum, T, t##_canonical(a[i] + b[i]))                           \
  BINARY(t##_prod, T, t##_canonical(a[i] * b[i]))                          \
  BINARY(t##_min, T, t##_lesser(a[i], b[i]))                               \
  BINARY(t##_max, T, t##_greater(a[i], b[i]))                              \
  DIVIDE(t##_divide, T, t##_canonical(a[i] / (T)divisor))

FLOATING(f32, float, uint32_t, __builtin_nanf(""))
FLOATING(f64, double, uint64_t, __builtin_nan(""))

/* 16-bit floats: a block that stays in the first-level cache is widened, computed in f32 and narrowed. */
#define BLOCK 256

#define NARROW_BINARY(NAME, WIDEN, OP, NARROW)                                     \
  static void NAME(void* dst, const void* left, const void* right, size_t count) { \
    float x[BLOCK], y[BLOCK];                                                      \
    for (size_t done = 0; done < count; done += BLOCK) {                           \
      size_t n = count - done < BLOCK ? count - done : BLOCK;                      \
      WIDEN(x, (const uint16_t*)left + done, n);                                   \
      WIDEN(y, (const uint16_t*)right + done, n);                                  \
      OP(x, x, y, n);                                                              \
      NARROW((uint16_t*)dst + done, x, n);                                         \
    }                                                                              \
  }

#define NARROW_FLOATING(t, WIDEN, NARROW)                                              \
  NARROW_BINARY(t##_sum, WIDEN, f32_sum, NARROW)                                       \
  NARROW_BINARY(t##_prod, WIDEN, f32_prod, NARROW)                                     \
  NARROW_BINARY(t##_min, WIDEN, f32_min, NARROW)                                       \
  NARROW_BINARY(t##_max, WIDEN, f32_max, NARROW)                                       \
  static void t##_divide(void* dst, const void* src, size_t count, uint32_t divisor) { \
    float x[BLOCK];                                                                    \
    for (size_t done = 0; done < count; done += BLOCK) {                               \
      size_t n = count - done < BLOCK ? count - done : BLOCK;                          \
      WIDEN(x, (const uint16_t*)src + done, n);                                        \
      f32_divide(x, x, n, divisor);                                                    \
      NARROW((uint16_t*)dst + done, x, n);                                             \
    }                                                                                  \
  }

static void bf16_widen(float* out, const uint16_t* in, size_t count) {
  EACH(count) { out[i] = f32_of((uint32_t)in[i] << 16); }
}

/* Round to nearest even; the one NaN that reaches this has no low bits to carry. */
static void bf16_narrow(uint16_t* out, const float* in, size_t count) {
  EACH(count) {
    uint32_t bits = f32_bits(in[i]);
    out[i] = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
}

NARROW_FLOATING(f16, HALF_WIDEN, HALF_NARROW)
NARROW_FLOATING(bf16, bf16_widen, bf16_narrow)

#define ROW(op)                                                                                                  \
  {                                                                                                              \
    i8_##op, u8_##op, i16_##op, u16_##op, i32_##op, u32_##op, i64_##op, u64_##op, f16_##op, bf16_##op, f32_##op, \
        f64_##op                                                                                                 \
  }

const struct reduce_kernels KERNELS = {
    .binary = {ROW(sum), ROW(prod), ROW(min), ROW(max)},
    .divide = ROW(divide),
};
