// SPDX-License-Identifier: Apache-2.0
/*
 * The kernels of one SIMD level. Each level's source includes this once, after setting the compiler's target,
 * HALF_WIDEN / HALF_NARROW and KERNELS, the name of its table.
 *
 * Loops are written for the compiler's vectoriser: "ivdep" holds because dst is a, is b, or overlaps neither.
 */
#include <string.h>

#include "float8.h"
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

#define SCALE(NAME, T, F, FACTOR, RESULT)                                      \
  static void NAME(void* dst, const void* src, size_t count, double factor) { \
    T* out = dst;                                                              \
    const T* a = src;                                                          \
    const F by = FACTOR;                                                       \
    EACH(count) { out[i] = RESULT; }                                           \
  }

/* Integers: W is an unsigned type at least as wide as T and as int, in which wrapping is defined. */
#define INTEGER(t, T, W)                        \
  BINARY(t##_sum, T, (T)((W)a[i] + (W)b[i]))    \
  BINARY(t##_prod, T, (T)((W)a[i] * (W)b[i]))   \
  BINARY(t##_min, T, a[i] < b[i] ? a[i] : b[i]) \
  BINARY(t##_max, T, a[i] > b[i] ? a[i] : b[i]) \
  BINARY(t##_band, T, (T)(a[i] & b[i]))         \
  BINARY(t##_bor, T, (T)(a[i] | b[i]))          \
  BINARY(t##_bxor, T, (T)(a[i] ^ b[i]))         \
  SCALE(t##_scale, T, W, (W)(int64_t)factor, (T)((W)a[i] * by)) \
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

/* Bools: 0 or 1, whatever byte stood for true. */
BINARY(bool_and, uint8_t, (a[i] != 0) & (b[i] != 0))
BINARY(bool_or, uint8_t, (a[i] | b[i]) != 0)
BINARY(bool_xor, uint8_t, (a[i] != 0) ^ (b[i] != 0))

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
  SCALE(t##_scale, T, T, (T)factor, t##_canonical(a[i] * by))              \
  DIVIDE(t##_divide, T, t##_canonical(a[i] / (T)divisor))

FLOATING(f32, float, uint32_t, __builtin_nanf(""))
FLOATING(f64, double, uint64_t, __builtin_nan(""))

/* 16- and 8-bit floats: a block that stays in the first-level cache is widened, computed in f32 and narrowed. */
#define BLOCK 256

#define NARROW_BINARY(NAME, T, WIDEN, OP, NARROW)                                  \
  static void NAME(void* dst, const void* left, const void* right, size_t count) { \
    float x[BLOCK], y[BLOCK];                                                      \
    for (size_t done = 0; done < count; done += BLOCK) {                           \
      size_t n = count - done < BLOCK ? count - done : BLOCK;                      \
      WIDEN(x, (const T*)left + done, n);                                          \
      WIDEN(y, (const T*)right + done, n);                                         \
      OP(x, x, y, n);                                                              \
      NARROW((T*)dst + done, x, n);                                                \
    }                                                                              \
  }

#define NARROW_UNARY(NAME, T, WIDEN, OP, BY, NARROW)                   \
  static void NAME(void* dst, const void* src, size_t count, BY by) {  \
    float x[BLOCK];                                                    \
    for (size_t done = 0; done < count; done += BLOCK) {               \
      size_t n = count - done < BLOCK ? count - done : BLOCK;          \
      WIDEN(x, (const T*)src + done, n);                               \
      OP(x, x, n, by);                                                 \
      NARROW((T*)dst + done, x, n);                                    \
    }                                                                  \
  }

#define NARROW_FLOATING(t, T, WIDEN, NARROW)                         \
  NARROW_BINARY(t##_sum, T, WIDEN, f32_sum, NARROW)                  \
  NARROW_BINARY(t##_prod, T, WIDEN, f32_prod, NARROW)                \
  NARROW_BINARY(t##_min, T, WIDEN, f32_min, NARROW)                  \
  NARROW_BINARY(t##_max, T, WIDEN, f32_max, NARROW)                  \
  NARROW_UNARY(t##_divide, T, WIDEN, f32_divide, uint32_t, NARROW)   \
  NARROW_UNARY(t##_scale, T, WIDEN, f32_scale, double, NARROW)

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

static void e4m3_widen(float* out, const uint8_t* in, size_t count) {
  EACH(count) { out[i] = e4m3_to_float(in[i]); }
}

static void e4m3_narrow(uint8_t* out, const float* in, size_t count) {
  EACH(count) { out[i] = e4m3_of_float(in[i]); }
}

static void e5m2_widen(float* out, const uint8_t* in, size_t count) {
  EACH(count) { out[i] = e5m2_to_float(in[i]); }
}

static void e5m2_narrow(uint8_t* out, const float* in, size_t count) {
  EACH(count) { out[i] = e5m2_of_float(in[i]); }
}

NARROW_FLOATING(f16, uint16_t, HALF_WIDEN, HALF_NARROW)
NARROW_FLOATING(bf16, uint16_t, bf16_widen, bf16_narrow)
NARROW_FLOATING(e4m3, uint8_t, e4m3_widen, e4m3_narrow)
NARROW_FLOATING(e5m2, uint8_t, e5m2_widen, e5m2_narrow)

/* In the order of enum reduce_type. */
#define INTEGERS(op) i8_##op, u8_##op, i16_##op, u16_##op, i32_##op, u32_##op, i64_##op, u64_##op
#define NUMBERS(op) INTEGERS(op), f16_##op, bf16_##op, f32_##op, f64_##op
#define ROW(op, bools) {NUMBERS(op), bools, e4m3_##op, e5m2_##op}

const struct reduce_kernels KERNELS = {
    .binary =
        {
            [REDUCE_SUM] = ROW(sum, bool_or),
            [REDUCE_PROD] = ROW(prod, bool_and),
            [REDUCE_MIN] = ROW(min, bool_and),
            [REDUCE_MAX] = ROW(max, bool_or),
            [REDUCE_BAND] = {INTEGERS(band), [REDUCE_BOOL] = bool_and},
            [REDUCE_BOR] = {INTEGERS(bor), [REDUCE_BOOL] = bool_or},
            [REDUCE_BXOR] = {INTEGERS(bxor), [REDUCE_BOOL] = bool_xor},
        },
    .divide = ROW(divide, NULL),
    .scale = ROW(scale, NULL),
};
