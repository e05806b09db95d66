// SPDX-License-Identifier: Apache-2.0
/* Chooses the kernel, and makes the thread's floating-point mode the one the rules in reduce.h ask for. */
#include "reduce.h"

#include "plain_mode.h"

#if defined(__x86_64__)

int reduce_available(int level) {
  switch (level) {
    case REDUCE_BASELINE:
      return 1;
    case REDUCE_AVX2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
    case REDUCE_AVX512:
      return reduce_available(REDUCE_AVX2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    default:
      return 0;
  }
}

static const struct reduce_kernels* const kernels[REDUCE_LEVELS] = {
    &reduce_kernels_baseline, &reduce_kernels_avx2, &reduce_kernels_avx512};

#else

int reduce_available(int level) { return level == REDUCE_BASELINE; }

static const struct reduce_kernels* const kernels[REDUCE_LEVELS] = {&reduce_kernels_baseline};

#endif

static const struct reduce_kernels* table(int level, int type) {
  return reduce_available(level) && type >= 0 && type < REDUCE_TYPES ? kernels[level] : NULL;
}

int reduce_apply(int level, int op, int type, void* dst, const void* a, const void* b, size_t count) {
  const struct reduce_kernels* at = table(level, type);
  if (at == NULL || op < 0 || op >= REDUCE_OPS || at->binary[op][type] == NULL) return REDUCE_NO_SUCH_KERNEL;
  unsigned saved = enter_plain_mode();
  at->binary[op][type](dst, a, b, count);
  leave_plain_mode(saved);
  return REDUCE_DONE;
}

int reduce_average(int level, int type, void* dst, const void* src, size_t count, uint32_t divisor) {
  const struct reduce_kernels* at = table(level, type);
  if (at == NULL || at->divide[type] == NULL) return REDUCE_NO_SUCH_KERNEL;
  unsigned saved = enter_plain_mode();
  at->divide[type](dst, src, count, divisor);
  leave_plain_mode(saved);
  return REDUCE_DONE;
}

int reduce_multiply(int level, int type, void* dst, const void* src, size_t count, double factor) {
  const struct reduce_kernels* at = table(level, type);
  if (at == NULL || at->scale[type] == NULL) return REDUCE_NO_SUCH_KERNEL;
  unsigned saved = enter_plain_mode();
  at->scale[type](dst, src, count, factor);
  leave_plain_mode(saved);
  return REDUCE_DONE;
}
