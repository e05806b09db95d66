// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology;

import com.google.common.collect.ImmutableList;
import io.tombolo.topology.machine.LinkClass;
import io.tombolo.topology.machine.Machine;
import io.tombolo.topology.machine.Nic;
import io.tombolo.topology.machine.Route;
import io.tombolo.topology.machine.Routes;
import java.util.Comparator;

/**
 * A way from a device to the network. Ways compare by what one would rather take: nearer, wider,
 * through fewer parts.
 *
 * @param nic the NIC's name
 * @param rail the NIC's position among its host's rails
 * @param distance how far the NIC is from the device
 * @param megabytesPerSecond what goes through, one direction
 * @param parts what it goes through, in number
 */
public record Uplink(String nic, int rail, LinkClass distance, int megabytesPerSecond, int parts)
    implements Comparable<Uplink> {
  private static final Comparator<Uplink> PREFERENCE =
      Comparator.comparing(Uplink::distance)
          .thenComparing(Uplink::megabytesPerSecond, Comparator.reverseOrder())
          .thenComparing(Uplink::parts);

  /** The ways of {@code device}, an id of {@code machine}, rail by rail. */
  public static ImmutableList<Uplink> of(Machine machine, String device) {
    Routes routes = new Routes(machine);
    ImmutableList.Builder<Uplink> uplinks = ImmutableList.builder();
    int rail = 0;
    for (Nic nic : machine.rails()) {
      Route route = routes.toNetwork(device, nic);
      uplinks.add(
          new Uplink(
              nic.name(),
              rail++,
              route.linkClass(),
              route.megabytesPerSecond(),
              route.via().size()));
    }
    return uplinks.build();
  }

  @Override
  public int compareTo(Uplink other) {
    return PREFERENCE.compare(this, other);
  }
}
