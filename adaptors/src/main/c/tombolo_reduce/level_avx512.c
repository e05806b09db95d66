// SPDX-License-Identifier: Apache-2.0
/* Processors with AVX-512 F, BW, DQ and VL. Not AVX512_BF16: its conversion flushes subnormals. */
#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC optimize("O3", "no-trapping-math")
#pragma GCC target("avx2,f16c,avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")

#include "half.h" /* behind the pragmas: functions of other options are not inlined */

static void half_widen(float* out, const uint16_t* in, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    _mm512_storeu_ps(out + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void*)(in + i))));
  }
  for (; i < count; i++) out[i] = half_to_float(in[i]);
}

static void half_narrow(uint16_t* out, const float* in, size_t count) {
  size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    __m256i half = _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    _mm256_storeu_si256((void*)(out + i), half);
  }
  for (; i < count; i++) out[i] = half_of_float(in[i]);
}

#define HALF_WIDEN half_widen
#define HALF_NARROW half_narrow
#define KERNELS reduce_kernels_avx512
#include "kernels.h"
#endif
