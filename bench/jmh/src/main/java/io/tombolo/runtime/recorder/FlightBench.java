// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.recorder;

import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Resource;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What recording adds to an operation: its states with the one look at the clock, and steps. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FlightBench {
  private static final int RECORDS = 1024;
  private static final int MOST_STEPS = 8;

  private final CollectiveCall call =
      CollectiveCall.allReduce(1024, DataType.F32, ReduceOp.SUM, true);
  private final FlightRing ring =
      new FlightRing(
          ByteBuffer.allocateDirect(FlightFormat.fileBytes(RECORDS)),
          FlightFormat.RINGS_AT,
          RECORDS,
          0);
  private final Resource channel = new Resource(Resource.Kind.SEND, 3);
  private long sequence;
  private int steps;

  /** So that there is an operation. */
  @Setup
  public void call() {
    operation();
  }

  /** All three states. */
  @Benchmark
  public long operation() {
    sequence++;
    ring.submitted(sequence, call, 1, 4096);
    ring.started(sequence, sequence);
    ring.ended(sequence, true, sequence);
    return sequence;
  }

  /** The next step of the operation that was called last. */
  @Benchmark
  public int step() {
    steps++;
    ring.reached(sequence, FlightStep.word(steps % MOST_STEPS, MOST_STEPS, channel));
    return steps;
  }
}
