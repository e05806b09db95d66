// SPDX-License-Identifier: Apache-2.0
package io.tombolo.bench.jmh;

import io.tombolo.adaptors.reduce.HostReducer;
import io.tombolo.base.DataType;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.ReduceOp;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A sum by the host's best kernel, from Java and back. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class KernelBench {
  private final HostReducer reducer = HostReducer.best();

  @Param({"F32", "BF16", "I64"})
  private DataType type;

  @Param({"64", "65536"})
  private int sizeBytes;

  private NativeMemory into;
  private NativeMemory from;

  /** Zeros: no sum of them is slow, as those of denormal numbers are. */
  @Setup(Level.Trial)
  public void allocate() {
    into = NativeMemory.allocate(sizeBytes);
    from = NativeMemory.allocate(sizeBytes);
  }

  @TearDown(Level.Trial)
  public void free() {
    into.close();
    from.close();
  }

  @Benchmark
  public void sum() {
    reducer.reduce(
        ReduceOp.SUM,
        type,
        into.address(),
        into.address(),
        from.address(),
        sizeBytes / type.sizeBytes());
  }
}
