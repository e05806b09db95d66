// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.bootstrap;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Capabilities;
import io.tombolo.topology.RankSite;
import io.tombolo.topology.Uplink;
import io.tombolo.topology.machine.CpuSet;
import java.util.Set;

/**
 * What a rank tells the others about itself, once, at the start.
 *
 * @param protocolMin lowest version of our protocols it speaks
 * @param protocolMax highest version of our protocols it speaks
 * @param build its build, as it calls itself
 * @param rank its number in the job
 * @param vendor the vendor string by which ranks are clustered
 * @param device its device, in the vendor's words
 * @param architecture what keeps it apart from ranks of the same vendor, whose collective library
 *     does not join them; empty where nothing does
 * @param hostId a name of its host that no other host shares
 * @param pid its process id on that host
 * @param processors those of its host that it may run on; empty if nobody says
 * @param capabilities what its vendor's collective library is declared to do
 * @param fabricAddresses how to reach it, by the name of the fabric, and of what else it hosts; the
 *     arrays are not to be changed
 * @param uplinks the ways of its device to the network, by rail; empty if nothing is known of them
 * @param settings what it was told, by name; must be equal everywhere where it matters
 */
public record RankDescriptor(
    int protocolMin,
    int protocolMax,
    String build,
    int rank,
    String vendor,
    String device,
    String architecture,
    String hostId,
    long pid,
    CpuSet processors,
    Capabilities capabilities,
    ImmutableMap<String, byte[]> fabricAddresses,
    ImmutableList<Uplink> uplinks,
    ImmutableSortedMap<String, String> settings) {

  private static final Capabilities NOTHING_SHARED =
      Capabilities.of(Set.of(), Set.of(), Set.of(), Set.of());

  /** The rank in a few words, for messages: {@code rank 2 (emu-amd, pid 4711, build 0.1.0)}. */
  public String label() {
    return "rank %s (%s, pid %s, build %s)".formatted(rank, vendor, pid, build);
  }

  /**
   * The same rank where it shares no vendor's library with any other, and so is a cluster of its
   * own.
   */
  public RankDescriptor alone() {
    return new RankDescriptor(
        protocolMin,
        protocolMax,
        build,
        rank,
        vendor,
        device,
        "alone as rank " + rank,
        hostId,
        pid,
        processors,
        NOTHING_SHARED,
        fabricAddresses,
        uplinks,
        settings);
  }

  /** Where the rank sits. */
  public RankSite site() {
    return siteAs(rank);
  }

  /** The same, where the rank has another number: in a group of some of a job's ranks. */
  public RankSite siteAs(int number) {
    boolean oneHostOnly = capabilities.has(Capabilities.Flag.ONE_HOST_ONLY);
    return new RankSite(number, vendor, architecture, hostId, oneHostOnly, device);
  }
}
