// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.collect.ImmutableSortedMap;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.UnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Real processes, started, failing, and killed. */
public final class JobLauncherTest {

  @Test(timeOut = 60_000)
  public void shouldHandOnEventsAndOutputWhenAllEndWell() {
    Listener events = new Listener();
    JobSpec job = job("end well").withSettings(ImmutableSortedMap.of("segment_bytes", "4096"));
    JobResult result = JobLauncher.run(job, events);
    assertEquals(result.failure().toString() + events.output, "Optional.empty" + events.output);
    assertTrue(result.isSuccess());
    assertEquals(events.said.get(0), List.of("all here: a 4096"));
    assertEquals(events.said.get(1), List.of("all here: b 4096"));
    assertEquals(events.output.stream().filter("a line for people"::equals).count(), 2);
  }

  @DataProvider
  public Object[][] lastWords() {
    return new Object[][] {
      {"rank 0 fails", "no such device"},
      {"rank 0 throws", "java.lang.IllegalStateException: no such device"},
    };
  }

  @Test(timeOut = 60_000, dataProvider = "lastWords")
  public void shouldNameTheRankAndItsLastWordWhenItFails(String part, String lastWord) {
    Listener events = new Listener();
    JobResult result = JobLauncher.run(job(part), events);
    String failure =
        "rank 0 (a, pid %s) ended with exit code 3: %s".formatted(events.pids.get(0), lastWord);
    assertEquals(result.failure().orElseThrow(), failure);
    assertEquals(result.statuses().get(0), new ExitStatus(3));
    assertEquals(result.statuses().get(1), new ExitStatus(RankGuard.STUCK));
    assertEquals(events.said.get(1).get(1), "heard: " + failure);
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 60_000)
  public void shouldKillTheOthersAfterTheGracePeriodWhenARankReports() {
    Listener events = new Listener();
    JobSpec job =
        JobSpec.of(ClusterSpec.parse("a:1,b:1"), RankMain.class, "rank 0 reports", "60000")
            .withJvmFlags(FLAGS)
            .withTimes(Duration.ofSeconds(60), Duration.ofMillis(300));
    JobResult result = JobLauncher.run(job, events);
    assertEquals(result.failure().orElseThrow(), "rank 0: counts differ");
    assertEquals(result.statuses().get(1), new ExitStatus(128 + 9));
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 60_000)
  public void shouldSayWhichSignalWhenARankIsKilled() {
    Listener events =
        new Listener() {
          @Override
          public void onEvent(int rank, String json) {
            super.onEvent(rank, json);
            if (rank == 0 && json.startsWith("all here")) {
              ProcessHandle.of(pids.get(0)).orElseThrow().destroyForcibly();
            }
          }
        };
    JobResult result = JobLauncher.run(job("linger"), events);
    assertEquals(
        result.failure().orElseThrow(),
        "rank 0 (a, pid " + events.pids.get(0) + ") was killed by signal 9 (SIGKILL)");
    assertFalse(result.isSuccess());
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 60_000)
  public void shouldEndTheJobWhenAllRanksAreStopped() {
    Listener events =
        new Listener() {
          @Override
          public void onEvent(int rank, String json) {
            super.onEvent(rank, json);
            signal("STOP", pids.get(rank));
          }
        };
    JobSpec job =
        JobSpec.of(ClusterSpec.parse("a:1,b:1"), RankMain.class, "linger", "60000")
            .withJvmFlags(FLAGS)
            .withSettings(ImmutableSortedMap.of("liveness_ms", "4000"))
            .withTimes(Duration.ofMinutes(5), Duration.ofSeconds(1));
    try {
      JobResult result = JobLauncher.run(job, events);
      String failure = result.failure().orElseThrow();
      assertTrue(failure.endsWith("nobody can go on: rank 0, rank 1"), failure);
      assertEquals(result.statuses().get(1), new ExitStatus(128 + 9));
    } finally {
      events.pids.values().forEach(pid -> signal("KILL", pid));
    }
    assertNobodyLeft(events.pids.values());
  }

  private static void signal(String signal, long pid) {
    try {
      new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("cannot send SIG" + signal, e);
    }
  }

  @Test
  public void shouldTakeOnlyALastingStandStillForOne() {
    StandStill standStill = new StandStill();
    assertEquals(standStill.look(Map.of(0, true, 1, true)), Set.of());
    assertEquals(standStill.look(Map.of(0, true, 1, false)), Set.of(), "one goes on");
    assertEquals(standStill.look(Map.of(0, true, 1, true)), Set.of(), "the first look again");
    assertEquals(standStill.look(Map.of(1, true)), Set.of(1), "rank 0 has ended");
    assertEquals(standStill.look(Map.of()), Set.of());
  }

