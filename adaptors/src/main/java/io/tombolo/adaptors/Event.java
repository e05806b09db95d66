// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/** A mark in a stream. */
public interface Event extends AutoCloseable {
  /** Marks the present end of {@code stream}, replacing an earlier mark. */
  void record(Stream stream);

  /** Whether the stream has passed the mark; true if nothing was ever recorded. Does not block. */
  boolean isDone();

  @Override
  void close();
}
