// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.work;

import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.base.errors.UsageException;
import java.util.Optional;

/**
 * Whether a device can use a buffer, as far as that is known before it does: a wrong address is
 * found by the device otherwise, in the middle of an operation, and that is the communicator's end.
 * Of foreign memory the runtime is asked, where it has a call that tells; else only the address is
 * known. Stateless.
 */
public final class BufferCheck {
  private BufferCheck() {}

  /**
   * Checks {@code buffer}, which has elements and which {@code call} of {@code rank} on {@code
   * device} {@code does}: reads or writes.
   *
   * @throws UsageException if it is another device's, nowhere, closed, or memory of the host on a
   *     device
   */
  public static void require(
      int rank, Object call, String does, DeviceBuffer buffer, DeviceAdaptor device) {
    Optional<String> objection = objection(buffer, device);
    if (objection.isPresent()) {
      throw new UsageException(
          "rank %s: %s %s %s, %s".formatted(rank, call, does, buffer, objection.get()));
    }
  }

  private static Optional<String> objection(DeviceBuffer buffer, DeviceAdaptor device) {
    if (buffer.device() != device) {
      return Optional.of(
          "memory of %s, but this communicator is on %s"
              .formatted(buffer.device().properties().name(), device.properties().name()));
    }
    if (buffer.address() == 0) {
      return Optional.of("which is nowhere: look at what should have allocated it");
    }
    return buffer.owner().isEmpty()
        ? device.objection(buffer.address())
        : objection(buffer.owner().get(), device.isHost());
  }

  private static Optional<String> objection(DeviceMemory memory, boolean onHost) {
    try {
      memory.address();
    } catch (IllegalStateException e) {
      return Optional.of("whose memory is closed: keep it open until the call has ended");
    }
    return switch (memory.kind()) {
      case DEVICE, MANAGED -> Optional.empty();
      case PINNED, HOST ->
          onHost
              ? Optional.empty()
              : Optional.of(
                  "which is memory of the host: take memory of DeviceAdaptor.allocate, and copy");
    };
  }
}
