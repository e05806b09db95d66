// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.CclAdaptor;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.DeviceMemory;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.CloseStack;
import io.tombolo.runtime.work.CallOptions;
import io.tombolo.runtime.work.PlacedCall;
import java.time.Duration;
import java.util.Optional;

/** Makes device memory that a group's library has registered, where it has a library that does. */
final class RegisteredMemory {
  private RegisteredMemory() {}

  /**
   * As {@link Communicator#allocateRegistered}, of {@code group}.
   *
   * @param dispatch makes the group's calls, among which this is one
   */
  static DeviceMemory of(Session session, RankGroup group, Dispatch dispatch, long sizeBytes) {
    DeviceAdaptor device = session.equipment().device();
    Optional<CclAdaptor> library = group.libraries().registers();
    if (library.isEmpty()) {
      return device.allocate(sizeBytes);
    }
    try (CloseStack stack = new CloseStack()) {
      DeviceMemory memory = stack.opened(library.get().allocate(sizeBytes));
      meetBetweenCalls(session.environment().timeout(), group, dispatch, device);
      group.executor().register(memory, session.environment().deadline());
      stack.keep();
      return memory;
    }
  }

  /** Returns when all ranks have called this, and all that they called before has ended. */
  private static void meetBetweenCalls(
      Duration timeout, RankGroup group, Dispatch dispatch, DeviceAdaptor device) {
    group.executor().awaitAll(timeout);
    try (Stream stream = device.newStream()) {
      dispatch.call(PlacedCall.barrier(), CallOptions.BLOCKING, stream).await(timeout);
    }
  }
}
