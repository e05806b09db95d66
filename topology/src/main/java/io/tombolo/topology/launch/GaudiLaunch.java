// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import com.google.common.base.Splitter;
import com.google.common.collect.ImmutableMap;
import io.tombolo.base.errors.UsageException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * What {@code initialize_distributed_hpu(world_size, rank, local_rank)} of Gaudi's PyTorch bridge
 * does to a process, as a value: the numbers it returns and the variables it leaves behind. Source:
 * habana_frameworks/torch/distributed/hccl/__init__.py.
 *
 * @param worldSize number of ranks
 * @param rank this process, or -1
 * @param localRank its number on its host, or -1
 * @param environment all variables afterwards
 */
public record GaudiLaunch(
    int worldSize, int rank, int localRank, ImmutableMap<String, String> environment) {
  private static final String WORLD_SIZE = "WORLD_SIZE";
  private static final String RANK = "RANK";
  private static final String LOCAL_RANK = "LOCAL_RANK";
  private static final String MODULE = "HLS_MODULE_ID";
  private static final String MODULES = "HABANA_VISIBLE_MODULES";

  /**
   * Initialises from {@code variables} and the arguments. Arguments count only if all three are
   * given; else the variables do; else Open MPI's, if it set all of its own.
   */
  public static GaudiLaunch initialize(
      Map<String, String> variables,
      OptionalInt worldSize,
      OptionalInt rank,
      OptionalInt localRank) {
    Map<String, String> environment = new TreeMap<>(variables);
    if (worldSize.isPresent() && rank.isPresent() && localRank.isPresent()) {
      set(environment, worldSize.getAsInt(), rank.getAsInt(), localRank.getAsInt());
    } else if (!environment.keySet().containsAll(List.of(WORLD_SIZE, RANK, LOCAL_RANK))) {
      copyFromOpenMpi(environment);
    }
    environment.putIfAbsent("MASTER_ADDR", "localhost");
    environment.putIfAbsent("MASTER_PORT", "12345");
    int finalSize = number(environment, WORLD_SIZE, 1);
    int finalRank = number(environment, RANK, -1);
    int finalLocal = number(environment, LOCAL_RANK, -1);
    if (finalLocal != -1 && finalSize != 1 && !environment.containsKey(MODULE)) {
      environment.put(MODULE, module(environment, finalLocal));
    }
    environment.put("ID", String.valueOf(finalRank));
    return new GaudiLaunch(finalSize, finalRank, finalLocal, ImmutableMap.copyOf(environment));
  }

  /** The module that this process may use; empty means the first that is not busy. */
  public Optional<String> moduleId() {
    return Optional.ofNullable(environment.get(MODULE));
  }

  private static void set(Map<String, String> environment, int size, int rank, int localRank) {
    environment.put(WORLD_SIZE, String.valueOf(size));
    environment.put(RANK, String.valueOf(rank));
    environment.put(LOCAL_RANK, String.valueOf(localRank));
  }

  private static void copyFromOpenMpi(Map<String, String> environment) {
    List<String> from =
        List.of(
            Launcher.OPEN_MPI.worldSize.get(0),
            Launcher.OPEN_MPI.rank.get(0),
            Launcher.OPEN_MPI.localRank.get(0));
    if (environment.keySet().containsAll(from)) {
      environment.put(WORLD_SIZE, environment.get(from.get(0)));
      environment.put(RANK, environment.get(from.get(1)));
      environment.put(LOCAL_RANK, environment.get(from.get(2)));
    }
  }

  private static String module(Map<String, String> environment, int localRank) {
    if (!environment.containsKey(MODULES)) {
      return String.valueOf(localRank);
    }
    List<String> modules =
        Splitter.on(',').trimResults().omitEmptyStrings().splitToList(environment.get(MODULES));
    if (localRank >= modules.size()) {
      throw new UsageException(
          LOCAL_RANK
              + "="
              + localRank
              + ", but "
              + MODULES
              + "="
              + environment.get(MODULES)
              + " has only "
              + modules.size()
              + " modules");
    }
    return modules.get(localRank);
  }

  private static int number(Map<String, String> environment, String name, int otherwise) {
    String text = environment.get(name);
    if (text == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new UsageException(name + "=" + text + " is not a whole number", e);
    }
  }
}
