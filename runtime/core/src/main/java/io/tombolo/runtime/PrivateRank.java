// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.base.DataType;
import io.tombolo.runtime.exec.message.Messenger;
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
import java.util.List;

/**
 * One of the two ranks of a {@link PrivateJob}, which makes the same calls again and again, by all
 * that a call of a {@link Communicator} goes through. Calls come from one thread.
 */
final class PrivateRank {
  /** What is over sooner than a thread wakes. */
  static final long SHORT_BYTES = 8;

  /** More than ranks alone in their clusters send each other rather than call a library. */
  static final long LONG_BYTES = 32 << 10;

  private static final DataType TYPE = DataType.F32;

  private final int rank;
  private final DeviceAdaptor device;
  private final int size;
  private final Executor executor;
  private final Stream stream;
  private final DeviceBuffer input;
  private final DeviceBuffer output;
  private final BufferCalls calls;
  private final DirectTasks tasks;

  /** Collective calls. */
  enum Kind {
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    BROADCAST
  }

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
    this.device = device;
    this.size = context.clustering().size();
    this.executor = executor;
    this.stream = stack.opened(device.newStream());
    this.input = DeviceBuffer.of(device, stack.opened(device.allocate(LONG_BYTES)), TYPE);
    this.output = DeviceBuffer.of(device, stack.opened(device.allocate(LONG_BYTES)), TYPE);
    this.calls = new BufferCalls(rank, size, device);
    PlanCache plans = new PlanCache(context, rank, false);
    this.tasks = new DirectTasks(rank, size, device, reach, Reach.NONE, plans::get);
  }

  /** Makes a call of {@code kind} with the other rank, whose larger vectors have {@code bytes}. */
  Work call(Kind kind, long bytes, CallOptions options) {
    PlacedCall placed = calling(kind, bytes / TYPE.sizeBytes()).placed(rank, size);
    Task task = tasks.task(placed.call(), placed.send(), placed.receive());
    return executor.submit(Submission.of(task, size), options, stream);
  }

  private PlacedCall calling(Kind kind, long elements) {
    DeviceBuffer from = input.slice(0, elements);
    DeviceBuffer to = output.slice(0, elements);
    long block = elements / size;
    return switch (kind) {
      case ALL_REDUCE -> calls.allReduce(from, to, Reduction.sum());
      case ALL_GATHER -> calls.allGather(from.slice(0, block), to);
      case REDUCE_SCATTER -> calls.reduceScatter(from, to.slice(0, block), Reduction.sum());
      case ALL_TO_ALL -> calls.allToAll(from, to);
      case BROADCAST -> calls.broadcast(from, to, 0);
    };
  }

  /** Sends a short vector to the other rank by {@code messenger}, and receives one from it. */
  Work exchange(Messenger messenger, CallOptions options) {
    long elements = SHORT_BYTES / TYPE.sizeBytes();
    int peer = size - 1 - rank;
    Message out = Message.send(input.slice(0, elements), peer);
    Message in = Message.receive(output.slice(0, elements), peer);
    Batch batch = Batch.of(List.of(out, in), rank, size, device);
    return messenger.submit(batch, batch.sizeBytes(), batch.tasks(tasks), options, stream);
  }
}
