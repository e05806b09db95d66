// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.engine;

import static org.testng.Assert.assertTrue;

import com.google.common.primitives.ImmutableIntArray;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.NativeMemory;
import io.tombolo.runtime.exec.memory.Binding;
import io.tombolo.runtime.exec.memory.HostWindow;
import io.tombolo.runtime.exec.memory.Windows;
import io.tombolo.runtime.plan.Action;
import io.tombolo.runtime.plan.Range;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.plan.Space;
import io.tombolo.runtime.plan.Step;
import java.time.Duration;
import java.util.BitSet;
import java.util.Random;

/** A host engine with a stage of random bits; the test's thread is the agent. */
final class ArithmeticBench implements AutoCloseable {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final DataType type;
  private final NativeMemory stage;
  private final Binding binding;
  private final HostEngine engine;
  private final BitSet ended = new BitSet();

  /** A stage of {@code sizeBytes}, of bits that {@code seed} makes. */
  ArithmeticBench(DataType type, Reducers reducers, int sizeBytes, long seed) {
    this.type = type;
    this.stage = NativeMemory.allocate(sizeBytes);
    this.binding =
        new Binding(0, 0, new HostWindow(stage.address(), sizeBytes), 0, type, Windows.NONE);
    this.engine = new HostEngine(reducers, () -> {});
    byte[] bits = new byte[sizeBytes];
    new Random(seed).nextBytes(bits);
    stage.put(0, bits, 0, sizeBytes);
  }

  /** The elements in {@code sizeBytes} from {@code offsetBytes}. */
  Range range(int offsetBytes, int sizeBytes) {
    int element = type.sizeBytes();
    return new Range(Space.STAGE, offsetBytes / element, sizeBytes / element);
  }

  /** Combines the first {@code sizeBytes} at {@code into} with those at {@code operand}. */
  Action combine(int into, int operand, int sizeBytes, Reduction reduction) {
    Range sum = range(into, sizeBytes);
    return new Action.Combine(sum, range(operand, sizeBytes), sum, reduction);
  }

  boolean tryStart(int id, Action action) {
    ended.clear(id);
    return engine.start(new Step(id, action, ImmutableIntArray.of()), binding, ended::set);
  }

  boolean hasEnded(int id) {
    return ended.get(id);
  }

  int poll() {
    return engine.poll();
  }

  /** Runs {@code action} to its end; throws what a slice threw. */
  void run(Action action) {
    assertTrue(tryStart(0, action));
    Deadline deadline = Deadline.after(LONG);
    while (!hasEnded(0)) {
      poll();
      assertTrue(!deadline.isExpired(), action + " does not end");
    }
  }

  NativeMemory stage() {
    return stage;
  }

  @Override
  public void close() {
    stage.close();
  }
}
