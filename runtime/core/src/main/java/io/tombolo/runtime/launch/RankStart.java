// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How the process of one rank is started.
 *
 * @param command what is run on this host
 * @param variables added to this process's environment
 * @param there the rank's host and the script that a shell there reads; empty for this host
 */
record RankStart(
    ImmutableList<String> command, ImmutableMap<String, String> variables, Optional<There> there) {
  private static final String OURS = "TOMBOLO_";

  /**
   * A rank on another host.
   *
   * @param host its name
   * @param script see {@link RankScript}
   */
  record There(String host, String script) {}

  /**
   * The start of {@code rank}.
   *
   * @param variables what the rank finds in its environment
   * @param environment this process's own, of which other hosts get what is Tombolo's
   */
  static RankStart of(
      JobSpec job, int rank, Map<String, String> variables, Map<String, String> environment) {
    List<String> command = RankCommand.of(job);
    if (job.placement().isEmpty()) {
      return new RankStart(
          ImmutableList.copyOf(command), ImmutableMap.copyOf(variables), Optional.empty());
    }
    Placement placement = job.placement().get();
    ImmutableMap.Builder<String, String> all = ImmutableMap.builder();
    environment.forEach(
        (name, value) -> {
          if (name.startsWith(OURS)) {
            all.put(name, value);
          }
        });
    String script =
        RankScript.of(
            command,
            all.putAll(variables).buildKeepingLast(),
            Path.of("").toAbsolutePath().toString());
    return new RankStart(
        ImmutableList.copyOf(placement.shell(rank)),
        ImmutableMap.of(),
        Optional.of(new There(placement.hosts().get(rank), script)));
  }
}
