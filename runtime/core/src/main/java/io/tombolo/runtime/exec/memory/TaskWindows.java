// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.runtime.plan.Space;
import java.util.Optional;

/** Windows of one task, each made when a message first lies in it. For one thread. */
public final class TaskWindows implements Windows {
  private final WindowCopies copies;
  private final Optional<CallerMemory> input;
  private final Optional<CallerMemory> output;
  private final Scratch scratch;
  private DeviceWindow inputWindow;
  private DeviceWindow outputWindow;
  private DeviceWindow scratchWindow;

  /** Of that memory, copied by {@code copies} where channels do not reach it themselves. */
  public TaskWindows(
      WindowCopies copies,
      Optional<CallerMemory> input,
      Optional<CallerMemory> output,
      Scratch scratch) {
    this.copies = copies;
    this.input = input;
    this.output = output;
    this.scratch = scratch;
  }

  @Override
  public DeviceWindow of(Space space) {
    return switch (space) {
      case INPUT -> inputWindow();
      case OUTPUT -> outputWindow();
      case SCRATCH -> scratchWindow();
      case STAGE -> throw new IllegalArgumentException("the stage is host memory");
    };
  }

  private DeviceWindow inputWindow() {
    if (inputWindow == null) {
      inputWindow = input.orElseThrow().window(copies);
    }
    return inputWindow;
  }

  private DeviceWindow outputWindow() {
    if (outputWindow == null) {
      outputWindow = output.orElseThrow().window(copies);
    }
    return outputWindow;
  }

  private DeviceWindow scratchWindow() {
    if (scratchWindow == null) {
      DeviceMemory memory = scratch.memory().orElseThrow();
      scratchWindow = DeviceWindow.of(copies, memory, memory.address());
    }
    return scratchWindow;
  }
}
