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
 * id are to be used instead.
 *
 * @param launcher who started this process; empty if nobody says
 * @param rank from 0
 * @param worldSize number of ranks
 * @param localRank number among the ranks of this host
 * @param localSize number of ranks on this host
 * @param masterAddress where the ranks meet
 * @param masterPort the port there
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
}
