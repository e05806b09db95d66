// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.value;

/**
 * Room for tensors, which its caller fills, row-major, and commits: all are visible then, at once.
 * Nobody may write there after {@link #commit} or {@link #close}. For one thread at a time.
 */
public interface PlacedPut extends AutoCloseable {
  /** The host address where the tensor called {@code name} belongs. */
  long address(String name);

  /** Makes what was copied visible; the version of the state dict, or 0 if there is none. */
  long commit();

  /** Gives the room back, unless it was committed; harmless then, and the second time. */
  @Override
  void close();
}
