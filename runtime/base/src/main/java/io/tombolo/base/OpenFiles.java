// SPDX-License-Identifier: Apache-2.0
package io.tombolo.base;

import io.tombolo.base.errors.ResourceException;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How many files this process may have open, sockets and pipes among them ({@code RLIMIT_NOFILE}),
 * and what to say when there are no more.
 *
 * <p>The limit is read when this class is first used: when no file can be opened, it cannot be read
 * either. So programs {@linkplain #limit ask for it} before they begin.
 */
public final class OpenFiles {
  /** errno of a process that has no more descriptors. */
  public static final int EMFILE = 24;

  private static final Pattern LIMIT_LINE = Pattern.compile("(?m)^Max open files\\s+(\\d+)\\s");
  private static final String AS_LIBC_SAYS = "Too many open files";
  private static final String AS_THE_JDK_SAYS = "error=" + EMFILE + ",";
  private static final String AS_WE_SAY = "files and sockets open, which are too few";

  /** The three standard streams, and Java's own classes. */
  private static final int STREAMS_AND_JAVA = 4;

  private static final OptionalLong LIMIT = readLimit();

  private OpenFiles() {}

  /** How many may be open; empty if that is not known. */
  public static OptionalLong limit() {
    return LIMIT;
  }

  /** How many are open now; empty if that is not known. */
  public static OptionalLong count() {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return OptionalLong.of(all.count() - 1); // the list itself is open, too
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /**
   * Refuses to begin what would end in the middle, at a place that can only be guessed.
   *
   * @param who what is to begin, in few words: {@code a rank}
   * @param more about how many it has open at once, beside the program's own
   * @throws ResourceException if the limit is known and lower
   */
  public static void require(String who, long more) {
    long needed = Math.max(count().orElse(0), programs()) + more;
    if (LIMIT.isPresent() && LIMIT.getAsLong() < needed) {
      throw noneLeft(who + " has about " + needed + " files and sockets open");
    }
  }

  /** Java keeps every jar open, once it has looked for a class there. */
  private static long programs() {
    long jars =
        Stream.of("java.class.path", "jdk.module.path")
            .map(path -> System.getProperty(path, ""))
            .flatMap(path -> Stream.of(path.split(File.pathSeparator, -1)))
            .filter(entry -> entry.endsWith(".jar"))
            .count();
    return STREAMS_AND_JAVA + jars;
  }

  /**
   * Whether fewer than {@code needed} more files may be opened, as far as that is known: for those
   * whose library opens several, and says of its failure only that there was one.
   */
  public static boolean areFewerLeftThan(long needed) {
    OptionalLong open = count();
    if (open.isEmpty()) {
      return cannotList();
    }
    return LIMIT.isPresent() && LIMIT.getAsLong() - open.getAsLong() < needed;
  }

  /** Whether {@code error}, or what it came from, is that no more files could be opened. */
  public static boolean ranOut(Throwable error) {
    boolean isFilesOwn = false;
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (says(cause.getMessage())) {
        return true;
      }
      isFilesOwn |= cause instanceof IOException || cause instanceof LinkageError;
    }
    // In other languages libc uses other words, and who loads a class is not told why there is
    // none.
    return isFilesOwn && isNoneLeft();
  }

  /**
   * Whether {@code message}, of libc, the JDK or this class, says that no more files could be
   * opened.
   */
  public static boolean says(String message) {
    return message != null
        && Stream.of(AS_LIBC_SAYS, AS_THE_JDK_SAYS, AS_WE_SAY).anyMatch(message::contains);
  }

  /**
   * The error of somebody who could not open a file.
   *
   * @param what what was to be opened, as a sentence about this process: {@code cannot listen on a
   *     Unix socket}
   */
  public static ResourceException noneLeft(String what) {
    return new ResourceException(what + ": " + help());
  }

  /** As the other, with the failure behind it. */
  public static ResourceException noneLeft(String what, Throwable cause) {
    return new ResourceException(what + ": " + help(), cause);
  }

  /**
   * What {@code error} says, and what helps, if somebody else's words in it are that no more files
   * could be opened.
   */
  public static String explained(Throwable error) {
    String message = String.valueOf(error.getMessage());
    return says(message) && !message.contains(AS_WE_SAY) ? message + "; " + help() : message;
  }

  /** How many files may be open, and what helps if these are too few. */
  public static String help() {
    return "this process may have "
        + (LIMIT.isPresent() ? Long.toString(LIMIT.getAsLong()) : "no more")
        + " "
        + AS_WE_SAY
        + "; where the job is started, allow more (ulimit"
        + " -n 4096)";
  }

  /** Whether too few are left to list a folder, for which the JDK opens it twice. */
  private static boolean cannotList() {
    try (FileInputStream one = new FileInputStream("/dev/null");
        FileInputStream other = new FileInputStream("/dev/null")) {
      return one.getFD() == other.getFD();
    } catch (IOException e) {
      return true;
    }
  }

  private static boolean isNoneLeft() {
    try (FileInputStream probe = new FileInputStream("/dev/null")) {
      return probe.getFD() == null;
    } catch (IOException e) {
      return true;
    }
  }

  private static OptionalLong readLimit() {
    try {
      Matcher line = LIMIT_LINE.matcher(Files.readString(Path.of("/proc/self/limits")));
      return line.find() ? OptionalLong.of(Long.parseLong(line.group(1))) : OptionalLong.empty();
    } catch (IOException | NumberFormatException e) {
      return OptionalLong.empty();
    }
  }
}
