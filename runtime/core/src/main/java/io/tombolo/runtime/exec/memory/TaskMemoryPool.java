// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.base.CloseStack;

/**
 * The memory that the tasks of a communicator work in. Whoever calls sees to it, before a stream is
 * held, that there will be enough: that may wait for all work of the device. The agent lends and
 * takes back, and never waits. Thread-safe.
 */
public final class TaskMemoryPool implements AutoCloseable {
  private static final int STAGES = 4;

  private final CloseStack stack = new CloseStack();
  private final BlockPool<Stage> stages;
  private final BlockPool<Scratch> scratches;
  private final BlockPool<Scratch> packs;

  /** Memory of {@code device} that is kept for {@code most} tasks. */
  public TaskMemoryPool(DeviceAdaptor device, int most) {
    try {
      stages =
          stack.opened(new BlockPool<>(bytes -> Stage.of(device, bytes), Stage.NONE, STAGES, most));
      scratches = stack.opened(scratches(device, most));
      packs = stack.opened(scratches(device, most));
    } catch (RuntimeException e) {
      stack.close();
      throw e;
    }
  }

  private static BlockPool<Scratch> scratches(DeviceAdaptor device, int most) {
    return new BlockPool<>(bytes -> Scratch.of(device, bytes), Scratch.NONE, 1, most);
  }

  /** As {@link BlockPool#reserve}, for a task that needs so much of each. */
  public void reserve(long stageBytes, long scratchBytes, long packedBytes) {
    stages.reserve(stageBytes);
    try {
      scratches.reserve(scratchBytes);
    } catch (RuntimeException e) {
      stages.cancel(stageBytes);
      throw e;
    }
    try {
      packs.reserve(packedBytes);
    } catch (RuntimeException e) {
      cancel(stageBytes, scratchBytes, 0);
      throw e;
    }
  }

  /** The task that {@link #reserve} was for does not come. */
  public void cancel(long stageBytes, long scratchBytes, long packedBytes) {
    stages.cancel(stageBytes);
    scratches.cancel(scratchBytes);
    packs.cancel(packedBytes);
  }

  /** Whether {@link #lend} has what a task needs; it keeps it until then. */
  public boolean canLend(long stageBytes, long scratchBytes, long packedBytes) {
    return stages.canLend(stageBytes)
        && scratches.canLend(scratchBytes)
        && packs.canLend(packedBytes);
  }

  /** Lends a task what it needs. */
  public TaskMemory lend(long stageBytes, long scratchBytes, long packedBytes) {
    return new TaskMemory(
        stages.lend(stageBytes), scratches.lend(scratchBytes), packs.lend(packedBytes));
  }

  /** Lends at once, and allocates what is not there: for callers, before they hold a stream. */
  public TaskMemory take(long stageBytes, long scratchBytes, long packedBytes) {
    Stage stage = Stage.NONE;
    Scratch scratch = Scratch.NONE;
    try {
      stage = stages.take(stageBytes);
      scratch = scratches.take(scratchBytes);
      return new TaskMemory(stage, scratch, packs.take(packedBytes));
    } catch (RuntimeException e) {
      stages.giveBack(stage);
      scratches.giveBack(scratch);
      throw e;
    }
  }

  /** What was lent is not used any more. */
  public void giveBack(TaskMemory memory) {
    stages.giveBack(memory.stage());
    scratches.giveBack(memory.scratch());
    packs.giveBack(memory.packed());
  }

  /**
   * Frees what no task has: after a failure, where the device frees anything then.
   *
   * @return the bytes that tasks have, which are left behind
   */
  public long closeUnlent() {
    return stages.closeUnlent() + scratches.closeUnlent() + packs.closeUnlent();
  }

  /** Frees all of it, which may wait for all work of the device. */
  @Override
  public void close() {
    stack.close();
  }
}
