// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.hash.HashCode;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Where the ranks of a job meet, if nobody says it: concluded from what the launcher does say.
 *
 * <p>The host is rank 0's. The port lies below those that Linux gives to clients (32768 and up, see
 * ip_local_port_range in man 7 ip) and is the same wherever the job has the same name.
 */
public final class MeetingPoint {
  private static final int FIRST_PORT = 20_000;
  private static final int PORTS = 10_000;
  private static final int MAX_PORT = 65_535;

  private final Variables variables;
  private final Optional<Launcher> launcher;

  MeetingPoint(Variables variables, Optional<Launcher> launcher) {
    this.variables = variables;
    this.launcher = launcher;
  }

  /** A port made from {@code hash}, of which the first four bytes count. */
  public static int port(byte[] hash) {
    return FIRST_PORT + Math.floorMod(HashCode.fromBytes(hash).asInt(), PORTS);
  }

  /** The host of rank 0. */
  Optional<Sourced<String>> address(
      Optional<Sourced<Integer>> worldSize, Optional<Sourced<Integer>> localSize) {
    return variables
        .first("MASTER_ADDR")
        .or(() -> thisHost(worldSize, localSize))
        .or(
            () ->
                launcher
                    .filter(Launcher.SLURM::equals)
                    .flatMap(slurm -> new SlurmLayout(variables).hostOfFirstTask()));
  }

  Optional<Sourced<Integer>> port(Optional<Sourced<String>> jobId) {
    return variables
        .first("MASTER_PORT")
        .map(text -> Variables.number(text, 1, MAX_PORT))
        .or(() -> jobId.map(MeetingPoint::derived));
  }

  /** A name that no other job of this user has here at the same time. */
  Optional<Sourced<String>> jobId() {
    return variables
        .first("TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "PALS_APID")
        .or(() -> variables.first("SLURM_JOB_ID").map(this::withStep));
  }

  private Sourced<String> withStep(Sourced<String> job) {
    return variables
        .first("SLURM_STEP_ID")
        .map(
            step ->
                new Sourced<>(job.value() + "." + step.value(), job.origin() + "." + step.origin()))
        .orElse(job);
  }

  private static Optional<Sourced<String>> thisHost(
      Optional<Sourced<Integer>> worldSize, Optional<Sourced<Integer>> localSize) {
    return localSize
        .filter(local -> worldSize.map(Sourced::value).equals(Optional.of(local.value())))
        .map(
            local ->
                new Sourced<>("127.0.0.1", "all ranks are on this host: " + local.assignment()));
  }

  private static Sourced<Integer> derived(Sourced<String> jobId) {
    byte[] hash = Hashing.sha256().hashString(jobId.value(), StandardCharsets.UTF_8).asBytes();
    return new Sourced<>(port(hash), "derived from " + jobId.assignment());
  }
}
