// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli;

import java.util.List;

/**
 * How much the program says about itself: a fact that must be known before the first class makes a
 * logger.
 */
final class Verbosity {
  /** The option that turns logging and stack traces on. */
  static final String OPTION = "--verbose";

  private static final String LOG_LEVEL = "tombolo.log";

  private Verbosity() {}

  /** Sets the level that {@code logback.xml} reads. */
  static void apply(List<String> arguments) {
    if (arguments.contains(OPTION)) {
      System.setProperty(LOG_LEVEL, "DEBUG");
    }
  }

  /** Whether {@link #apply} found the option. */
  static boolean isVerbose() {
    return System.getProperty(LOG_LEVEL) != null;
  }
}
