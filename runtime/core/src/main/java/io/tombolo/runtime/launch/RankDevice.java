// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Which of its vendor's devices a rank opens that this process launches. Pure. */
final class RankDevice {
  /** Where a rank finds it; where a user says it, for all ranks. */
  static final String VARIABLE = JobEnvironment.variableOf(JobEnvironment.DEVICE);

  private RankDevice() {}

  /**
   * The device that the job's settings or this process's environment name. Else ranks of one vendor
   * share out the devices on their host, or all have the only one that they see.
   *
   * @param neighbours the ranks on the host of {@code rank}
   * @param variables what the rank finds in its environment besides
   * @param own this process's environment
   * @throws UsageException if the vendor's variable, such as {@code CUDA_VISIBLE_DEVICES}, hides
   *     the rank's device
   */
  static String of(
      JobSpec job,
      int rank,
      List<Integer> neighbours,
      Map<String, String> variables,
      Map<String, String> own) {
    String said = variables.getOrDefault(VARIABLE, own.getOrDefault(VARIABLE, ""));
    return said.isEmpty() ? shared(job, rank, neighbours, variables, own) : said;
  }

  private static String shared(
      JobSpec job,
      int rank,
      List<Integer> neighbours,
      Map<String, String> variables,
      Map<String, String> own) {
    String vendor = job.vendors().get(rank);
    long before =
        neighbours.stream()
            .filter(other -> other < rank && job.vendors().get(other).equals(vendor))
            .count();
    Sourced<Integer> number = new Sourced<>((int) before, "rank of " + vendor);
    // Other hosts get nothing of this process's but what is Tombolo's.
    Map<String, String> there = new HashMap<>(job.placement().isPresent() ? Map.of() : own);
    there.putAll(variables);
    return LaunchEnvironment.of(there)
        .deviceOrdinal(vendor, Optional.of(number))
        .orElse(number)
        .value()
        .toString();
  }
}
