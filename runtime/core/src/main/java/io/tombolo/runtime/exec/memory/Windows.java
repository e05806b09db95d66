// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.runtime.plan.Space;

/** A task's device memory as channels see it, as far as its plan gives it to them. */
@FunctionalInterface
public interface Windows {
  /** For plans whose messages all lie on the stage. */
  Windows NONE =
      space -> {
        throw new IllegalArgumentException("no message of this plan lies in " + space);
      };

  /** The memory that {@code space} names; of a plan that keeps to its call's reach, it is there. */
  DeviceWindow of(Space space);
}
