// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.vm;

import static org.testng.Assert.assertTrue;

import java.io.IOException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What the other tests in the virtual machine stand on: two devices that reach each other over the
 * pair, and a pair that loses packets when told to. With rdma-core's own programs, so that a
 * failure here is none of ours.
 */
@Test(groups = "rdma-vm", timeOut = 600_000)
public final class SoftRoceTest {
  private static final int ATTEMPTS = 4;

  public void shouldShowTwoActiveDevices() throws Exception {
    for (String device : new String[] {"rxe0", "rxe1"}) {
      String text = GuestCommand.run("ibv_devinfo", "-d", device);
      assertTrue(text.contains("PORT_ACTIVE") && text.contains("active_mtu:\t\t4096"), text);
    }
  }

  @DataProvider
  public Object[][] transports() {
    return new Object[][] {{"rc"}, {"uc"}, {"ud"}};
  }

  @Test(dataProvider = "transports", groups = "rdma-vm", timeOut = 600_000)
  public void shouldCarryEveryTransportBetweenTheDevices(String transport) throws Exception {
    String text = pingPong("ibv_" + transport + "_pingpong", 1024, 50);
    assertTrue(text.contains("50 iters"), text);
  }

  public void shouldCrossThePairAndLosePacketsThereWhenTold() throws Exception {
    try (Netem there = Netem.on("v0", "loss 2%");
        Netem back = Netem.on("v1", "loss 2%")) {
      String text = lossyPingPong();
      assertTrue(text.contains("100 iters"), text);
      assertTrue(there.dropped() > 0, "rxe0's packets do not leave through v0");
      assertTrue(back.dropped() > 0, "rxe1's packets do not leave through v1");
    }
  }

  /**
   * Whoever is done leaves. If the acknowledgement of its last packet was lost, nobody is left to
   * repeat it, and the other never ends well: at 2 % that happens, but not each time.
   */
  private static String lossyPingPong() throws IOException, InterruptedException {
    AssertionError lost = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return pingPong("ibv_rc_pingpong", 4096, 100);
      } catch (AssertionError e) {
        lost = e;
      }
    }
    throw lost;
  }

  /** Runs a server on rxe1 and a client on rxe0, which sleep until completions come. */
  private static String pingPong(String program, int sizeBytes, int iterations)
      throws IOException, InterruptedException {
    String size = Integer.toString(sizeBytes);
    String count = Integer.toString(iterations);
    String[] server = {program, "-e", "-d", "rxe1", "-g", "1", "-s", size, "-n", count};
    try (GuestCommand serving = GuestCommand.start(server)) {
      awaitListening(serving);
      String text =
          GuestCommand.run(
              program, "-e", "-d", "rxe0", "-g", "1", "-s", size, "-n", count, "127.0.0.1");
      serving.awaitSuccess();
      return text;
    }
  }

  private static void awaitListening(GuestCommand server) throws IOException, InterruptedException {
    while (!GuestCommand.run("ss", "-ltn").contains(":18515")) {
      assertTrue(server.isAlive(), "the server ended before it listened");
      Thread.sleep(50);
    }
  }
}
