// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The options of the command line for a rank that somebody else has launched: what is given there
 * goes before what the environment says. Pure.
 *
 * @param options the options, given or not
 * @param vendor the vendor of this rank, if an option says it
 * @param isGiven whether an option of that name, such as {@code --clusters}, was given
 */
public record Joining(JobOptions options, Optional<String> vendor, Predicate<String> isGiven) {

  /**
   * {@code environment}, completed for this rank; for {@link JoinedJob#join}.
   *
   * @throws UsageException if nobody says which vendor the rank has, the clusters are not those
   *     that were launched, or the options name hosts
   */
  public Map<String, String> variables(Map<String, String> environment) {
    LaunchEnvironment launch = LaunchEnvironment.of(environment);
    if (options.placement().isPresent()) {
      throw new UsageException(
          "--hosts is for a job that this command starts itself, and a launcher has started this"
              + " rank of one already: leave --hosts out, or unset the launcher's variables");
    }
    Map<String, String> variables = new HashMap<>(environment);
    options
        .settings()
        .forEach((name, value) -> variables.put(JobEnvironment.variableOf(name), value));
    if (isGiven.test("--timeout")) {
      variables.put("TOMBOLO_TIMEOUT_MS", Long.toString(options.timeout().toMillis()));
    }
    if (isGiven.test("--port")) {
      variables.put("MASTER_PORT", Integer.toString(options.storePort()));
    }
    if (vendor.isPresent()) {
      variables.put("TOMBOLO_VENDOR", vendor.get());
    } else if (isGiven.test("--clusters") || isGiven.test("--order")) {
      placeRank(variables, launch);
    } else if (variables.getOrDefault("TOMBOLO_VENDOR", "").isEmpty()) {
      throw new UsageException(
          "which vendor has this rank? Say it for all ranks at once, for example --clusters"
              + " nvidia:2,amd:2, or for this one by --vendor or TOMBOLO_VENDOR; './tombolo vendors'"
              + " lists those that there are");
    }
    return variables;
  }

  private void placeRank(Map<String, String> variables, LaunchEnvironment launch) {
    ClusterSpec spec = options.clusterSpec();
    if (launch.rank().isEmpty()) {
      return; // the environment's reader says what is missing
    }
    Sourced<Integer> size = launch.worldSize().orElseThrow();
    if (spec.size() != size.value()) {
      throw new UsageException(
          "the clusters "
              + spec
              + " have "
              + spec.size()
              + " ranks, but the launcher started "
              + size.assignment());
    }
    int rank = launch.rank().get().value();
    String chosen = spec.vendors().get(rank);
    variables.put("TOMBOLO_VENDOR", chosen);
    if (launch.isOnOneHost() && !variables.containsKey(RankDevice.VARIABLE)) {
      long before = spec.vendors().subList(0, rank).stream().filter(chosen::equals).count();
      launch
          .deviceOrdinal(chosen, Optional.of(new Sourced<>((int) before, "rank of " + chosen)))
          .ifPresent(device -> variables.put(RankDevice.VARIABLE, device.value().toString()));
    }
  }
}
