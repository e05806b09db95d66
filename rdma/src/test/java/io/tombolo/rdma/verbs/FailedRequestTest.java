// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.SlotGeometry;
import java.io.IOException;
import java.time.Duration;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * A reliable pair that a request has broken, over a device that says by an event, too, that it
 * broke: as of one that breaks by itself.
 */
public final class FailedRequestTest {
  private static final Duration BUDGET = Duration.ofSeconds(60);

  /** Three times what is looked at in one call. */
  private static final SlotGeometry MANY = new SlotGeometry(3 * RcPair.BATCH, 64);

  private static final int A_WHILE_MS = 50;

  @AfterMethod(alwaysRun = true)
  public void repair() {
    EmulatedHca.set("LOSS_PERCENT", "0");
    EmulatedHca.set("PROFILE", "mlx5");
    EmulatedHca.set("RECEIVES_FIRST", "0");
  }

  @DataProvider
  public Object[][] orders() {
    return new Object[][] {{"0"}, {"1"}};
  }

  /** What the request says has not been looked at when the event comes, nor is it the first. */
  @Test(dataProvider = "orders", timeOut = 120_000)
  public void shouldBelieveTheRequestBeforeTheEvent(String receivesFirst) throws IOException {
    EmulatedHca.set("PROFILE", "irdma");
    EmulatedHca.set("RECEIVES_FIRST", receivesFirst);
    CardStream[] sockets = CardStream.pair(true);
    try (NicPort here = Devices.openIn(0, 0);
        NicPort there = Devices.openIn(0, 1);
        Registrations ofHere = new Registrations(here, 1, Ticker.systemTicker());
        Registrations ofThere = new Registrations(there, 1, Ticker.systemTicker())) {
      RcLink low = link(here, sockets[0], ofHere);
      RcLink high = link(there, sockets[1], ofThere);
      Deadline deadline = Deadline.after(BUDGET);
      while (!low.isReady() || !high.isReady()) {
        low.progress();
        high.progress();
        assertFalse(deadline.isExpired(), "not connected within " + deadline);
      }
      EmulatedHca.set("LOSS_PERCENT", "100");
      low.publish(0, 0);
      low.progress();
      String why = expectThrows(IOException.class, () -> look(low)).getMessage();
      assertTrue(why.contains("the peer's NIC has answered none of the repeats"), why);
      low.close();
      high.close();
    }
  }

  /** More have completed before it, or were flushed, than are looked at in one call. */
  @Test(dataProvider = "orders", timeOut = 120_000)
  public void shouldBelieveARequestThatFailsBehindManyOthers(String receivesFirst)
      throws IOException, InterruptedException {
    EmulatedHca.set("PROFILE", "irdma");
    EmulatedHca.set("RECEIVES_FIRST", receivesFirst);
    CardStream[] sockets = CardStream.pair(true);
    try (NicPort here = Devices.openIn(0, 0);
        NicPort there = Devices.openIn(0, 1);
        Registrations ofHere = new Registrations(here, 1, Ticker.systemTicker());
        Registrations ofThere = new Registrations(there, 1, Ticker.systemTicker())) {
      RcLink low = link(here, sockets[0], ofHere, MANY);
      RcLink high = link(there, sockets[1], ofThere, MANY);
      Deadline deadline = Deadline.after(BUDGET);
      while (!low.isReady() || !high.isReady()) {
        low.progress();
        high.progress();
        assertFalse(deadline.isExpired(), "not connected within " + deadline);
      }
      int last = MANY.slots() - 1;
      for (int slot = 0; slot < last; slot++) {
        low.publish(slot, 0);
      }
      low.progress();
      while (high.arrived() < last) {
        high.progress();
        assertFalse(deadline.isExpired(), high.arrived() + " slots came within " + deadline);
      }
      Thread.sleep(A_WHILE_MS); // fixed time: to ask for the completions is to take them
      EmulatedHca.set("LOSS_PERCENT", "100");
      low.publish(last, 0);
      low.progress();
      String why = expectThrows(IOException.class, () -> look(low)).getMessage();
      assertTrue(why.contains("the peer's NIC has answered none of the repeats"), why);
      low.close();
      high.close();
    }
  }

  private static RcLink link(NicPort nic, CardStream socket, Registrations registrations) {
    return link(nic, socket, registrations, SlotGeometry.DEFAULT);
  }

  private static RcLink link(
      NicPort nic, CardStream socket, Registrations registrations, SlotGeometry geometry) {
    return new RcLink(
        nic, socket, geometry, HostPinner.none(), registrations, Ticker.systemTicker());
  }

  private static void look(RcLink link) throws IOException {
    Deadline deadline = Deadline.after(BUDGET);
    while (!link.isPeerGone()) {
      assertFalse(deadline.isExpired(), "nothing was said within " + deadline);
    }
  }
}
