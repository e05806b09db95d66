// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.job;

import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.JobToken;
import io.tombolo.base.errors.TomboloException;
import io.tombolo.runtime.store.TcpStoreServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Map;
import org.testng.annotations.Test;

/** What is said to somebody who cannot look at a job. */
public class JobPlaceTest {
  private static final Duration SHORT = Duration.ofMillis(600);

  private static void shouldFail(int port, Map<String, String> environment, String complaint) {
    JobPlace place = new JobPlace("127.0.0.1:" + port, environment, SHORT);
    String message = expectThrows(TomboloException.class, place::read).getMessage();
    assertTrue(message.contains(complaint), message);
  }

  @Test
  public void shouldSayWhyAJobCannotBeSeen() throws Exception {
    JobToken token = JobToken.random();
    Map<String, String> known = Map.of("TOMBOLO_TOKEN", token.hex());
    int port;
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (TcpStoreServer server = TcpStoreServer.start(any, token)) {
      port = server.address().getPort();
      shouldFail(port, Map.of(), "TOMBOLO_TOKEN is not set");
      shouldFail(port, Map.of("TOMBOLO_TOKEN", "abc"), "64 hexadecimal digits");
      shouldFail(port, Map.of("TOMBOLO_TOKEN", JobToken.random().hex()), "another job");
      shouldFail(port, known, "rank 0 has not come yet");
    }
    shouldFail(port, known, "nobody answers at 127.0.0.1:" + port);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      shouldFail(silent.getLocalPort(), known, "said nothing for 600 ms");
    }
  }
}
