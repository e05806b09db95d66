// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench;

import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;

/**
 * What one core of this machine does with memory that is in no cache.
 *
 * @param copyBytesPerUs bytes that it copies in a µs
 * @param foldBytesPerUs bytes of one operand that it combines with another in a µs
 */
record CoreSpeed(double copyBytesPerUs, double foldBytesPerUs) {
  /** More than a core's caches; memory of one rank, for a moment. */
  private static final int BYTES = 32 << 20;

  /** The best counts: others were disturbed. */
  private static final int ROUNDS = 5;

  /** Measures it, in some tens of milliseconds. */
  static CoreSpeed measure() {
    HostReducer reducer = HostReducer.best();
    try (NativeMemory one = NativeMemory.allocate(BYTES);
        NativeMemory other = NativeMemory.allocate(BYTES)) {
      return new CoreSpeed(
          bytesPerUs(() -> NativeMemory.copy(one.address(), other.address(), BYTES)),
          bytesPerUs(
              () ->
                  reducer.reduce(
                      ReduceOp.SUM,
                      DataType.F32,
                      one.address(),
                      one.address(),
                      other.address(),
                      BYTES / Float.BYTES)));
    }
  }

  private static double bytesPerUs(Runnable pass) {
    long leastNs = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long fromNs = System.nanoTime();
      pass.run();
      leastNs = Math.min(leastNs, System.nanoTime() - fromNs);
    }
    return BYTES * 1e3 / Math.max(1, leastNs);
  }
}
