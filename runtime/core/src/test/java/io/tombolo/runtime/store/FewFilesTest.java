// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.runtime.bootstrap.RankClaim;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.Test;

/** A store whose process may have few files open. */
public class FewFilesTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration LOOK = Duration.ofMillis(300);
  private static final int MAX_FILES = 96;

  @Test(timeOut = 300_000)
  public void shouldWaitForRoomWithoutSpinning() throws Exception {
    JobToken token = JobToken.random();
    Process host = start(token);
    List<Socket> strangers = new ArrayList<>();
    try {
      InetSocketAddress place =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), portOf(host));
      while (strangers.size() < MAX_FILES) {
        strangers.add(new Socket(place.getAddress(), place.getPort()));
      }
      awaitIdle(host);
      closeAll(strangers);
      try (TcpStore store = TcpStore.connect(place, token, Deadline.after(LONG))) {
        store.set("key", new byte[] {7});
        assertEquals(store.get("key").orElseThrow(), new byte[] {7});
      }
    } finally {
      closeAll(strangers);
      assertTrue(host.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
    }
  }

  /** A JVM that has just begun has other work, too. */
  private static void awaitIdle(Process host) throws InterruptedException {
    Deadline deadline = Deadline.after(LONG);
    Duration spent = LOOK;
    while (spent.compareTo(LOOK.dividedBy(3)) > 0) {
      assertTrue(!deadline.isExpired(), "the last " + LOOK + " it has worked for " + spent);
      Duration before = processorTime(host);
      Thread.sleep(LOOK.toMillis());
      spent = processorTime(host).minus(before);
    }
  }

  private static Duration processorTime(Process process) {
    return process.info().totalCpuDuration().orElseThrow();
  }

  private static int portOf(Process host) throws IOException {
    BufferedReader out =
        new BufferedReader(new InputStreamReader(host.getInputStream(), StandardCharsets.UTF_8));
    return Integer.parseInt(out.readLine());
  }

  private static void closeAll(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static Process start(JobToken token) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            ImmutableList.of(
                "bash",
                "-c",
                "ulimit -n " + MAX_FILES + " && exec \"$@\"",
                "few-files",
                java,
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Host.class.getName()));
    builder.environment().put("TOMBOLO_TOKEN", token.hex());
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  /** Hosts a store, and prints its port; it has loaded its classes by then, each from a file. */
  public static final class Host {
    private Host() {}

    /** Ends when it is killed. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (TcpStoreServer server = TcpStoreServer.start(anyPort, token)) {
        try (TcpStore store = TcpStore.connect(server.address(), token, Deadline.after(LONG))) {
          store.set("first", new byte[0]);
        }
        new Socket(server.address().getAddress(), server.address().getPort()).close();
        RankClaim mine = RankClaim.ofThisProcess();
        System.out.println(server.address().getPort());
        while (mine.isNear()) { // a rank that looks after another one needs no file for it, either
          Thread.sleep(1);
        }
      }
    }
  }
}
