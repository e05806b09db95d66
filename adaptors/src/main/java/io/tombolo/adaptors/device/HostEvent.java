// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkArgument;

import io.tombolo.adaptors.Event;
import io.tombolo.adaptors.Stream;

/** An event of the host device: the {@link HostMark} it recorded last. Thread-safe. */
final class HostEvent implements Event {
  private volatile HostMark mark;
  private volatile boolean closed;

  @Override
  public void record(Stream stream) {
    ensureOpen();
    checkArgument(stream instanceof HostStream, "not a stream of the host device: %s", stream);
    mark = ((HostStream) stream).mark();
  }

  @Override
  public boolean isDone() {
    HostMark latest = mark();
    return latest == null || latest.isReached();
  }

  /** The latest mark, or null if nothing was recorded yet. */
  HostMark mark() {
    ensureOpen();
    return mark;
  }

  @Override
  public void close() {
    closed = true;
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("this event is closed");
    }
  }
}
