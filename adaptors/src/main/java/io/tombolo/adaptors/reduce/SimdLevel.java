// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.reduce;

import java.util.Locale;

/** The instruction sets that the reduction kernels are compiled for, least first. */
public enum SimdLevel {
  /** What every processor of the architecture has; on x86-64, SSE2. */
  BASELINE(0),
  /** AVX2 and F16C. */
  AVX2(1),
  /** AVX-512 F, BW, DQ and VL. */
  AVX512(2);

  private final int code;

  SimdLevel(int code) {
    this.code = code;
  }

  /** The number that stands for this level in our native code. */
  int code() {
    return code;
  }

  /** The lower-case name used in reports. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }
}
