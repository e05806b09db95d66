// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a shell on another host reads to run a rank there. It comes by standard input, for command
 * lines, which everybody on a host can read, must not show the job's token.
 *
 * <p>Standard input stays open behind it, as the <em>lifeline</em>: when it ends, because the
 * launcher lets go, dies, or loses the connection, the shell kills the rank. So a rank dies with
 * its launcher even if it is stuck, and even if the signal that killed the process here reaches no
 * other host. As the launcher does for its own host, the shell removes the {@linkplain
 * io.tombolo.adaptors.ccl.NamedSegments names} that a killed rank leaves behind.
 */
final class RankScript {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private RankScript() {}

  /**
   * The script.
   *
   * @param folder where the rank runs; the host must have it too, with the same files
   */
  static String of(List<String> command, Map<String, String> variables, String folder) {
    String exports =
        variables.entrySet().stream()
            .filter(variable -> NAME.matcher(variable.getKey()).matches())
            .map(
                variable ->
                    "export %s=%s\n".formatted(variable.getKey(), quoted(variable.getValue())))
            .collect(Collectors.joining());
    String line = command.stream().map(RankScript::quoted).collect(Collectors.joining(" "));
    // Braces: a shell runs this only once it has read all of it.
    return """
        {
        cd %s || exit
        %sexec 3<&0
        %s < /dev/null 3<&- &
        rank=$!
        (while read -r line <&3; do :; done; kill -KILL "$rank") > /dev/null 2>&1 &
        lifeline=$!
        exec 3<&-
        wait "$rank"
        status=$?
        kill "$lifeline"
        rm -f /dev/shm/"$rank":[0-9]*:[0-9]*
        exit "$status"
        }
        """
        .formatted(quoted(folder), exports, line);
  }

  /** As a shell reads back: everything within single quotes is itself. */
  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }
}
