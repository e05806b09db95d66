// SPDX-License-Identifier: Apache-2.0
/* What every x86-64 processor has (SSE2), and what other architectures' compilers make of it. */
#pragma GCC optimize("O3", "no-trapping-math")

#include "half.h" /* behind the pragma: functions of other options are not inlined */

static void half_widen(float* out, const uint16_t* in, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = half_to_float(in[i]);
}

static void half_narrow(uint16_t* out, const float* in, size_t count) {
  for (size_t i = 0; i < count; i++) out[i] = half_of_float(in[i]);
}

#define HALF_WIDEN half_widen
#define HALF_NARROW half_narrow
#define KERNELS reduce_kernels_baseline
#include "kernels.h"
