// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.collect.ImmutableMap;
import java.util.List;
import java.util.TreeMap;

/**
 * Bytes this rank has moved since it joined, counted where they are handed over.
 *
 * @param intraBytes contributions handed to the vendor's library
 * @param crossBytes payload sent to ranks of other clusters
 * @param copiedBytes bytes that processors copied between the memory of messages and fabrics'
 *     slots, or to it from the sender's memory
 * @param engineBytes bytes that devices copied between their memory and fabrics' slots
 * @param stagedBytes bytes that devices copied between their memory and the stages of messages
 * @param directBytes bytes that a NIC itself took from, or put into, the memory of messages, or
 *     that receivers on this host read there
 * @param crossBytesByFabric {@code crossBytes} by the fabric that carried them
 */
public record Traffic(
    long intraBytes,
    long crossBytes,
    long copiedBytes,
    long engineBytes,
    long stagedBytes,
    long directBytes,
    ImmutableMap<String, Long> crossBytesByFabric) {

  /** What has been moved in {@code groups} so far. */
  static Traffic of(List<RankGroup> groups) {
    TreeMap<String, Long> byFabric = new TreeMap<>();
    List<GroupChannels> channels = groups.stream().map(RankGroup::channels).toList();
    long copied = channels.stream().mapToLong(each -> each.addTraffic(byFabric)).sum();
    long engine = channels.stream().mapToLong(GroupChannels::engineBytes).sum();
    long staged = groups.stream().mapToLong(RankGroup::stagedBytes).sum();
    long direct = channels.stream().mapToLong(GroupChannels::directBytes).sum();
    long handed = groups.stream().mapToLong(group -> group.executor().handedBytes()).sum();
    long cross = byFabric.values().stream().mapToLong(Long::longValue).sum();
    return new Traffic(
        handed, cross, copied, engine, staged, direct, ImmutableMap.copyOf(byFabric));
  }
}
