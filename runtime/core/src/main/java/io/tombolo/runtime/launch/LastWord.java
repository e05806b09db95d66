// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

/**
 * The last thing that a process said of why it ended. A Java program ends on an exception with the
 * frames of its stack below the line that tells, so frames are passed over. Thread-safe.
 */
final class LastWord {
  private volatile String line = "";

  /** Takes the next line that the process wrote. */
  void hear(String next) {
    if (!next.isBlank() && !isFrame(next)) {
      line = next.strip();
    }
  }

  /** Nothing has been said. */
  void forget() {
    line = "";
  }

  /** To be put behind what is known of the end: a colon and the line, or nothing. */
  String afterColon() {
    return line.isEmpty() ? "" : ": " + line;
  }

  /** As {@link Throwable#printStackTrace()} prints them. */
  private static boolean isFrame(String line) {
    return line.startsWith("\tat ") || line.startsWith("\t... ");
  }
}
