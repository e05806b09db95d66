// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.machine;

import com.google.common.collect.ImmutableList;
import java.util.Comparator;

/**
 * The way from one device to another. Routes compare by what one would rather take: nearer class,
 * more bandwidth, fewer bridges.
 *
 * @param linkClass the farthest kind of link on it
 * @param symbol its mark in a matrix: the class's, or the vendor link's
 * @param megabytesPerSecond bandwidth of its narrowest link, one direction
 * @param via what it goes through, in order, without the ends
 */
public record Route(
    LinkClass linkClass, String symbol, int megabytesPerSecond, ImmutableList<String> via)
    implements Comparable<Route> {
  private static final Comparator<Route> PREFERENCE =
      Comparator.comparing(Route::linkClass)
          .thenComparing(Route::megabytesPerSecond, Comparator.reverseOrder())
          .thenComparing(route -> route.via().size());

  /** Time that a message of no bytes takes, before any measurement. */
  public long latencyPs() {
    return linkClass.latencyPs();
  }

  /**
   * This route, then the network, then {@code other}: from a device to a NIC, and from a NIC of
   * another host to a device there.
   */
  public Route acrossNetwork(Route other) {
    return new Route(
        LinkClass.NETWORK,
        LinkClass.NETWORK.symbol(),
        Math.min(megabytesPerSecond, other.megabytesPerSecond),
        ImmutableList.<String>builder().addAll(via).addAll(other.via).build());
  }

  @Override
  public int compareTo(Route other) {
    return PREFERENCE.compare(this, other);
  }
}