  @Test(timeOut = 60_000)
  public void shouldNameTheKilledRankFirstWhenAPeerWasQuickerToReport() {
    Listener events =
        new Listener() {
          @Override
          public void onEvent(int rank, String json) {
            if (rank == 0 && json.startsWith("heard")) {
              ProcessHandle.of(pids.get(0)).orElseThrow().destroyForcibly();
            }
          }
        };
    JobSpec job =
        JobSpec.of(ClusterSpec.parse("a:1,b:1"), RankMain.class, "rank 1 reports", "60000")
            .withJvmFlags(FLAGS)
            .withTimes(Duration.ofSeconds(60), Duration.ofSeconds(1));
    assertEquals(
        JobLauncher.run(job, events).failure().orElseThrow(),
        "rank 0 (a, pid "
            + events.pids.get(0)
            + ") was killed by signal 9 (SIGKILL); reported before: rank 1: rank 0 is gone");
  }

  @Test(timeOut = 60_000)
  public void shouldTakeTheRanksAlongWhenTheLauncherIsKilled() throws Exception {
    Process launcher = launcher("linger");
    List<Long> pids = pidsOnceAllAreHere(launcher);
    launcher.destroyForcibly().waitFor();
    assertNobodyLeft(pids);
  }

  @Test(timeOut = 60_000)
  public void shouldTakeTheRanksAlongWhenTheLauncherIsAskedToEnd() throws Exception {
    Process launcher = launcher("linger");
    List<Long> pids = pidsOnceAllAreHere(launcher);
    launcher.destroy();
    launcher.waitFor();
    assertNobodyLeft(pids);
  }

  @Test(timeOut = 60_000)
  public void shouldKillTheRanksWhenTheCallerIsInterrupted() {
    Thread caller = Thread.currentThread();
    Listener events =
        new Listener() {
          @Override
          public void onEvent(int rank, String json) {
            caller.interrupt();
          }
        };
    assertThrows(AbortedException.class, () -> JobLauncher.run(job("linger"), events));
    assertTrue(Thread.interrupted());
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 60_000)
  public void shouldEndTheJobWhenAListenerThrows() {
    Listener events =
        new Listener() {
          @Override
          public void onEvent(int rank, String json) {
            throw new IllegalStateException("a listener's own fault");
          }
        };
    assertThrows(IllegalStateException.class, () -> JobLauncher.run(job("linger"), events));
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 60_000)
  public void shouldNameThePortWhenItIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      UnavailableException e =
          expectThrows(
              UnavailableException.class,
              () -> JobLauncher.run(job("x").withStorePort(taken.getLocalPort()), new Listener()));
      assertTrue(e.getMessage().contains("127.0.0.1:" + taken.getLocalPort()), e.getMessage());
      assertTrue(e.getMessage().contains("choose another port"), e.getMessage());
    }
  }

  private static final String[] FLAGS = {
    "-XX:TieredStopAtLevel=1", "-Xmx32m", "-XX:+UseSerialGC", "-Xshare:auto"
  };

  private static JobSpec job(String part) {
    return JobSpec.of(ClusterSpec.parse("a:1,b:1"), RankMain.class, part, "300")
        .withJvmFlags(FLAGS)
        .withTimes(Duration.ofSeconds(60), Duration.ofSeconds(5));
  }

  private static Process launcher(String part) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            LauncherMain.class.getName(),
            part)
        .redirectErrorStream(true)
        .start();
  }

  private static List<Long> pidsOnceAllAreHere(Process launcher) throws IOException {
    List<Long> pids = new ArrayList<>();
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(launcher.getInputStream(), StandardCharsets.UTF_8));
    int here = 0;
    while (here < 2) {
      String line = lines.readLine();
      here += line.startsWith("event all here") ? 1 : 0;
      if (line.startsWith("pid ")) {
        pids.add(Long.parseLong(line.substring("pid ".length())));
      }
    }
    assertEquals(pids.size(), 2);
    pids.forEach(pid -> assertTrue(ProcessHandle.of(pid).orElseThrow().isAlive()));
    return pids;
  }

  private static void assertNobodyLeft(Iterable<Long> pids) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(30));
    for (long pid : pids) {
      while (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
        assertFalse(deadline.isExpired(), "process " + pid + " is still there");
        LockSupport.parkNanos(10_000_000);
      }
      Path perfData = Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"), "" + pid);
      assertFalse(Files.exists(perfData), "left behind: " + perfData);
    }
  }

  /** Writes down what it is told. */
  private static class Listener implements RankEvents {
    final Map<Integer, Long> pids = new ConcurrentHashMap<>();
    final Map<Integer, List<String>> said = new ConcurrentHashMap<>();
    final List<String> output = new CopyOnWriteArrayList<>();

    @Override
    public void onStart(int rank, String vendor, long pid) {
      pids.put(rank, pid);
    }

    @Override
    public void onEvent(int rank, String json) {
      said.computeIfAbsent(rank, r -> new CopyOnWriteArrayList<>()).add(json);
    }

    @Override
    public void onOutput(int rank, String line) {
      output.add(line);
    }
  }
}
