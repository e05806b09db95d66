// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.DeadlineExceededException;
import io.tombolo.runtime.HeldCall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.testng.annotations.Test;

public final class JoinedJobTest {
  @Test(timeOut = 60_000)
  public void shouldWaitForRankZeroAsLongAsTheTimeoutOptionSays() throws IOException {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      JobOptions options = new JobOptions("emu-nvidia:2", null, "auto", 0.25, 0, Optional.empty());
      Joining joining =
          new Joining(options, Optional.empty(), Set.of("--clusters", "--timeout")::contains);
      Map<String, String> variables = joining.variables(ofTwo(1, folder));
      DeadlineExceededException error =
          expectThrows(DeadlineExceededException.class, () -> JoinedJob.join(variables));
      assertTrue(error.getMessage().contains("rank 1: after 250 ms"), error.getMessage());
    } finally {
      Files.delete(folder);
    }
  }

  /** It waited for the rank while it met the others; there is nobody to keep the store for. */
  @Test(timeOut = 60_000)
  public void shouldNotWaitAgainForARankThatNeverCame() throws Exception {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      Map<String, String> variables = ofTwo(0, folder);
      variables.put("TOMBOLO_TIMEOUT_MS", "60000"); // longer than this test may take
      AtomicLong nowNs = new AtomicLong();
      JoinedJob job = JoinedJob.join(variables, ticker(nowNs));
      nowNs.set(Duration.ofMinutes(1).toNanos());
      job.close();
    } finally {
      Files.delete(folder);
    }
  }

  /** It may use the store yet, if only to say that it leaves. */
  @Test(timeOut = 60_000)
  public void shouldKeepTheStoreForARankThatComesLate() throws Exception {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      JoinedJob first = JoinedJob.join(ofTwo(0, folder));
      HeldCall<Void> closing =
          HeldCall.start(() -> closed(first)).awaitIn(JoinedJob.class, "awaitQuietly");
      JoinedJob second = JoinedJob.join(ofTwo(1, folder));
      assertFalse(closing.isDone());
      second.environment().openStore().close();
      second.close();
      closing.get();
    } finally {
      Files.delete(folder);
    }
  }

  /** It is not waited for as one that is about to come. */
  @Test(timeOut = 60_000)
  public void shouldLeaveSoonWhenRankZeroHasGone() throws Exception {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      Map<String, String> hurried = ofTwo(0, folder);
      hurried.put("TOMBOLO_TIMEOUT_MS", "250");
      JoinedJob first = JoinedJob.join(hurried);
      Map<String, String> patient = ofTwo(1, folder);
      patient.put("TOMBOLO_TIMEOUT_MS", "120000"); // longer than this test may take
      JoinedJob second = JoinedJob.join(patient);
      first.close();
      second.close();
    } finally {
      Files.delete(folder);
    }
  }

  /** Rank 0 would wait for its word for ten seconds. */
  @Test(timeOut = 60_000)
  public void shouldSayGoodbyeOnAnInterruptedThreadToo() throws Exception {
    Path folder = Files.createTempDirectory("joined-job");
    try {
      JoinedJob first = JoinedJob.join(ofTwo(0, folder));
      JoinedJob second = JoinedJob.join(ofTwo(1, folder));
      Thread.currentThread().interrupt();
      second.close();
      assertTrue(Thread.interrupted(), "the interrupt");
      Deadline elapsed = Deadline.after(Duration.ofMinutes(1));
      first.close();
      assertTrue(elapsed.elapsedNs() < Duration.ofSeconds(5).toNanos(), elapsed.toString());
    } finally {
      Files.delete(folder);
    }
  }

  private static Void closed(JoinedJob job) {
    job.close();
    return null;
  }

  private static Ticker ticker(AtomicLong nowNs) {
    return new Ticker() {
      @Override
      public long read() {
        return nowNs.get();
      }
    };
  }

  /** As Open MPI's mpirun starts it, with ranks that meet through a file in {@code folder}. */
  private static Map<String, String> ofTwo(int rank, Path folder) {
    Map<String, String> variables = new HashMap<>();
    variables.put("OMPI_COMM_WORLD_RANK", Integer.toString(rank));
    variables.put("OMPI_COMM_WORLD_SIZE", "2");
    variables.put("OMPI_COMM_WORLD_LOCAL_RANK", Integer.toString(rank));
    variables.put("OMPI_COMM_WORLD_LOCAL_SIZE", "2");
    variables.put("PMIX_NAMESPACE", "joined-job-test");
    variables.put("XDG_RUNTIME_DIR", folder.toString());
    variables.put("TOMBOLO_VENDOR", "emu-nvidia");
    return variables;
  }
}
