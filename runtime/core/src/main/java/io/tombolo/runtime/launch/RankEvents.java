// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

/**
 * Told what the ranks of a job do. Calls come one at a time, from threads of the launcher; they
 * should return soon, since a rank waits while its output is not read.
 */
public interface RankEvents {
  /** What begins a line of a rank's standard output that is an event and not text for people. */
  String LINE_PREFIX = "@tombolo ";

  /** A rank's process has started; {@code pid} is that of the one on this host. */
  default void onStart(int rank, String vendor, long pid) {}

  /** A rank said {@code json} to its launcher, on a line of its own after {@link #LINE_PREFIX}. */
  void onEvent(int rank, String json);

  /** A rank wrote any other line to its standard output or error. */
  void onOutput(int rank, String line);

  /** Ranks have been joining for a while; {@code text} says which, and who has not come yet. */
  default void onWaiting(String text) {}

  /** A rank's process has ended; nothing more comes from it. */
  default void onEnd(int rank, ExitStatus status) {}

  /** The line that says {@code json}, itself one line, to the launcher. */
  static String line(String json) {
    return LINE_PREFIX + json;
  }
}
