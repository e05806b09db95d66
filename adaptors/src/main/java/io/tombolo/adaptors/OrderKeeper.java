// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors;

/**
 * Who has a vendor's streams wait for operations, as far as its row tells without opening a device.
 */
public enum OrderKeeper {
  /** The device keeps the order: streams wait, and ours have priorities above them. */
  BY_DEVICE("held by the device"),
  /** The device keeps it, unless a probe finds callers' streams in the hardware queues of ours. */
  UNLESS_QUEUES_ARE_SHARED(
      "held by the device; in the host's order if they share hardware queues with ours, as they have"
          + " no priorities"),
  /** The host keeps it: calls return when they have ended. */
  BY_HOST("in the host's order, as they cannot wait for it");

  private final String text;

  OrderKeeper(String text) {
    this.text = text;
  }

  /** It in words, to follow "streams:". */
  public String text() {
    return text;
  }
}
