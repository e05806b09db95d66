// SPDX-License-Identifier: Apache-2.0
/* Processors with AVX2 and F16C (2013 and later). */
#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC optimize("O3", "no-trapping-math")
#pragma GCC target("avx2,f16c")

#include "half.h" /* behind the pragmas: functions of other options are not inlined */

static void half_widen(float* out, const uint16_t* in, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128((const void*)(in + i))));
  }
  for (; i < count; i++) out[i] = half_to_float(in[i]);
}

static void half_narrow(uint16_t* out, const float* in, size_t count) {
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    __m128i half = _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm_storeu_si128((void*)(out + i), half);
  }
  for (; i < count; i++) out[i] = half_of_float(in[i]);
}

#define HALF_WIDEN half_widen
#define HALF_NARROW half_narrow
#define KERNELS reduce_kernels_avx2
#include "kernels.h"
#endif
