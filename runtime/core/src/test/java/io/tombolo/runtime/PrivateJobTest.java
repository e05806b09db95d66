// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public final class PrivateJobTest {
  private static final int TURNS = 50;
  private static final long LOOK_NS = 10_000_000;

  @DataProvider
  public Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test(dataProvider = "ways")
  public void shouldMakeCallsAndLeaveNoThreadBehind(boolean staged) {
    Set<Thread> before = ours();
    try (PrivateJob job = new PrivateJob(staged)) {
      for (int turn = 0; turn < TURNS; turn++) {
        job.call();
      }
      assertFalse(before.containsAll(ours()));
    }
    awaitEnds(before);
  }

  @Test(dataProvider = "ways")
  public void shouldTakeEachWayOfACallOnceInACycle(boolean staged) {
    try (PrivateJob job = new PrivateJob(staged)) {
      for (int turn = 0; turn < PrivateJob.CYCLE; turn++) {
        job.call();
      }
      PrivateJob.Moved moved = job.moved();
      assertTrue(moved.handed() > 0, "a library of one vendor: " + moved);
      if (staged) {
        assertTrue(moved.messages() > 0, "messages: " + moved);
        assertTrue(moved.staged() > PrivateRank.LONG_BYTES, "a long vector: " + moved);
      } else {
        assertTrue(moved.handed() > 2 * PrivateRank.LONG_BYTES, "a library for all: " + moved);
      }
    }
  }

  @Test
  public void shouldLeaveNothingBehindIfItIsClosedBeforeItsFirstCall() throws IOException {
    new PrivateJob(false).close(); // opens what stays open in a process
    Set<Thread> before = ours();
    long files = files();
    new PrivateJob(false).close();
    awaitEnds(before);
    assertTrue(files() <= files + 2, "files were opened, and stay so"); // the test's own may vary
  }

  /** Those that there are besides the threads of {@code before} end soon. */
  private static void awaitEnds(Set<Thread> before) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(60));
    while (!before.containsAll(ours())) {
      assertTrue(!deadline.isExpired(), "threads are left behind: " + ours());
      LockSupport.parkNanos(LOOK_NS);
    }
  }

  private static Set<Thread> ours() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("tombolo-"))
        .collect(Collectors.toSet());
  }

  private static long files() throws IOException {
    try (var entries = Files.list(Path.of("/proc/self/fd"))) {
      return entries.count();
    }
  }
}
