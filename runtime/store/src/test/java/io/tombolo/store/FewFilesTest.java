// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A volume whose process may have few files open. */
public class FewFilesTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final StoreOptions OPTIONS = StoreOptions.defaults().withTimeout(LONG);
  private static final int STRANGERS = 60;

  /** A connection takes three files: of these limits one ends with none left for the next. */
  @DataProvider
  public static Object[][] limits() {
    return new Object[][] {{96}, {97}, {98}};
  }

  @Test(timeOut = 300_000, dataProvider = "limits")
  public void shouldTakeClientsAgainOnceOthersHaveGone(int limit) throws Exception {
    JobToken token = JobToken.random();
    Process host = start(token, limit);
    List<Socket> strangers = new ArrayList<>();
    try {
      InetSocketAddress place =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), portOf(host));
      while (strangers.size() < STRANGERS) {
        strangers.add(new Socket(place.getAddress(), place.getPort()));
      }
      awaitOpen(host, open -> open >= limit - 2); // too few for one more connection
      closeAll(strangers);
      awaitOpen(host, open -> open < limit - 10);
      try (TensorStore store = connect(place, token)) {
        assertEquals(store.keys("").size(), 0);
      }
    } finally {
      closeAll(strangers);
      assertTrue(host.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
    }
  }

  private static void awaitOpen(Process host, LongPredicate wanted) throws Exception {
    Deadline deadline = Deadline.after(LONG);
    Path descriptors = Path.of("/proc", Long.toString(host.pid()), "fd");
    long open;
    do {
      assertTrue(!deadline.isExpired(), "it does not come to that");
      Thread.sleep(10);
      try (Stream<Path> all = Files.list(descriptors)) {
        open = all.count();
      }
    } while (!wanted.test(open));
  }

  private static TensorStore connect(InetSocketAddress place, JobToken token) {
    return TensorStore.connect(place, token, OPTIONS);
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

  private static Process start(JobToken token, int limit) throws IOException {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder =
        new ProcessBuilder(
            ImmutableList.of(
                "bash",
                "-c",
                "ulimit -n " + limit + " && exec \"$@\"",
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

  /** Serves a volume, and prints its port; it has loaded its classes by then, each from a file. */
  public static final class Host {
    private Host() {}

    /** Ends when it is killed. */
    public static void main(String[] arguments) throws InterruptedException {
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      try (Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 20, 2, LONG))) {
        try (TensorStore store = connect(volume.address(), token)) {
          store.keys("");
        }
        System.out.println(volume.address().getPort());
        Thread.currentThread().join();
      }
    }
  }
}
