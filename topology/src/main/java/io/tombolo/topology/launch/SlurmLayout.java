// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.base.Splitter;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the tasks of a Slurm step run, as far as its variables tell.
 *
 * <p>The lists of a step, {@code SLURM_STEP_NODELIST} and {@code SLURM_STEP_TASKS_PER_NODE}, are in
 * the order of the hosts' names. Tasks are in that order too, with two exceptions: those of a
 * heterogeneous step are in the order of its components, and {@code SLURM_NODEID} counts hosts in
 * that order, so that it is no index of the lists; and with an arbitrary distribution they are in
 * the order of a file of hosts that only srun knows. Source: Slurm 22.05, recorded.
 */
record SlurmLayout(Variables variables) {

  /** How many tasks of this step run on this host. */
  Optional<Sourced<Integer>> tasksOfThisHost() {
    return variables.first("SLURM_GTIDS").map(SlurmLayout::count).or(this::tasksOfThisIndex);
  }

  /** The host of task 0; empty if only srun knows it. */
  Optional<Sourced<String>> hostOfFirstTask() {
    if (variables.first("SLURM_DISTRIBUTION").filter(SlurmLayout::isArbitrary).isPresent()) {
      return Optional.empty();
    }
    return variables
        .first("SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST")
        .map(step -> hostOfFirstComponent(step).orElseGet(() -> SlurmLists.firstHost(step)));
  }

  /** The first host of the step's first component; a step may leave out components and hosts. */
  private Optional<Sourced<String>> hostOfFirstComponent(Sourced<String> step) {
    Optional<Sourced<String>> component = component(0);
    if (component.isEmpty()) {
      return Optional.empty();
    }
    Set<String> hosts = SlurmLists.hosts(step.value()).collect(Collectors.toSet());
    return Stream.iterate(0, index -> component(index).isPresent(), index -> index + 1)
        .flatMap(index -> component(index).stream())
        .flatMap(
            list ->
                SlurmLists.hosts(list.value())
                    .map(host -> new Sourced<>(host, "the first of " + list.origin())))
        .filter(host -> hosts.contains(host.value()))
        .findFirst();
  }

  /** Slurm before 20.02 calls the groups packs; later releases still set those names, too. */
  private Optional<Sourced<String>> component(int index) {
    return variables.first(
        "SLURM_JOB_NODELIST_HET_GROUP_" + index, "SLURM_JOB_NODELIST_PACK_GROUP_" + index);
  }

  private Optional<Sourced<Integer>> tasksOfThisIndex() {
    Optional<Sourced<Integer>> index =
        variables.first("SLURM_NODEID").map(text -> Variables.number(text, 0, Integer.MAX_VALUE));
    return variables
        .first("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE")
        .flatMap(list -> index.flatMap(node -> SlurmLists.tasks(list, node.value())));
  }

  private static Sourced<Integer> count(Sourced<String> tasks) {
    return new Sourced<>(
        Splitter.on(',').splitToList(tasks.value()).size(), "number of " + tasks.origin());
  }

  private static boolean isArbitrary(Sourced<String> distribution) {
    return distribution.value().startsWith("arbitrary");
  }
}
