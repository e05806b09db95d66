// SPDX-License-Identifier: Apache-2.0
package io.tombolo.tensors.layout;

/**
 * Where a rank lives.
 *
 * @param process its process; two ranks with the same one share memory
 * @param host the host of that process
 * @param vendor the vendor of its device
 */
public record Place(String process, String host, String vendor) {
  /** How far {@code other} is from here. */
  public Nearness to(Place other) {
    if (process.equals(other.process)) {
      return Nearness.PROCESS;
    }
    if (host.equals(other.host)) {
      return Nearness.HOST;
    }
    return vendor.equals(other.vendor) ? Nearness.VENDOR : Nearness.OTHER;
  }
}
