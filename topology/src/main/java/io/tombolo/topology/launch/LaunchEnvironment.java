// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.util.Map;
import java.util.Optional;

/**
 * Who this process is in its job, as its launcher says. A pure function of the environment.
 *
 * <p>{@link #localRank} is the launcher's number among the processes of a host. It is no identity:
 * torchrun may give every process 0 and one visible device each; {@link #localSize} and the host's
 * id are to be used instead, and {@link #deviceOrdinal} for the device.
 *
 * @param launcher who started this process; empty if nobody says
 * @param rank from 0
 * @param worldSize number of ranks
 * @param localRank number among the ranks of this host
 * @param localSize number of ranks on this host
 * @param masterAddress where the ranks meet: as said, or concluded
 * @param masterPort the port there: as said, or derived from {@code jobId}
 * @param jobId a name for the job
 * @param visibleDevices per vendor, what its runtime lets this process see
 */
public record LaunchEnvironment(
    Optional<Launcher> launcher,
    Optional<Sourced<Integer>> rank,
    Optional<Sourced<Integer>> worldSize,
    Optional<Sourced<Integer>> localRank,
    Optional<Sourced<Integer>> localSize,
    Optional<Sourced<String>> masterAddress,
    Optional<Sourced<Integer>> masterPort,
    Optional<Sourced<String>> jobId,
    ImmutableMap<String, ImmutableList<Sourced<String>>> visibleDevices) {

  /**
   * Reads {@code variables}, usually {@link System#getenv()}. Throws a {@link
   * io.tombolo.base.errors.UsageException} that names both variables where two contradict each
   * other, and the variable where a value makes no sense.
   */
  public static LaunchEnvironment of(Map<String, String> variables) {
    return new LaunchReader(variables).read();
  }

  /**
   * Which of {@code vendor}'s devices this process is to open, as its runtime counts those that are
   * visible; empty if nobody says. A {@link io.tombolo.base.errors.UsageException} names the two
   * variables if there is no such device.
   */
  public Optional<Sourced<Integer>> deviceOrdinal(String vendor) {
    return deviceOrdinal(vendor, localRank);
  }

  /**
   * As {@link #deviceOrdinal(String)}, where {@code number} counts only {@code vendor}'s processes
   * on this host, instead of {@link #localRank}.
   */
  public Optional<Sourced<Integer>> deviceOrdinal(
      String vendor, Optional<Sourced<Integer>> number) {
    return VisibleDevices.ordinal(visibleDevices.getOrDefault(vendor, ImmutableList.of()), number);
  }

  /** Whether the launcher says that all ranks are on this host. */
  public boolean isOnOneHost() {
    return localSize.isPresent()
        && localSize.map(Sourced::value).equals(worldSize.map(Sourced::value));
  }
}
