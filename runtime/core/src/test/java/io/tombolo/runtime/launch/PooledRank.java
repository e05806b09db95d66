// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ImmutableMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.Optional;

/**
 * One process of a {@link RankPool}, from the inside: reads who it is in the next job, runs that
 * rank, says how it ended, and reads on. The end of its input ends it.
 */
public final class PooledRank {
  private static final String ENDED = "ended ";

  private PooledRank() {}

  /** What a rank does, as its {@code main} would. */
  public interface Program {
    /** Runs one rank with these environment variables; its exit code. */
    int run(Map<String, String> variables, ImmutableList<String> arguments);
  }

  /** One rank of one job, as text. */
  record Role(ImmutableMap<String, String> variables, ImmutableList<String> arguments) {

    /** A line with the number of lines, then one for each variable; the same for arguments. */
    String lines() {
      StringBuilder lines = new StringBuilder();
      lines.append(variables.size()).append('\n');
      variables.forEach((name, value) -> lines.append(name).append('=').append(value).append('\n'));
      lines.append(arguments.size()).append('\n');
      arguments.forEach(argument -> lines.append(argument).append('\n'));
      return lines.toString();
    }

    /** Reads what {@link #lines} wrote; empty at the end of the input. */
    static Optional<Role> read(BufferedReader in) throws IOException {
      String first = in.readLine();
      if (first == null) {
        return Optional.empty();
      }
      ImmutableMap.Builder<String, String> variables = ImmutableMap.builder();
      for (int i = Integer.parseInt(first); i > 0; i--) {
        String line = in.readLine();
        int equals = line.indexOf('=');
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
      ImmutableList.Builder<String> arguments = ImmutableList.builder();
      for (int i = Integer.parseInt(in.readLine()); i > 0; i--) {
        arguments.add(in.readLine());
      }
      return Optional.of(new Role(variables.buildOrThrow(), arguments.build()));
    }
  }

  /** Is a rank of one job after another until the pool closes this process's input. */
  public static void serve(Program program) throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (Optional<Role> role = Role.read(in); role.isPresent(); role = Role.read(in)) {
      int code = program.run(role.get().variables(), role.get().arguments());
      System.out.println(RankEvents.line(ENDED + code));
      System.out.flush();
    }
  }

  /** The exit code, if {@code line} tells the end of a rank. */
  static Optional<ExitStatus> ended(String line) {
    String prefix = RankEvents.line(ENDED);
    return line.startsWith(prefix)
        ? Optional.of(new ExitStatus(Integer.parseInt(line.substring(prefix.length()))))
        : Optional.empty();
  }
}
