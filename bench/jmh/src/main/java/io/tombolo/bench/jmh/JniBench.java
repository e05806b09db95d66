// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import io.tombolo.base.NativeMemory;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What crossing from Java to C and back takes: a fill of one byte. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class JniBench {
  private NativeMemory memory;

  @Setup(Level.Trial)
  public void allocate() {
    memory = NativeMemory.allocate(1);
  }

  @TearDown(Level.Trial)
  public void free() {
    memory.close();
  }

  @Benchmark
  public void fillOneByte() {
    NativeMemory.fill(memory.address(), (byte) 1, 1);
  }
}
