// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.CloseStack;

/** A mark in a stream. */
public interface Event extends AutoCloseable {
  /** As many events of {@code device} as {@code count} says; none is left if one cannot be had. */
  static ImmutableList<Event> several(DeviceAdaptor device, int count) {
    try (CloseStack made = new CloseStack()) {
      ImmutableList.Builder<Event> events = ImmutableList.builderWithExpectedSize(count);
      for (int i = 0; i < count; i++) {
        events.add(made.opened(device.newEvent()));
      }
      made.keep();
      return events.build();
    }
  }

  /** Marks the present end of {@code stream}, replacing an earlier mark. */
  void record(Stream stream);

  /** Whether the stream has passed the mark; true if nothing was ever recorded. Does not block. */
  boolean isDone();

  @Override
  void close();
}
