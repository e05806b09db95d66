// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

/**
 * A vendor's own connection between two accelerators of a host; both directions, no PCI.
 *
 * @param a id of one accelerator
 * @param b id of the other
 * @param kind short name: {@code NV}, {@code XGMI}, {@code HL}, {@code XE}
 * @param count number of links side by side
 * @param megabytesPerSecond bandwidth of all of them, one direction
 * @param source where this is known from, for people
 */
public record VendorLink(
    String a, String b, String kind, int count, int megabytesPerSecond, String source) {

  /** The mark in a matrix: {@code NV18}. */
  public String symbol() {
    return kind + count;
  }

  /** Whether it joins these two, in either order. */
  public boolean joins(String one, String other) {
    return (a.equals(one) && b.equals(other)) || (a.equals(other) && b.equals(one));
  }
}
