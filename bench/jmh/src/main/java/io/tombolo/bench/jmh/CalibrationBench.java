// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * How fast this processor is at this moment: a chain of dependent integer steps, which no change of
 * ours makes faster or slower. {@code bench/jmh/compare} divides all other times by this one.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CalibrationBench {
  private static final int STEPS = 1000;

  private long state = 1;

  /** Marsaglia's xorshift64 (13, 7, 17), a thousand steps of it. */
  @Benchmark
  public long integerChain() {
    long x = state;
    for (int i = 0; i < STEPS; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    state = x;
    return x;
  }
}
