// SPDX-License-Identifier: Apache-2.0
#if !defined(__SANITIZE_ADDRESS__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif

#include "narrow.h"

#include "bfloat16.h"
#include "float8.h"
#include "half.h"
#include "plain_mode.h"

/* The sanitizers' start-up does not bear what chooses among clones. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define FOR_EACH_LEVEL __attribute__((target_clones("avx2", "default")))
#else
#define FOR_EACH_LEVEL
#endif

/* Numbers that stay in the first-level cache between two steps. */
enum { BLOCK = 1024 };

#define EACH(count) _Pragma("GCC ivdep") for (size_t i = 0; i < (count); i++)

static inline float same(float x) { return x; }
static inline float single_of(double x) { return (float)x; }

#define WIDEN(name, T, ONE) \
  FOR_EACH_LEVEL static void name(const void* src, float* dst, size_t count) { \
    const T* in = src; \
    EACH(count) { dst[i] = ONE(in[i]); } \
  }

#define NARROW(name, T, ONE) \
  FOR_EACH_LEVEL static void name(const float* src, void* dst, size_t count) { \
    T* out = dst; \
    EACH(count) { out[i] = ONE(src[i]); } \
  }

WIDEN(from_f16, uint16_t, half_to_float)
WIDEN(from_bf16, uint16_t, bf16_to_float)
WIDEN(from_f32, float, same)
WIDEN(from_f64, double, single_of)
WIDEN(from_e4m3, uint8_t, e4m3_to_float)
WIDEN(from_e5m2, uint8_t, e5m2_to_float)
NARROW(to_f16, uint16_t, half_of_float)
NARROW(to_bf16, uint16_t, bf16_of_float)
NARROW(to_e4m3, uint8_t, e4m3_of_float)
NARROW(to_e5m2, uint8_t, e5m2_of_float)

FOR_EACH_LEVEL static void divide(float* x, size_t count, float by) {
  EACH(count) { x[i] /= by; }
}

FOR_EACH_LEVEL static void multiply(float* x, size_t count, float by) {
  EACH(count) { x[i] *= by; }
}

/* An f64 is divided before it is rounded. */
FOR_EACH_LEVEL static void divided_f64(const double* src, float* dst, size_t count, double by) {
  EACH(count) { dst[i] = (float)(src[i] / by); }
}

struct type {
  size_t size;
  void (*widen)(const void* src, float* dst, size_t count);
  void (*narrow)(const float* src, void* dst, size_t count);
};

static const struct type types[] = {
    [NARROW_F16] = {2, from_f16, to_f16},      [NARROW_BF16] = {2, from_bf16, to_bf16},
    [NARROW_F32] = {4, from_f32, NULL},        [NARROW_F64] = {8, from_f64, NULL},
    [NARROW_E4M3] = {1, from_e4m3, to_e4m3},   [NARROW_E5M2] = {1, from_e5m2, to_e5m2},
};

static const struct type* known(int type) {
  return type >= 0 && type < (int)(sizeof types / sizeof *types) && types[type].size > 0 ? &types[type] : NULL;
}

static size_t block_at(size_t done, size_t count) {
  return count - done < BLOCK ? count - done : BLOCK;
}

int narrow(int from, const void* src, int to, void* dst, size_t count, float scale) {
  const struct type* in = known(from);
  const struct type* out = known(to);
  if (in == NULL || out == NULL || out->narrow == NULL) return NARROW_NO_SUCH_TYPE;
  unsigned mode = enter_plain_mode();
  float wide[BLOCK];
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t n = block_at(done, count);
    const char* next = (const char*)src + done * in->size;
    const float* numbers = wide;
    if (from == NARROW_F64 && scale != 1) {
      divided_f64((const void*)next, wide, n, scale);
    } else if (from == NARROW_F32 && scale == 1) {
      numbers = (const void*)next;
    } else {
      in->widen(next, wide, n);
      if (scale != 1) divide(wide, n, scale);
    }
    out->narrow(numbers, (char*)dst + done * out->size, n);
  }
  leave_plain_mode(mode);
  return NARROW_DONE;
}

int widen(int from, const void* src, float* dst, size_t count, float scale) {
  const struct type* in = known(from);
  if (in == NULL) return NARROW_NO_SUCH_TYPE;
  unsigned mode = enter_plain_mode();
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t n = block_at(done, count);
    in->widen((const char*)src + done * in->size, dst + done, n);
    if (scale != 1) multiply(dst + done, n, scale);
  }
  leave_plain_mode(mode);
  return NARROW_DONE;
}

/* The bits of magnitudes are in the order of the magnitudes. */
FOR_EACH_LEVEL static uint32_t largest_f32(const float* x, size_t count) {
  uint32_t largest = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t magnitude = half_bits_of(x[i]) & 0x7fffffffu;
    uint32_t finite = magnitude < 0x7f800000u ? magnitude : 0;
    largest = finite > largest ? finite : largest;
  }
  return largest;
}

static double largest_f64(const double* x, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++) {
    double magnitude = x[i] < 0 ? -x[i] : x[i];
    if (magnitude > largest && magnitude <= 0x1.fffffffffffffp1023) largest = magnitude;
  }
  return largest;
}

int largest_magnitude(int from, const void* src, size_t count, double* largest) {
  const struct type* in = known(from);
  if (in == NULL) return NARROW_NO_SUCH_TYPE;
  *largest = 0;
  if (from == NARROW_F64) {
    *largest = largest_f64(src, count);
    return NARROW_DONE;
  }
  unsigned mode = enter_plain_mode();
  float wide[BLOCK];
  uint32_t bits = 0;
  for (size_t done = 0; done < count; done += BLOCK) {
    size_t n = block_at(done, count);
    in->widen((const char*)src + done * in->size, wide, n);
    uint32_t here = largest_f32(wide, n);
    bits = here > bits ? here : bits;
  }
  *largest = half_float_of(bits);
  leave_plain_mode(mode);
  return NARROW_DONE;
}
