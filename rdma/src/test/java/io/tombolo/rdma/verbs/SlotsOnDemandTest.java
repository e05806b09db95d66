// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertFalse;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.rdma.SlotGeometry;
import io.tombolo.rdma.TestMemory;
import io.tombolo.rdma.staged.Joined;
import io.tombolo.rdma.staged.PeerSocket;
import io.tombolo.rdma.staged.Postings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * From the card that says whether a peer asks for slots to the slab that gives them: two ports of
 * the emulated HCA, and more channels whose peers are silent than there are slots for those.
 */
public final class SlotsOnDemandTest {
  private static final int SILENT = 70;
  private static final int HALF = LossySizing.SLAB_SLOTS / 2;
  private static final int SIZE = 1000;

  /** In which the slab would give what it must not. */
  private static final int ROUNDS = 100;

  private static final Duration BUDGET = Duration.ofSeconds(60);

  @DataProvider
  public Object[][] peers() {
    return new Object[][] {{"asks", true}, {"is of a former build", false}};
  }

  @Test(dataProvider = "peers", timeOut = 180_000)
  public void shouldGiveASlotToAPeerThatTalksBesideSilentOnes(String peer, boolean asks) {
    try (TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory target = new TestMemory(SIZE, 0, 0);
        Side low = new Side(0);
        Side high = new Side(1)) {
      for (int i = 0; i < SILENT; i++) {
        Postings silent = join(low, high, asks).there;
        assertTrue(silent.receive(0, target, 0, SIZE));
      }
      Ends ends = join(low, high, asks);
      shouldHandOut(asks ? HALF : SILENT, low, high);

      assertTrue(ends.there.receive(0, target, 0, SIZE));
      shouldHandOut(asks ? HALF : SILENT + 1, low, high); // silent still, as far as it shows

      assertTrue(ends.here.send(0, source, 0, SIZE));
      until(ends.there.receives()::hasUnreported, low, high);
      assertEquals(target.get(0, SIZE), source.get(0, SIZE));
      long requests = ends.sender.protocolCounters().orElseThrow().grantsRequested;
      assertTrue(requests > 0 || !asks, "it has got a slot that it did not ask for");
    }
  }

  /** So many of high's slots, and then no more. */
  private static void shouldHandOut(int slots, Side low, Side high) {
    until(() -> high.port.slab().slotsInUse() == slots, low, high);
    for (int round = 0; round < ROUNDS; round++) {
      low.progress();
      high.progress();
    }
    assertEquals(high.port.slab().slotsInUse(), slots);
  }

  private static void until(BooleanSupplier condition, Side low, Side high) {
    Deadline deadline = Deadline.after(BUDGET);
    while (!condition.getAsBoolean()) {
      low.progress();
      high.progress();
      assertFalse(
          deadline.isExpired(),
          high.port.slab().slotsInUse() + " slots in use, and no more comes of it");
    }
  }

  /** A channel from {@code low}, whose card says that it asks only if it {@code asks}. */
  private static Ends join(Side low, Side high, boolean asks) {
    PeerSocket[] sockets = CardStream.pair(asks);
    Postings here = new Postings();
    Postings there = new Postings();
    LossyLink sender = low.link(1, sockets[0], here);
    high.link(0, sockets[1], there);
    return new Ends(here, there, sender);
  }

  private record Ends(Postings here, Postings there, LossyLink sender) {}

  /** A process: its port, and the channels over it. */
  private static final class Side implements AutoCloseable {
    private final NicPort nic;
    private final Registrations registrations;
    private final LossyPort port;
    private final List<LossyLink> links = new ArrayList<>();

    Side(int device) {
      nic = Devices.openIn(0, device);
      registrations = new Registrations(nic, Registrations.MOST, Ticker.systemTicker());
      LossySizing sizing =
          new LossySizing(
              PairType.UC,
              PortAttributes.mtuBytes(nic.card().mtu()),
              SlotGeometry.DEFAULT,
              LossyDepths.of(PairType.UC, nic.device().name(), nic.attributes()));
      port = new LossyPort(nic, sizing, registrations, HostPinner.none());
    }

    LossyLink link(int peer, PeerSocket socket, Postings postings) {
      LossyLink link =
          new LossyLink(
              port,
              new Joined(peer, links.size(), socket, SlotGeometry.DEFAULT, peer == 1),
              postings.sends(),
              postings.receives(),
              1,
              Optional.empty(),
              Ticker.systemTicker());
      links.add(link);
      return link;
    }

    void progress() {
      try {
        port.progress(Ticker.systemTicker().read());
        port.outgoing().progress();
        for (LossyLink link : links) {
          link.progress();
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      links.forEach(LossyLink::close);
      port.close();
      registrations.close();
      nic.close();
    }
  }
}
