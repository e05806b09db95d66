// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.launch;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Splitter;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.testng.annotations.Test;

/**
 * Real processes, started by commands that lead to other hosts elsewhere; here they stay on this
 * one. {@code .ci/hosts/tests} has hosts.
 */
public final class PlacedRanksTest {
  /** The rank's shell is the process that the launcher sees. */
  private static final String STRAIGHT = "env TEST_HOST={host}";

  /** As with ssh, no signal to the process that the launcher sees reaches the rank's shell. */
  private static final String DETACHED = STRAIGHT + " setsid --fork --wait";

  private static final String[] FLAGS = {
    "-XX:TieredStopAtLevel=1", "-Xmx32m", "-XX:+UseSerialGC", "-Xshare:auto"
  };

  @Test(timeOut = 120_000)
  public void shouldPlaceRanksOnTheirHosts() {
    Listener events = new Listener((rank, pid) -> {});
    JobResult result = JobLauncher.run(job("say where", "h1:1,h2:2", STRAIGHT), events);
    assertEquals(result.failure(), Optional.empty());
    assertTrue(result.isSuccess());
    assertEquals(events.places, Map.of(0, "0/1 on h1", 1, "0/2 on h2", 2, "1/2 on h2"));
  }

  @Test(timeOut = 120_000)
  public void shouldNameTheHostWhenARankThereIsKilled() {
    Listener events =
        new Listener(
            (rank, pid) -> {
              if (rank == 1) {
                signal("KILL", pid);
              }
            });
    JobResult result = JobLauncher.run(job("say where, and linger", "h1:1,h2:2", DETACHED), events);
    assertEquals(
        result.failure().orElseThrow(), "rank 1 (b, on h2) was killed by signal 9 (SIGKILL)");
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 120_000)
  public void shouldPassOnWhatTheCommandSaysWhenItFails() {
    String command = "sh -c 'echo no route to $0 >&2; exit 255' {host}";
    JobResult result =
        JobLauncher.run(job("say where", "h1:3", command), new Listener((rank, pid) -> {}));
    assertTrue(
        result
            .failure()
            .orElseThrow()
            .matches("rank . \\(., on h1\\) ended with exit code 255: no route to h1"),
        result.failure().toString());
  }

  @Test(timeOut = 120_000)
  public void shouldEndStoppedRanksThereWhenTheCallerIsInterrupted() {
    Thread caller = Thread.currentThread();
    AtomicInteger stopped = new AtomicInteger();
    Listener events =
        new Listener(
            (rank, pid) -> {
              signal("STOP", pid);
              if (stopped.incrementAndGet() == 3) {
                caller.interrupt();
              }
            });
    assertThrows(
        AbortedException.class,
        () -> JobLauncher.run(job("say where, and linger", "h1:1,h2:2", DETACHED), events));
    assertTrue(Thread.interrupted());
    assertNobodyLeft(events.pids.values());
  }

  @Test(timeOut = 120_000)
  public void shouldEndStoppedRanksThereWhenTheLauncherIsKilled() throws Exception {
    Process launcher = launcher();
    List<Long> pids = new ArrayList<>();
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(launcher.getInputStream(), StandardCharsets.UTF_8));
    while (pids.size() < 2) {
      String line = lines.readLine();
      if (line.startsWith("event process: ")) {
        pids.add(Long.parseLong(Splitter.on(' ').splitToList(line).get(2)));
      }
    }
    pids.forEach(pid -> signal("STOP", pid));
    launcher.destroyForcibly().waitFor();
    assertNobodyLeft(pids);
  }

  private static Process launcher() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            LauncherMain.class.getName(),
            "say where, and linger",
            DETACHED)
        .redirectErrorStream(true)
        .start();
  }

  private static JobSpec job(String part, String hosts, String command) {
    return JobSpec.of(ClusterSpec.parse("a:1,b:2"), RankMain.class, part, "60000")
        .withJvmFlags(FLAGS)
        .withTimes(Duration.ofSeconds(90), Duration.ofMillis(300))
        .on(Placement.parse(hosts, command, Optional.of("127.0.0.1")));
  }

  private static void signal(String signal, long pid) {
    try {
      new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("cannot send SIG" + signal, e);
    }
  }

  private static void assertNobodyLeft(Iterable<Long> pids) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(60));
    for (long pid : pids) {
      while (ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false)) {
        assertFalse(deadline.isExpired(), "process " + pid + " is still there");
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /** Writes down who is where. */
  private static final class Listener implements RankEvents {
    private static final String PROCESS = "process: ";

    final Map<Integer, Long> pids = new ConcurrentHashMap<>();
    final Map<Integer, String> places = new ConcurrentHashMap<>();

    private final BiConsumer<Integer, Long> onProcess;

    Listener(BiConsumer<Integer, Long> onProcess) {
      this.onProcess = onProcess;
    }

    @Override
    public void onEvent(int rank, String json) {
      if (json.startsWith(PROCESS)) {
        List<String> words =
            Splitter.on(' ').limit(2).splitToList(json.substring(PROCESS.length()));
        pids.put(rank, Long.parseLong(words.get(0)));
        places.put(rank, words.get(1));
        onProcess.accept(rank, pids.get(rank));
      }
    }

    @Override
    public void onOutput(int rank, String line) {}
  }
}
