// SPDX-License-Identifier: Apache-2.0
/*
 * Element-wise reductions of host memory: dst[i] = a[i] op b[i], at the SIMD level the processor offers.
 *
 * All levels give the same bits:
 *   - floating point rounds to nearest even, subnormals are kept, whatever the calling thread's MXCSR says;
 *   - every NaN result is the one canonical quiet NaN (sign 0, only the top mantissa bit set);
 *   - minimum and maximum are IEEE 754-2019's: a NaN operand gives NaN, and -0 < +0;
 *   - 16- and 8-bit floats are computed in f32 and rounded once;
 *   - integers wrap, and their division truncates toward zero;
 *   - bools are bytes, true unless 0, and their results are 0 or 1: sum and max are "or", prod and min are "and".
 *
 * dst may be a or b themselves; any other overlap is undefined. Addresses are multiples of the element's size.
 */
#ifndef TOMBOLO_REDUCE_H
#define TOMBOLO_REDUCE_H

#include <stddef.h>
#include <stdint.h>

/* The numbers of io.tombolo.base.ReduceOp. */
enum reduce_op {
  REDUCE_SUM,
  REDUCE_PROD,
  REDUCE_MIN,
  REDUCE_MAX,
  REDUCE_AVG, /* a sum, which a division ends: has no kernel */
  REDUCE_BAND,
  REDUCE_BOR,
  REDUCE_BXOR,
  REDUCE_OPS
};

/* The numbers of io.tombolo.base.DataType. */
enum reduce_type {
  REDUCE_I8,
  REDUCE_U8,
  REDUCE_I16,
  REDUCE_U16,
  REDUCE_I32,
  REDUCE_U32,
  REDUCE_I64,
  REDUCE_U64,
  REDUCE_F16,
  REDUCE_BF16,
  REDUCE_F32,
  REDUCE_F64,
  REDUCE_BOOL,
  REDUCE_F8E4M3,
  REDUCE_F8E5M2,
  REDUCE_TYPES
};

/* The numbers of io.tombolo.adaptors.reduce.SimdLevel. */
enum reduce_level { REDUCE_BASELINE, REDUCE_AVX2, REDUCE_AVX512, REDUCE_LEVELS };

enum reduce_status { REDUCE_DONE = 0, REDUCE_NO_SUCH_KERNEL = 1 };

typedef void reduce_binary(void* dst, const void* a, const void* b, size_t count);
typedef void reduce_divide(void* dst, const void* src, size_t count, uint32_t divisor);
typedef void reduce_scale(void* dst, const void* src, size_t count, double factor);

/* NULL where an operator does not apply to a type. */
struct reduce_kernels {
  reduce_binary* binary[REDUCE_OPS][REDUCE_TYPES];
  reduce_divide* divide[REDUCE_TYPES];
  reduce_scale* scale[REDUCE_TYPES];
};

/* One table per level; only to be called where reduce_available says so. */
extern const struct reduce_kernels reduce_kernels_baseline;
extern const struct reduce_kernels reduce_kernels_avx2;
extern const struct reduce_kernels reduce_kernels_avx512;

/* Whether this processor and this build have the level; 0 for numbers that are no level. */
int reduce_available(int level);

/* dst[i] = a[i] op b[i]. */
int reduce_apply(int level, int op, int type, void* dst, const void* a, const void* b, size_t count);

/* dst[i] = src[i] / divisor; 1 <= divisor <= 2^24, so that it is exact in f32. */
int reduce_average(int level, int type, void* dst, const void* src, size_t count, uint32_t divisor);

/*
 * dst[i] = src[i] * factor. Floats narrower than f64 multiply by the factor rounded to f32; for integers it is a whole
 * number of at most 2^53 in magnitude, and products wrap.
 */
int reduce_multiply(int level, int type, void* dst, const void* src, size_t count, double factor);

#endif
