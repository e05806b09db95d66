package io.tombolo.topology.launch;

import io.tombolo.base.errors.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Picks the launchers that spoke, believes the innermost, and compares it with its equals. */
final class LaunchReader {
  private static final int MAX_PORT = 65_535;

  private final Map<String, String> variables;
  private final List<Launcher> voices;

  LaunchReader(Map<String, String> variables) {
    this.variables = variables;
    this.voices = voices(variables);
  }

  /** Those that left evidence and that no inner launcher stands before. */
  private static List<Launcher> voices(Map<String, String> variables) {
    List<Launcher> voices = new ArrayList<>();
    for (Launcher launcher : Launcher.values()) {
      boolean spoke = !variables.getOrDefault(launcher.evidence, "").isBlank();
      if (spoke && (voices.isEmpty() || !launcher.isOutside(voices.get(0)))) {
        voices.add(launcher);
      }
    }
    return voices;
  }

  LaunchEnvironment read() {
    Optional<Sourced<Integer>> rank = agreed("rank", launcher -> launcher.rank, 0);
    Optional<Sourced<Integer>> size = agreed("world size", launcher -> launcher.worldSize, 1);
    Optional<Sourced<Integer>> localRank = agreed("local rank", launcher -> launcher.localRank, 0);
    Optional<Sourced<Integer>> localSize = agreed("local size", launcher -> launcher.localSize, 1);
    checkBelow(rank, size, "ranks");
    checkBelow(localRank, localSize, "ranks of this host");
    checkNotAlone(rank, size);
    return new LaunchEnvironment(
        voices.stream().findFirst(),
        rank,
        size,
        localRank,
        localSize,
        first("MASTER_ADDR", "SLURM_LAUNCH_NODE_IPADDR"),
        first("MASTER_PORT").map(text -> number(text, 1, MAX_PORT)),
        first("TORCHELASTIC_RUN_ID", "PMIX_NAMESPACE", "PALS_APID", "SLURM_JOB_ID"),
        VisibleDevices.of(variables));
  }

  private Optional<Sourced<Integer>> agreed(
      String what, Function<Launcher, String> variable, int least) {
    Optional<Sourced<Integer>> agreed = Optional.empty();
    for (Launcher launcher : voices) {
      Optional<Sourced<Integer>> said =
          first(variable.apply(launcher)).map(text -> number(text, least, Integer.MAX_VALUE));
      if (agreed.isPresent() && said.isPresent()) {
        checkEqual(what, agreed.get(), said.get());
      }
      agreed = agreed.or(() -> said);
    }
    return agreed;
  }

  private Optional<Sourced<String>> first(String... names) {
    for (String name : names) {
      String value = variables.getOrDefault(name, "");
      if (!value.isBlank()) {
        return Optional.of(new Sourced<>(value.strip(), name));
      }
    }
    return Optional.empty();
  }

  private static Sourced<Integer> number(Sourced<String> text, int least, int most) {
    try {
      int number = Integer.parseInt(text.value());
      if (number >= least && number <= most) {
        return new Sourced<>(number, text.origin());
      }
    } catch (NumberFormatException e) {
      // Told below.
    }
    throw new UsageException(
        text.origin()
            + "="
            + text.value()
            + " is not a whole number from "
            + least
            + " to "
            + most);
  }

  private static void checkEqual(String what, Sourced<Integer> one, Sourced<Integer> other) {
    if (!one.value().equals(other.value())) {
      throw new UsageException(
          "two launchers contradict each other about the "
              + what
              + ": "
              + assignment(one)
              + ", "
              + assignment(other)
              + "; unset the one that is left over from elsewhere");
    }
  }

  private static void checkBelow(
      Optional<Sourced<Integer>> rank, Optional<Sourced<Integer>> size, String what) {
    if (rank.isPresent() && size.isPresent() && rank.get().value() >= size.get().value()) {
      throw new UsageException(
          assignment(rank.get())
              + ", but there are only so many "
              + what
              + ": "
              + assignment(size.get()));
    }
  }

  private void checkNotAlone(Optional<Sourced<Integer>> rank, Optional<Sourced<Integer>> size) {
    if (rank.isPresent() && size.isEmpty()) {
      throw new UsageException(
          assignment(rank.get()) + ", but " + voices.get(0).worldSize + " is not set");
    }
  }

  private static String assignment(Sourced<Integer> sourced) {
    return sourced.origin() + "=" + sourced.value();
  }
}
