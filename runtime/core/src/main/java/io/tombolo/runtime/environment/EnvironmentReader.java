// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment.StoreKind;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Launcher;
import io.tombolo.topology.launch.MeetingPoint;
import io.tombolo.topology.launch.Sourced;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Makes a {@link JobEnvironment} of environment variables, and names the one that is wrong. */
final class EnvironmentReader {
  static final String PREFIX = "TOMBOLO_";

  private static final ImmutableSet<String> OWN =
      ImmutableSet.of(
          Launcher.TOMBOLO_EVIDENCE,
          "TOMBOLO_STORE",
          "TOMBOLO_TOKEN",
          "TOMBOLO_VENDOR",
          "TOMBOLO_TIMEOUT_MS");

  /** Whether torchrun's agent hosts a store; those that do not say it always do. */
  private static final String AGENT_STORE = "TORCHELASTIC_USE_AGENT_STORE";

  /** How often torchrun has started its processes again; its store lives on meanwhile. */
  static final String RESTARTS = "TORCHELASTIC_RESTART_COUNT";

  /** What a rank that nobody launched needs. */
  private static final ImmutableList<String> BY_HAND =
      ImmutableList.of(
          "RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "TOMBOLO_VENDOR", "TOMBOLO_TOKEN");

  private final Map<String, String> environment;
  private final LaunchEnvironment launch;

  EnvironmentReader(Map<String, String> environment) {
    this.environment = environment;
    this.launch = LaunchEnvironment.of(environment);
  }

  JobEnvironment read() {
    checkByHand();
    int rank = said("RANK", launch.rank());
    int size = said("WORLD_SIZE", launch.worldSize());
    int localRank = said("LOCAL_RANK", launch.localRank());
    JobToken token = token();
    return new JobEnvironment(
        rank,
        size,
        localRank,
        launch.masterAddress().map(Sourced::value).orElseThrow(EnvironmentReader::nowhere),
        launch.masterPort().map(Sourced::value).orElseGet(() -> portOf(token)),
        storeKind(),
        token,
        vendor(),
        timeout(),
        settings());
  }

  static void checkBelow(String name, int value, String limitName, int limit) {
    if (value < 0 || value >= limit) {
      throw new UsageException(
          "%s is %s and %s is %s: it must be from 0 to %s"
              .formatted(name, value, limitName, limit, limit - 1));
    }
  }

  StoreKind storeKind() {
    String kind = environment.getOrDefault("TOMBOLO_STORE", "");
    return switch (kind) {
      case "" -> usualStoreKind();
      case "tombolo" -> StoreKind.TOMBOLO;
      case "torch" -> StoreKind.TORCH;
      case "rank0" -> StoreKind.RANK0;
      default -> throw wrong("TOMBOLO_STORE", kind, "'tombolo', 'torch' or 'rank0'");
    };
  }

  private StoreKind usualStoreKind() {
    Optional<Launcher> launcher = launch.launcher();
    if (launcher.equals(Optional.of(Launcher.TOMBOLO))) {
      return StoreKind.TOMBOLO;
    }
    boolean agent =
        launcher.equals(Optional.of(Launcher.TORCHRUN))
            && environment.getOrDefault(AGENT_STORE, "True").equals("True");
    return agent ? StoreKind.TORCH : StoreKind.RANK0;
  }

  private JobToken token() {
    String hex = environment.getOrDefault("TOMBOLO_TOKEN", "");
    if (hex.isEmpty()) {
      throw new UsageException(
          "TOMBOLO_TOKEN is not set: give all ranks the same one, made once with"
              + " 'export TOMBOLO_TOKEN=$(openssl rand -hex 32)'"
              + launch.launcher().map(EnvironmentReader::handOn).orElse(""));
    }
    try {
      return JobToken.parse(hex);
    } catch (UsageException e) {
      throw new UsageException("TOMBOLO_TOKEN: " + e.getMessage(), e);
    }
  }

  /** How a launcher is made to hand a variable to its processes on other hosts. */
  private static String handOn(Launcher launcher) {
    return switch (launcher) {
      case TORCHRUN -> " before torchrun, on every host";
      case OPEN_MPI -> ", and handed on: mpirun -x TOMBOLO_TOKEN";
      case HYDRA, PALS, SLURM -> " before " + launcher + "'s command, which hands it on";
      case TOMBOLO, TORCH, MVAPICH -> "";
    };
  }

  private String vendor() {
    String vendor = environment.getOrDefault("TOMBOLO_VENDOR", "");
    if (vendor.isBlank()) {
      throw new UsageException(
          "TOMBOLO_VENDOR is not set: it names the vendor of this rank's device;"
              + " './tombolo vendors' lists those that there are");
    }
    return vendor;
  }

  Duration timeout() {
    return environment.containsKey("TOMBOLO_TIMEOUT_MS")
        ? Duration.ofMillis(number("TOMBOLO_TIMEOUT_MS", 1, Integer.MAX_VALUE))
        : JobEnvironment.DEFAULT_TIMEOUT;
  }

  ImmutableSortedMap<String, String> settings() {
    Map<String, String> settings = new TreeMap<>(plainSettings(environment));
    if (!settings.containsKey(JobEnvironment.DEVICE)) {
      launch
          .deviceOrdinal(environment.getOrDefault("TOMBOLO_VENDOR", ""))
          .ifPresent(ordinal -> settings.put(JobEnvironment.DEVICE, ordinal.value().toString()));
    }
    if (environment.containsKey(RESTARTS)) {
      settings.putIfAbsent(JobEnvironment.GENERATION, environment.get(RESTARTS));
    }
    return ImmutableSortedMap.copyOf(settings);
  }

  /** Those that variables say by their names. */
  static ImmutableSortedMap<String, String> plainSettings(Map<String, String> environment) {
    Map<String, String> settings = new TreeMap<>();
    environment.forEach(
        (variable, value) -> {
          if (variable.startsWith(PREFIX) && !OWN.contains(variable)) {
            settings.put(variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT), value);
          }
        });
    return ImmutableSortedMap.copyOf(settings);
  }

