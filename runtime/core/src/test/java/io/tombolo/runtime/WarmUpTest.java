// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableSortedMap;
import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.tombolo.adaptors.Stream;
import io.tombolo.runtime.equipment.Warmth;
import io.tombolo.runtime.launch.ClusterSpec;
import io.tombolo.runtime.launch.ExitStatus;
import io.tombolo.runtime.launch.JobResult;
import io.tombolo.runtime.launch.JobSpec;
import io.tombolo.runtime.work.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Calls for practice, which nobody sees but in the time that joining took. */
@Test(singleThreaded = true) // the process is cold or warm
public class WarmUpTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private String before;

  @BeforeMethod
  public void coolDown() {
    before = System.clearProperty(Warmth.PROPERTY);
  }

  @AfterMethod
  public void goBack() {
    if (before != null) {
      System.setProperty(Warmth.PROPERTY, before);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldMakeAsManyCallsOnAllRanksOnceInAProcess() {
    try (ThreadRanks ranks = new ThreadRanks(List.of(warmUp(40), warmUp(40), warmUp(5)), LIMIT)) {
      JoinTimes first = ranks.all().get(0).joinTimes();
      assertTrue(first.warmUpCalls() > 0, first.toString());
      for (Communicator each : ranks.all()) {
        assertEquals(each.joinTimes().warmUpCalls(), first.warmUpCalls());
        assertTrue(each.joinTimes().meetingNs() > 0, each.joinTimes().toString());
        assertTrue(each.joinTimes().warmingUpNs() > 0, each.joinTimes().toString());
      }
      ThreadRanks.assertUsable(ThreadRanks.split(ranks.all()));
    }
    try (ThreadRanks again = new ThreadRanks(List.of(warmUp(40), warmUp(40)), LIMIT)) {
      again.all().forEach(each -> assertEquals(each.joinTimes().warmUpCalls(), 0));
    }
  }

  @Test(timeOut = 120_000)
  public void shouldLeaveNumbersCountersAndRecordsAtTheirBeginning() throws IOException {
    Path folder = Files.createTempDirectory("warm-up");
    ImmutableSortedMap<String, String> settings =
        ImmutableSortedMap.of("warm_up_ms", "20", "recorder", folder.toString());
    try (ThreadRanks ranks = new ThreadRanks(List.of(settings, settings), LIMIT)) {
      assertTrue(ranks.all().get(0).joinTimes().warmUpCalls() > 0);
      for (Communicator each : ranks.all()) {
        assertEquals(each.activity().operations(), 0);
        assertEquals(each.activity().votes(), 0);
        assertEquals(each.activity().messages(), 0);
        assertEquals(each.traffic().intraBytes(), 0);
        assertEquals(each.traffic().crossBytes(), 0);
        assertEquals(each.session().groups().size(), 1);
      }
      try (var files = Files.list(folder)) {
        assertEquals(files.count(), 2, "one for each rank, of the communicator of all");
      }
      List<Long> numbers = ThreadRanks.onAll(ranks.all(), WarmUpTest::barrier);
      assertEquals(numbers, List.of(1L, 1L));
      List<Communicator> parts = ThreadRanks.split(ranks.all());
      ThreadRanks.assertUsable(parts);
      ThreadRanks.closeAll(parts);
    } finally {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  private static long barrier(Communicator communicator) {
    try (Stream stream = communicator.device().newStream()) {
      Work work = communicator.barrier(stream);
      work.await(LIMIT);
      return work.sequence();
    }
  }

  @Test(timeOut = 120_000)
  public void shouldMakeNoneWhereOneRankIsAgainstIt() {
    try (ThreadRanks ranks = new ThreadRanks(List.of(warmUp(40), warmUp(0), warmUp(40)), LIMIT)) {
      ranks.all().forEach(each -> assertEquals(each.joinTimes().warmUpCalls(), 0));
      ThreadRanks.assertUsable(ranks.all());
    }
    assertFalse(System.getProperties().containsKey(Warmth.PROPERTY));
  }

  /** By channels on devices, by the host library, and by the library of the one vendor. */
  @DataProvider
  public Object[][] clusters() {
    return new Object[][] {{"emu-nvidia:1,emu-amd:2"}, {"emu-kunlunxin:1,host:1"}, {"emu-intel:2"}};
  }

  @Test(timeOut = 120_000, dataProvider = "clusters")
  public void shouldWarmUpOnTheDevicesOfAllVendors(String clusters) {
    JobSpec job = TestJobs.of(ClusterSpec.parse(clusters), LIMIT, "warm", 0);
    JobResult result = TestJobs.run(TestJobs.warmingUp(job, 20), true);
    assertTrue(result.isSuccess(), result.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldNameWhoDiesMeanwhile() {
    JobSpec job =
        TestJobs.of(ClusterSpec.parse("host:1,emu-amd:2"), LIMIT, "die in the warm-up", 1)
            .withTimes(LIMIT, LIMIT);
    long from = System.nanoTime();
    JobResult result = TestJobs.run(TestJobs.warmingUp(job, 10_000), false);
    Duration took = Duration.ofNanos(System.nanoTime() - from);
    assertTrue(took.compareTo(LIMIT) < 0, "this waited for a deadline: " + took);
    assertEquals(
        result.statuses().stream().map(ExitStatus::code).toList(),
        List.of(1, DeathInTheLibrary.EXIT_CODE, 1),
        result.toString());
    assertTrue(result.failure().orElseThrow().startsWith("rank 1 (emu-amd"), result.toString());
  }

  private static ImmutableSortedMap<String, String> warmUp(int ms) {
    return ImmutableSortedMap.of("warm_up_ms", Integer.toString(ms));
  }
}
