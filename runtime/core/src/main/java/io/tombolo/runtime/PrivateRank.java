// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.runtime.exec.run.Executor;
import io.tombolo.runtime.exec.submit.Submission;
import io.tombolo.runtime.exec.submit.Task;
import io.tombolo.runtime.plan.PlanContext;
import io.tombolo.runtime.plan.Reach;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.BufferCalls;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import io.tombolo.runtime.work.Work;

/**
 * One of the two ranks of a {@link PrivateJob}, which makes the same call again and again, by all
 * that a call of a {@link Communicator} goes through. Calls come from one thread.
 */
final class PrivateRank {
  private static final long CALL_BYTES = 8;
  private static final DataType TYPE = DataType.F32;

  private final int rank;
  private final int size;
  private final Executor executor;
  private final Stream stream;
  private final DeviceBuffer input;
  private final DeviceBuffer output;
  private final BufferCalls calls;
  private final DirectTasks tasks;

  /**
   * Rank {@code rank} of a job that plans by {@code context}, on {@code device}.
   *
   * @param reach what messages reach of the device's memory
   * @param executor runs its calls, and stays the caller's
   * @param stack has the stream and the memory of its calls from now on
   */
  PrivateRank(
      int rank,
      PlanContext context,
      DeviceAdaptor device,
      Reach reach,
      Executor executor,
      CloseStack stack) {
    this.rank = rank;
    this.size = context.clustering().size();
    this.executor = executor;
    this.stream = stack.opened(device.newStream());
    this.input = DeviceBuffer.of(device, stack.opened(device.allocate(CALL_BYTES)), TYPE);
    this.output = DeviceBuffer.of(device, stack.opened(device.allocate(CALL_BYTES)), TYPE);
    this.calls = new BufferCalls(rank, size, device);
    PlanCache plans = new PlanCache(context, rank, false);
    this.tasks = new DirectTasks(rank, size, device, reach, Reach.NONE, plans::get);
  }

  /** Sums 8 bytes with the other rank. */
  Work call(CallOptions options) {
    PlacedCall placed = calls.allReduce(input, output, Reduction.sum()).placed(rank, size);
    Task task = tasks.task(placed.call(), placed.send(), placed.receive());
    return executor.submit(Submission.of(task, size), options, stream);
  }
}
