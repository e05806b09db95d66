// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.base.Ticker;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.VerbsFabrics;
import io.tombolo.rdma.verbs.VerbsSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Marks of switches on datagrams over RoCE: read from the IP header, told to the sender. */
public final class UdMarksTest {
  private static final int SIZE = 1 << 20;
  private static final int MESSAGES = 4;

  /** Entries of the emulated ports' GID tables. */
  private static final String ROCE_V1 = "0";

  private static final String IPV6 = "1";
  private static final String IPV4 = "3";

  @AfterMethod
  public void markNothing() {
    EmulatedHca.set("MARK_PERCENT", "0");
  }

  @DataProvider
  public static Object[][] addresses() {
    return new Object[][] {{IPV4}, {IPV6}};
  }

  @Test(dataProvider = "addresses", timeOut = 300_000)
  public void shouldTellTheSenderOfAllMarks(String gid) {
    assertEquals(carry(gid, "0").marks, 0);
    ProtocolCounters marked = carry(gid, "100");
    // Those of the last acknowledgements are told with later ones, which do not come any more.
    assertTrue(
        marked.marks >= marked.chunksSent * 9 / 10, marked.marks + " of " + marked.chunksSent);
  }

  @Test(dataProvider = "addresses", timeOut = 300_000)
  public void shouldTellOfSomeMarksOnly(String gid) {
    ProtocolCounters half = carry(gid, "50");
    assertTrue(
        half.marks > half.chunksSent / 3 && half.marks < half.chunksSent * 3 / 4,
        half.marks + " of " + half.chunksSent);
  }

  /** Such packets have no IP header. */
  @Test(timeOut = 300_000)
  public void shouldSeeNoMarksOnOlderEthernet() {
    assertEquals(carry(ROCE_V1, "100").marks, 0);
  }

  private static ProtocolCounters carry(String gid, String percent) {
    EmulatedHca.set("MARK_PERCENT", percent);
    JobToken token = JobToken.random();
    try (Fabric low = open(0, token, gid);
        Fabric high = open(1, token, gid);
        TestMemory memory = new TestMemory(SIZE, 0, 0)) {
      Deadline deadline = Deadline.after(FabricPair.BUDGET);
      Channel from = low.connect(1, high.address(), 7, deadline);
      Channel to = high.connect(0, low.address(), 7, deadline);
      for (int message = 0; message < MESSAGES; message++) {
        assertTrue(from.send(message, memory, 0, SIZE) && to.receive(message, memory, 0, SIZE));
      }
      Log ends = new Log();
      FabricPair.drive(
          () -> {
            int unused = from.poll(ends) + to.poll(ends);
            return ends.sent.size() + ends.received.size() == 2 * MESSAGES;
          },
          low,
          high);
      return from.protocolCounters().orElseThrow();
    }
  }

  private static Fabric open(int rank, JobToken token, String gid) {
    VerbsSettings device =
        VerbsSettings.from(Map.of("ibverbs", EmulatedHca.library(), "rdma_gid_index", gid))
            .withDevice(EmulatedHca.device(rank));
    return VerbsFabrics.ud(
        new FabricSettings(
            rank, token, HostPinner.none(), SlotGeometry.DEFAULT, Ticker.systemTicker()),
        device,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }
}
