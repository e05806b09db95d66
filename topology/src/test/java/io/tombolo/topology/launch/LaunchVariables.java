// SPDX-License-Identifier: Apache-2.0
package io.tombolo.topology.launch;

import io.tombolo.topology.Recorded;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What launchers set, as tests write it, and what is read from it, as they compare it. */
final class LaunchVariables {
  private LaunchVariables() {}

  /** Those of a process, as recorded under {@code name}. */
  static Map<String, String> recorded(String name) {
    return variables(Recorded.text("launch/" + name + ".env").lines().toArray(String[]::new));
  }

  /** Those of {@code lines}, such as {@code RANK=1}; others than those are left out. */
  static Map<String, String> variables(String... lines) {
    Map<String, String> variables = new HashMap<>();
    for (String line : lines) {
      int equals = line.indexOf('=');
      if (equals > 0 && !line.startsWith("#")) {
        variables.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    return variables;
  }

  /** In words; {@code -} is nothing. */
  static String said(Optional<?> value) {
    return value.map(Object::toString).orElse("-");
  }
}
