// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.UsageException;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * On which host each rank of a job runs, and how this host starts processes there, as people write
 * it: {@code node1:2,node2:4} and {@code ssh {host}}.
 *
 * @param hosts the host by rank
 * @param launchBy the command that runs another on {@code {host}}, with its standard streams, as a
 *     shell reads it
 * @param storeAddress the address of this host at which all ranks reach the job's store; empty for
 *     the {@linkplain StoreAddress one that leads to them}
 */
public record Placement(
    ImmutableList<String> hosts, String launchBy, Optional<String> storeAddress) {
  /** Asks for no password, for nobody could type one. */
  public static final String USUAL_LAUNCH = "ssh -o BatchMode=yes " + Placement.HOST;

  private static final String HOST = "{host}";

  /** A name, an IPv4 address, or an IPv6 address in brackets; nothing that a shell would read. */
  private static final Pattern PART =
      Pattern.compile("(?:([A-Za-z0-9][A-Za-z0-9_.@-]*)|\\[([0-9A-Fa-f:.]+)])(?::([0-9]{1,6}))?");

  /**
   * Reads {@code node1:2,node2}: two ranks, and then one; a {@link UsageException} says what is
   * wrong.
   *
   * @param launchBy null for {@link #USUAL_LAUNCH}
   */
  public static Placement parse(String hosts, String launchBy, Optional<String> storeAddress) {
    ImmutableList.Builder<String> byRank = ImmutableList.builder();
    int ranks = 0;
    for (String part : Splitter.on(',').trimResults().split(hosts)) {
      Matcher host = PART.matcher(part);
      if (!host.matches()) {
        throw new UsageException(
            "'%s' in the hosts '%s' is not of the form host:ranks, for example node1:2 or"
                    .formatted(part, hosts)
                + " [fd00::1]:2");
      }
      int count = host.group(3) == null ? 1 : Integer.parseInt(host.group(3));
      ranks += count;
      if (count == 0 || ranks > ClusterSpec.MAX_RANKS) {
        throw new UsageException(
            "the hosts '%s' give %s %s ranks; a host has at least 1, a job at most %s"
                .formatted(hosts, part, count, ClusterSpec.MAX_RANKS));
      }
      String name = host.group(1) == null ? host.group(2) : host.group(1);
      byRank.addAll(Collections.nCopies(count, name));
    }
    String template = launchBy == null ? USUAL_LAUNCH : launchBy;
    if (!template.contains(HOST)) {
      throw new UsageException(
          "'%s' starts all ranks on the same host: write {host} where its name belongs, for example '%s'"
              .formatted(template, USUAL_LAUNCH));
    }
    return new Placement(byRank.build(), template, storeAddress);
  }

  /** A {@link UsageException} if the clusters have another number of ranks. */
  void checkSize(int ranks) {
    if (hosts.size() != ranks) {
      throw new UsageException(
          "the hosts have %s ranks in all, the clusters have %s".formatted(hosts.size(), ranks));
    }
  }

  /** The ranks on the host of {@code rank}, in order. */
  List<Integer> neighbours(int rank) {
    return IntStream.range(0, hosts.size())
        .filter(other -> hosts.get(other).equals(hosts.get(rank)))
        .boxed()
        .toList();
  }

  /** The command that runs a script from its standard input on the host of {@code rank}. */
  List<String> shell(int rank) {
    return List.of("sh", "-c", "exec " + launchBy.replace(HOST, hosts.get(rank)) + " sh -s");
  }
}
