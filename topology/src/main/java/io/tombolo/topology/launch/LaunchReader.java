// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Picks the launchers that spoke, believes the innermost, and compares it with its equals. */
final class LaunchReader {
  private static final String BY_HAND =
      "; a rank that is started by hand needs RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR,"
          + " TOMBOLO_VENDOR and TOMBOLO_TOKEN";

  private final Variables variables;
  private final List<Launcher> voices;

  LaunchReader(Map<String, String> variables) {
    this.variables = new Variables(variables);
    this.voices = voices(this.variables);
  }

  /**
   * Those that left evidence and that no inner launcher stands before; a Slurm step also where
   * those inside it say the same as the step.
   */
  private static List<Launcher> voices(Variables variables) {
    Optional<SlurmStep> step = SlurmStep.of(variables);
    List<Launcher> voices = new ArrayList<>();
    for (Launcher launcher : Launcher.values()) {
      boolean spoke = variables.has(launcher.evidence) && !isOfShell(step, launcher);
      if (spoke && (voices.isEmpty() || isHeard(launcher, voices, step))) {
        voices.add(launcher);
      }
    }
    return voices;
  }

  private static boolean isOfShell(Optional<SlurmStep> step, Launcher launcher) {
    return step.isPresent() && step.get().isShell() && step.get().spokeFor(launcher);
  }

  private static boolean isHeard(
      Launcher launcher, List<Launcher> voices, Optional<SlurmStep> step) {
    return !launcher.isOutside(voices.get(0))
        || (launcher == Launcher.SLURM
            && step.isPresent()
            && voices.stream().allMatch(step.get()::speaksAs));
  }

  /** Who started this process: srun, where others only repeat what its step says. */
  private Optional<Launcher> launcher() {
    return voices.contains(Launcher.SLURM)
        ? Optional.of(Launcher.SLURM)
        : voices.stream().findFirst();
  }

  LaunchEnvironment read() {
    Optional<Launcher> launcher = launcher();
    Optional<Sourced<Integer>> rank = agreed("rank", each -> each.rank, 0);
    Optional<Sourced<Integer>> size = agreed("world size", each -> each.worldSize, 1);
    Optional<Sourced<Integer>> localRank = agreed("local rank", each -> each.localRank, 0);
    Optional<Sourced<Integer>> localSize =
        agreed("local size", each -> each.localSize, 1).or(this::tasksOfThisHost);
    checkBelow(rank, size, "ranks");
    checkBelow(localRank, localSize, "ranks of this host");
    checkFits(localSize, size);
    checkNotAlone(rank, size);
    MeetingPoint meeting = new MeetingPoint(variables, launcher);
    Optional<Sourced<String>> jobId = meeting.jobId();
    return new LaunchEnvironment(
        launcher,
        rank,
        size,
        localRank,
        localSize,
        meeting.address(size, localSize),
        meeting.port(jobId),
        jobId,
        VisibleDevices.of(variables));
  }

  private Optional<Sourced<Integer>> agreed(
      String what, Function<Launcher, List<String>> names, int least) {
    Optional<Sourced<Integer>> agreed = Optional.empty();
    for (Launcher launcher : voices) {
      Optional<Sourced<Integer>> said =
          variables
              .first(names.apply(launcher))
              .map(text -> Variables.number(text, least, Integer.MAX_VALUE));
      if (agreed.isPresent() && said.isPresent()) {
        checkEqual(what, agreed.get(), said.get());
      }
      agreed = agreed.or(() -> said);
    }
    return agreed;
  }

  private Optional<Sourced<Integer>> tasksOfThisHost() {
    return voices.contains(Launcher.SLURM)
        ? new SlurmLayout(variables).tasksOfThisHost()
        : Optional.empty();
  }

  private static void checkEqual(String what, Sourced<Integer> one, Sourced<Integer> other) {
    if (!one.value().equals(other.value())) {
      throw new UsageException(
          "two launchers contradict each other about the "
              + what
              + ": "
              + one.assignment()
              + ", "
              + other.assignment()
              + "; unset the one that is left over from elsewhere");
    }
  }

  private static void checkBelow(
      Optional<Sourced<Integer>> rank, Optional<Sourced<Integer>> size, String what) {
    if (rank.isPresent() && size.isPresent() && rank.get().value() >= size.get().value()) {
      throw new UsageException(
          rank.get().assignment()
              + ", but there are only so many "
              + what
              + ": "
              + size.get().assignment());
    }
  }

  private static void checkFits(
      Optional<Sourced<Integer>> localSize, Optional<Sourced<Integer>> size) {
    if (localSize.isPresent() && size.isPresent() && localSize.get().value() > size.get().value()) {
      throw new UsageException(
          localSize.get().assignment()
              + " ranks on this host are more than the job has: "
              + size.get().assignment());
    }
  }

  private void checkNotAlone(Optional<Sourced<Integer>> rank, Optional<Sourced<Integer>> size) {
    if (rank.isPresent() && size.isEmpty()) {
      throw new UsageException(
          rank.get().assignment()
              + ", but "
              + voices.get(0).worldSize.get(0)
              + " is not set"
              + (voices.get(0) == Launcher.TORCH ? BY_HAND : ""));
    }
  }
}