  /** Who starts ranks by hand is told all that is missing at once; a launcher lacks one thing. */
  private void checkByHand() {
    List<String> missing =
        BY_HAND.stream().filter(name -> environment.getOrDefault(name, "").isBlank()).toList();
    boolean byHand = launch.launcher().map(Launcher.TORCH::equals).orElse(true);
    if (byHand && missing.size() > 1) {
      throw new UsageException(
          "nobody launched this process as a rank, and these variables are not set: "
              + String.join(", ", missing)
              + "; start it with the tombolo launcher, torchrun, mpirun or srun, or see 'Starting"
              + " ranks by hand' in docs/using-it.md");
    }
  }

  private static <T> T said(String name, Optional<Sourced<T>> value) {
    return value
        .map(Sourced::value)
        .orElseThrow(
            () ->
                new UsageException(
                    name
                        + " is not set: start this process with the tombolo launcher, torchrun,"
                        + " mpirun or srun, or set "
                        + name
                        + " as torchrun does"));
  }

  private static UsageException nowhere() {
    return new UsageException(
        "MASTER_ADDR is not set, and the launcher does not tell where rank 0 is: set it for all"
            + " ranks to an address of rank 0's host");
  }

  /** Of a job without a name the token is all that its ranks have in common. */
  private static int portOf(JobToken token) {
    return MeetingPoint.port(token.seal("port", new byte[0]));
  }

  private int number(String name, int least, int most) {
    String text = environment.get(name);
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw wrong(name, text, "a number");
    }
    throw wrong(name, text, "a number from " + least + " to " + most);
  }

  private static UsageException wrong(String name, String value, String wanted) {
    return new UsageException(name + " is '" + value + "'; it must be " + wanted);
  }
}
