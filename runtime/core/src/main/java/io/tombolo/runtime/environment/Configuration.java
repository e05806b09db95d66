// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.environment;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableSet;
import com.google.common.collect.Maps;
import io.tombolo.topology.launch.LaunchEnvironment;
import io.tombolo.topology.launch.Sourced;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/**
 * What the environment of a rank sets, whether or not it would do for a job.
 *
 * @param values of all settings, in the order of the documents
 * @param unknown variables that look like settings and are none: they have no effect
 */
public record Configuration(ImmutableList<Value> values, ImmutableList<String> unknown) {
  /** Those of the launcher script, of the C interface and of the tests. */
  private static final ImmutableSet<String> OTHERS =
      ImmutableSet.of(
          "BUILD",
          "CASES",
          "CI_CACHE",
          "CLASS_DATA",
          "CLASS_PATH",
          "DEEP",
          "JAVA_OPTS",
          "LAUNCHER",
          "LOG",
          "RDMA_VM_CACHE",
          "SEED",
          "WITNESS_DIR");

  /** How those of the emulated vendors and of the emulated HCA begin. */
  private static final ImmutableList<String> FAMILIES = ImmutableList.of("EMU_", "HCA_");

  /**
   * The value of one setting.
   *
   * @param setting which
   * @param value its value; where nothing sets it, what its {@linkplain Setting#fallback default}
   *     is
   * @param origin the variable that sets it; none for a default
   */
  public record Value(Setting setting, String value, Optional<String> origin) {}

  /** That of a rank with {@code environment}. */
  public static Configuration of(Map<String, String> environment) {
    Map<String, String> ours =
        Maps.filterKeys(environment, name -> name.startsWith(EnvironmentReader.PREFIX));
    return new Configuration(
        Arrays.stream(Setting.values())
            .map(setting -> valueOf(setting, environment))
            .collect(ImmutableList.toImmutableList()),
        ours.keySet().stream()
            .filter(name -> isUnknown(name.substring(EnvironmentReader.PREFIX.length())))
            .sorted()
            .collect(ImmutableList.toImmutableList()));
  }

  private static Value valueOf(Setting setting, Map<String, String> environment) {
    String set = environment.get(setting.variable());
    if (set != null) {
      return new Value(setting, set, Optional.of(setting.variable()));
    }
    return launched(setting, environment)
        .map(value -> new Value(setting, value.value(), Optional.of(value.origin())))
        .orElseGet(() -> new Value(setting, setting.fallback(), Optional.empty()));
  }

  /** What a launcher says in other words. */
  private static Optional<Sourced<String>> launched(
      Setting setting, Map<String, String> environment) {
    if (setting == Setting.GENERATION) {
      return Optional.ofNullable(environment.get(EnvironmentReader.RESTARTS))
          .map(restarts -> new Sourced<>(restarts, EnvironmentReader.RESTARTS));
    }
    if (setting == Setting.DEVICE) {
      return LaunchEnvironment.of(environment)
          .deviceOrdinal(environment.getOrDefault(Setting.VENDOR.variable(), ""))
          .map(ordinal -> new Sourced<>(ordinal.value().toString(), ordinal.origin()));
    }
    return Optional.empty();
  }

  private static boolean isUnknown(String name) {
    return !OTHERS.contains(name)
        && FAMILIES.stream().noneMatch(name::startsWith)
        && Arrays.stream(Setting.values()).noneMatch(setting -> setting.name().equals(name));
  }
}
