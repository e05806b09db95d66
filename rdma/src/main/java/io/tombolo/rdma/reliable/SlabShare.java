// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.reliable;

/** What one channel has of a slab that others use, too, and its place in the line for more. */
final class SlabShare {
  /** Slots that the channel holds. */
  int held;

  /** It waits for its first slot. */
  boolean inLine;

  /** Its turn has come: a free slot is kept for it until it takes one. */
  boolean called;
}
