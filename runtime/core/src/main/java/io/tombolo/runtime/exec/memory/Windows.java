// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.runtime.plan.Space;
import java.util.Optional;

/** A task's device memory as channels see it, as far as its plan may give it to them. */
public record Windows(
    Optional<DeviceWindow> input, Optional<DeviceWindow> output, Optional<DeviceWindow> scratch) {
  /** For plans whose messages all lie on the stage. */
  public static final Windows NONE =
      new Windows(Optional.empty(), Optional.empty(), Optional.empty());

  /** The memory that {@code space} names; of a plan that keeps to its call's reach, it is there. */
  DeviceWindow of(Space space) {
    return switch (space) {
      case INPUT -> input.orElseThrow();
      case OUTPUT -> output.orElseThrow();
      case SCRATCH -> scratch.orElseThrow();
      case STAGE -> throw new IllegalArgumentException("the stage is host memory");
    };
  }
}
