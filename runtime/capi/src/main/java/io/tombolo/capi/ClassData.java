// SPDX-License-Identifier: Apache-2.0
package io.tombolo.capi;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has an archive made of the classes that a rank loads, with which the JVM of the next process
 * starts in 0.6 of the time. {@code class_data.c} says where it is looked for, and whether it is
 * wanted.
 *
 * <p>A process of its own makes it in the background, with the least priority: about 2 s on one
 * core, 160 MB. It outlives this one. Nothing depends on it. Thread-safe.
 */
final class ClassData {
  /** Where the archive is wanted; not set where there is one already, or there can be none. */
  static final String PROPERTY = "tombolo.class-data";

  private static final Logger LOG = LoggerFactory.getLogger(ClassData.class);

  /** Who has not made it by then has failed, or was killed. */
  private static final Duration ONE_TRY = Duration.ofHours(1);

  /**
   * Its first argument is the archive's path; the others are the command that makes it under
   * another name. A JVM that cannot make one may end well and leave an empty file, which would cost
   * later ones the JDK's own archive, too. Of old ones it keeps so many that the folder stays below
   * 150 MB.
   */
  private static final String SCRIPT =
      """
      trap '' HUP INT
      to=$1 && shift
      cd "${to%/*}" && nice -n 19 "$@" && [ -s "$to.making" ] && mv "$to.making" "$to" &&
        ls -t | grep '[.]jsa$' | tail -n +9 | xargs rm -f
      """;

  private static final String LOGGING = "logback.configurationFile";
  private static final Set<String> VARIABLES = Set.of("PATH", "HOME", "LD_LIBRARY_PATH", "TMPDIR");

  private final String path;
  private final String javaHome;
  private final AtomicBoolean tried = new AtomicBoolean();

  /** Wanted at {@code path} for the JVM in {@code javaHome}; empty: nowhere. */
  ClassData(String path, String javaHome) {
    this.path = path;
    this.javaHome = javaHome;
  }

  /** Begins to make it if it is wanted and nobody is at it. */
  void makeForOthers() {
    if (path.isEmpty() || tried.getAndSet(true)) {
      return;
    }
    try {
      Path making = Path.of(path + ".making");
      if (isOurs(making)) {
        start(making);
      }
    } catch (IOException e) {
      LOG.debug("no class data can be kept in {}", path, e);
    }
  }

  /** Of all processes that want it, one makes the file. */
  private static boolean isOurs(Path making) throws IOException {
    Files.createDirectories(
        making.getParent(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    try {
      Files.createFile(making);
      return true;
    } catch (FileAlreadyExistsException e) {
      Instant begun = Files.getLastModifiedTime(making).toInstant();
      if (begun.plus(ONE_TRY).isBefore(Instant.now())) {
        Files.deleteIfExists(making); // for the next process to try
      }
      return false;
    }
  }

  /** Begins to make it as {@code making}. */
  Process start(Path making) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                "sh",
                "-c",
                SCRIPT,
                "sh",
                path,
                javaHome + "/bin/java",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-XX:ArchiveClassesAtExit=" + making,
                "-D" + LOGGING + "=" + System.getProperty(LOGGING, ""),
                "-cp",
                System.getProperty("java.class.path"),
                SampleJob.class.getName()));
    builder.environment().keySet().retainAll(VARIABLES);
    return builder
        .redirectInput(Redirect.from(new File("/dev/null")))
        .redirectOutput(Redirect.DISCARD)
        .redirectError(Redirect.DISCARD)
        .start();
  }
}
