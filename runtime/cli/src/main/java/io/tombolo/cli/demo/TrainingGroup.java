// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.demo;

import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.base.ReduceOp;
import io.tombolo.cli.train.Share;
import io.tombolo.cli.train.Training;
import io.tombolo.runtime.Communicator;
import io.tombolo.runtime.DeviceVector;
import io.tombolo.runtime.Traffic;
import io.tombolo.runtime.plan.CollectiveCall;
import io.tombolo.runtime.plan.Plan;
import io.tombolo.runtime.plan.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * The ranks that train together, as one of them sees it. When some die, the others can go on as a
 * smaller group, or with new processes in their places. Not thread-safe.
 */
final class TrainingGroup implements AutoCloseable {
  /** A new process, which must be started first, is waited for as long. */
  static final Duration REPLACEMENT = Duration.ofMinutes(1);

  private final Training training;
  private final int length;
  private final Duration timeout;
  private CloseStack stack;
  private Communicator communicator;
  private DeviceGradientSum sum;
  private int firstStep;
  private Bytes before;

  /**
   * All ranks of {@code joined}, which is closed with this.
   *
   * @param length elements of the vector that is added up at each step
   */
  TrainingGroup(Communicator joined, Training training, int length, Duration timeout) {
    this.training = training;
    this.length = length;
    this.timeout = timeout;
    enter(joined);
  }

  private void enter(Communicator next) {
    communicator = next;
    stack = new CloseStack();
    stack.opened(next);
    sum = stack.opened(new DeviceGradientSum(next, length, timeout));
    begin();
  }

  /** Bytes are counted from here. */
  private void begin() {
    firstStep = training.steps();
    before = traffic();
  }

  /** This rank's present communicator. */
  Communicator communicator() {
    return communicator;
  }

  /** Makes one step together; its loss. */
  float step() {
    return training.step(new Share(communicator.rank(), communicator.size()), sum);
  }

  /**
   * Once a step has failed because ranks died: the others go on, all from the same step.
   *
   * @param replaces with as many new processes as ranks have died, which join the others and {@link
   *     #catchUp}
   */
  void goOn(boolean replaces) {
    int size = communicator.size();
    Communicator next = communicator.shrink(timeout);
    stack.close();
    enter(replaces ? grown(next, size - next.size()) : next);
    catchUp();
  }

  private static Communicator grown(Communicator left, int newcomers) {
    try (left) {
      return left.grow(newcomers, REPLACEMENT);
    }
  }

  /**
   * The step that failed for some may have ended well for others, who have what it takes to go on
   * from there; the others, and new processes, get it from one of them. All call this together.
   */
  void catchUp() {
    int size = communicator.size();
    long newest = max((long) training.steps() * size + communicator.rank());
    try (DeviceVector state = DeviceVector.of(communicator, training.state())) {
      int root = (int) (newest % size);
      communicator.broadcast(state.buffer(), root, state.stream()).await(timeout);
      training.restore((int) (newest / size), state.floats());
    }
    begin();
  }

  private long max(long value) {
    try (DeviceVector one = new DeviceVector(communicator.device(), 1, DataType.I64, timeout)) {
      one.put(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(value).flip());
      communicator.allReduce(one.buffer(), Reduction.max(), one.stream()).await(timeout);
      return one.bytes().getLong(0);
    }
  }

  /** Bytes that this rank handed on for the steps since the group is as it is, counted there. */
  Bytes counted() {
    return traffic().minus(before);
  }

  /** The same, by the plan. */
  Bytes planned() {
    Plan plan =
        communicator.plan(CollectiveCall.allReduce(length, DataType.F32, ReduceOp.SUM, true));
    return new Bytes(plan.intraBytes(), plan.crossBytes()).times(training.steps() - firstStep);
  }

  private Bytes traffic() {
    Traffic traffic = communicator.traffic();
    return new Bytes(traffic.intraBytes(), traffic.crossBytes());
  }

  @Override
  public void close() {
    stack.close();
  }
}
