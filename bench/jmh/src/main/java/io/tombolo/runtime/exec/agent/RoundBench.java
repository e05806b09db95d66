// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.agent;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A round of the agent whose duties have nothing to do: what every wait is made of. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RoundBench {
  @Param({"1", "8"})
  private int duties;

  private Round round;

  @Setup
  public void enlist() {
    round = new Round();
    for (int i = 0; i < duties; i++) {
      round.add(new IdleDuty());
    }
  }

  @Benchmark
  public int idle() {
    return round.run();
  }

  private static final class IdleDuty implements Duty {
    private int looks;

    @Override
    public int work() {
      looks++;
      return 0;
    }

    @Override
    public boolean isBusy() {
      return looks < 0;
    }

    @Override
    public void fail(Throwable cause) {
      throw new IllegalStateException(cause);
    }
  }
}
