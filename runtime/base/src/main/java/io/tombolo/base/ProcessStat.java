// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import com.google.common.base.Splitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What the kernel says of a process in {@code /proc/<pid>/stat} (man 5 proc).
 *
 * @param state one letter: {@code R} runs, {@code S} sleeps, {@code T} is stopped, {@code Z} is
 *     dead and not yet waited for
 * @param threads how many threads it has; a dead one has none, or seems to have one
 * @param startTicks when it started, in clock ticks since the host did; with the pid it names a
 *     process for as long as the host is up
 */
public record ProcessStat(char state, int threads, long startTicks) {
  /** Counted behind the name, which may hold anything, and ends with the last parenthesis. */
  private static final int STATE = 0;

  private static final int THREADS = 17;
  private static final int START = 19;

  private static final Path ALL = Path.of("/proc");

  /** The first process, which is always there. */
  private static final long FIRST = 1;

  /**
   * The process {@code pid}; empty if there is none, or if it cannot be read of now, as when no
   * more files may be open.
   */
  public static Optional<ProcessStat> of(long pid) {
    try {
      return Optional.of(read(ALL, pid));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether the process {@code pid} is seen to have ended, if only its parent has not heard of it;
   * false if that cannot be told now, or not here: mounted with {@code hidepid}, {@code /proc}
   * shows no other users' processes, and so not the first one.
   *
   * @param startTicks when it started: one of that number that did so later is another; 0 if nobody
   *     knows
   */
  public static boolean hasEnded(long pid, long startTicks) {
    return hasEnded(ALL, pid, startTicks);
  }

  static boolean hasEnded(Path all, long pid, long startTicks) {
    try {
      ProcessStat seen = read(all, pid);
      return seen.isDead() || (startTicks != 0 && seen.startTicks() != startTicks);
    } catch (IOException e) {
      // To ask this takes no open file.
      return Files.notExists(folder(all, pid)) && Files.exists(folder(all, FIRST));
    }
  }

  private static ProcessStat read(Path all, long pid) throws IOException {
    return parse(Files.readString(folder(all, pid).resolve("stat")));
  }

  private static Path folder(Path all, long pid) {
    return all.resolve(Long.toString(pid));
  }

  static ProcessStat parse(String line) {
    List<String> fields =
        Splitter.on(' ').splitToList(line.substring(line.lastIndexOf(')') + 2).strip());
    return new ProcessStat(
        fields.get(STATE).charAt(0),
        Integer.parseInt(fields.get(THREADS)),
        Long.parseLong(fields.get(START)));
  }

  /**
   * Whether it has ended, and only its parent has yet to hear of it. One whose first thread has
   * ended looks the same, but for its others.
   */
  public boolean isDead() {
    return (state == 'Z' || state == 'X') && threads <= 1;
  }

  /**
   * Whether a signal has stopped it: it will do nothing until it is continued. One that a debugger
   * holds ({@code t}) does not count.
   */
  public boolean isStopped() {
    return state == 'T';
  }
}
