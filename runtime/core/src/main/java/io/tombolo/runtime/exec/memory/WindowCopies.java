// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.exec.memory;

import io.tombolo.adaptors.CopyDirection;
import io.tombolo.adaptors.DeviceAdaptor;
import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Copies between device memory and fabrics' slots by the device's own engine, on a stream of their
 * own, which is made when the first of them is; each has a ticket. Used by one thread.
 */
public final class WindowCopies implements AutoCloseable {
  private final DeviceAdaptor device;
  private Optional<Stream> stream = Optional.empty();
  private final Deque<Event> underWay = new ArrayDeque<>();
  private final Deque<Event> free = new ArrayDeque<>();
  private long done;

  public WindowCopies(DeviceAdaptor device) {
    this.device = device;
  }

  /** Queues a copy; its ticket. */
  long start(CopyDirection direction, long destination, long source, long sizeBytes) {
    if (stream.isEmpty()) {
      stream = Optional.of(device.newStream());
    }
    device.copyAsync(direction, destination, source, sizeBytes, stream.get());
    Event end = free.isEmpty() ? device.newEvent() : free.pop();
    end.record(stream.get());
    underWay.add(end);
    return done + underWay.size();
  }

  /** Whether the copy of {@code ticket} has ended; those of a stream end in their order. */
  boolean isDone(long ticket) {
    while (!underWay.isEmpty() && underWay.peek().isDone()) {
      free.push(underWay.remove());
      done++;
    }
    return ticket <= done;
  }

  @Override
  public void close() {
    underWay.forEach(Event::close);
    free.forEach(Event::close);
    stream.ifPresent(Stream::close);
  }
}
