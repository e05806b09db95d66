// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import io.tombolo.base.OpenFiles;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.runtime.environment.JobEnvironment;
import io.tombolo.runtime.environment.WarmUpTime;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the main method of every rank's program does around its own work: reads the environment,
 * sees that the process does not outlive its job, and says in one line what went wrong.
 */
public final class RankProgram {
  private static final Logger LOG = LoggerFactory.getLogger(RankProgram.class);
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private RankProgram() {}

  /** A rank's own work. */
  @FunctionalInterface
  public interface Body {
    /** Runs in the job that {@code environment} describes. */
    void run(JobEnvironment environment);
  }

  /** As the other, with the usual grace. */
  public static void runAndExit(Body body) {
    runAndExit(JobSpec.DEFAULT_GRACE, body);
  }

  /**
   * Runs {@code body}, then ends the process; never returns.
   *
   * @param grace how long {@code body} may go on after the job has failed
   */
  public static void runAndExit(Duration grace, Body body) {
    Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
    System.setOut(utf8(FileDescriptor.out));
    System.setErr(utf8(FileDescriptor.err));
    RankFiles.checkOrExit();
    try {
      guarded(grace, body);
    } catch (TomboloException e) {
      LOG.debug("this rank failed", e);
      fail(OpenFiles.explained(e), e instanceof UsageException ? USAGE : FAILED);
    } catch (RuntimeException | LinkageError e) {
      if (!OpenFiles.ranOut(e)) {
        throw e;
      }
      fail(OpenFiles.noneLeft("this rank cannot go on (" + e + ")").getMessage(), FAILED);
    }
    System.exit(0);
  }

  private static void fail(String why, int code) {
    System.err.println(why);
    halt(code);
  }

  /** Without the libraries' own ends: what failed may still be running in one of them. */
  private static void halt(int code) {
    System.out.flush();
    System.err.flush();
    Runtime.getRuntime().halt(code);
  }

  private static void guarded(Duration grace, Body body) {
    try (JoinedJob job = JoinedJob.join(WarmUpTime.usual(System.getenv()))) {
      RankGuard guard =
          RankGuard.start(job.environment(), grace, text -> LOG.debug("the job failed: {}", text));
      try {
        body.run(job.environment());
      } finally {
        guard.close();
      }
    }
  }

  private static PrintStream utf8(FileDescriptor descriptor) {
    return new PrintStream(new FileOutputStream(descriptor), true, StandardCharsets.UTF_8);
  }
}
