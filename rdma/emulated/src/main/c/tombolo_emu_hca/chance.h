// SPDX-License-Identifier: Apache-2.0
/* What is left to chance, the same way with the same seed. Pure. */
#ifndef HCA_CHANCE_H
#define HCA_CHANCE_H

#include <stdint.h>

/* Numbers that differ a little become ones that have nothing in common: SplitMix64's finaliser (Steele et al., 2014). */
static inline uint64_t hca_mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

#endif
