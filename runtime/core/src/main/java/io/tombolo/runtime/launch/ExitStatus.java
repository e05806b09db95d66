// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import com.google.common.collect.ImmutableMap;

/**
 * How a process ended.
 *
 * @param code its exit code; 128 + n if signal n ended it, as {@link Process#exitValue} has it on
 *     Linux
 */
public record ExitStatus(int code) {
  private static final int SIGNAL_BASE = 128;
  private static final int LAST_SIGNAL = 64;

  /** Signals that end processes, by number on Linux (man 7 signal). */
  private static final ImmutableMap<Integer, String> SIGNALS =
      ImmutableMap.<Integer, String>builder()
          .put(1, "SIGHUP")
          .put(2, "SIGINT")
          .put(3, "SIGQUIT")
          .put(4, "SIGILL")
          .put(6, "SIGABRT")
          .put(7, "SIGBUS")
          .put(8, "SIGFPE")
          .put(9, "SIGKILL")
          .put(11, "SIGSEGV")
          .put(13, "SIGPIPE")
          .put(15, "SIGTERM")
          .buildOrThrow();

  /** Whether all went well. */
  public boolean isSuccess() {
    return code == 0;
  }

  /** Whether a signal ended it. */
  public boolean isSignal() {
    return code > SIGNAL_BASE && code <= SIGNAL_BASE + LAST_SIGNAL;
  }

  /** For people: {@code was killed by signal 9 (SIGKILL)}, {@code ended with exit code 1}. */
  @Override
  public String toString() {
    if (!isSignal()) {
      return "ended with exit code " + code;
    }
    int signal = code - SIGNAL_BASE;
    String name = SIGNALS.get(signal);
    return "was killed by signal " + signal + (name == null ? "" : " (" + name + ")");
  }
}
