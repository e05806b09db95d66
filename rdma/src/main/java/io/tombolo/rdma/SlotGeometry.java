// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static com.google.common.base.Preconditions.checkArgument;

/**
 * The ring of slots that carries one direction of a channel. The two sides of a channel use the
 * lesser of each number.
 *
 * <p>A channel has {@code 2 · slots · (payloadBytes + 64)} bytes of it. Pages of a slot that never
 * held a byte take no memory, unless a real device's runtime pins them all.
 *
 * @param slots how many there are, 1 to 1024: what can be on the way at once
 * @param payloadBytes what one of them carries, 64 to 16 MiB in multiples of 64
 */
public record SlotGeometry(int slots, int payloadBytes) {
  /** Eight slots of 256 KiB. */
  public static final SlotGeometry DEFAULT = new SlotGeometry(8, 256 << 10);

  private static final int MAX_SLOTS = 1024;
  private static final int MAX_PAYLOAD_BYTES = 16 << 20;

  /** Checks the bounds. */
  public SlotGeometry {
    checkArgument(slots >= 1 && slots <= MAX_SLOTS, "1 to %s slots, not %s", MAX_SLOTS, slots);
    checkArgument(
        payloadBytes >= 64 && payloadBytes <= MAX_PAYLOAD_BYTES && payloadBytes % 64 == 0,
        "a slot carries 64 to %s bytes, in multiples of 64, not %s",
        MAX_PAYLOAD_BYTES,
        payloadBytes);
  }

  /** What both this side and the {@code other} can do. */
  public SlotGeometry meet(SlotGeometry other) {
    return new SlotGeometry(
        Math.min(slots, other.slots), Math.min(payloadBytes, other.payloadBytes));
  }
}
