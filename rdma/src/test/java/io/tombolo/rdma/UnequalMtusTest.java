// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.Deadline;
import io.tombolo.base.HostPinner;
import io.tombolo.base.JobToken;
import io.tombolo.emulated.hca.EmulatedHca;
import java.util.stream.Stream;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * NICs one of which takes only shorter packets than the other sends by itself, and drops longer
 * ones.
 */
public final class UnequalMtusTest {
  private static final int SIZE = 1 << 20;

  @AfterMethod
  public void longestAgain() {
    EmulatedHca.set("MTU", "4096");
  }

  @DataProvider
  public static Object[][] ends() {
    return Kind.chosen(ImmutableList.of(Kind.EMU_RC, Kind.EMU_UC, Kind.EMU_UD)).stream()
        .flatMap(
            kind ->
                Stream.of(new Object[] {kind, "1024", "4096"}, new Object[] {kind, "4096", "256"}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "ends", timeOut = 300_000)
  public void shouldSendPacketsThatBothTake(Kind kind, String lowMtu, String highMtu) {
    JobToken token = JobToken.random();
    try (Fabric low = open(kind, 0, token, lowMtu);
        Fabric high = open(kind, 1, token, highMtu);
        TestMemory source = new TestMemory(SIZE, 0, 0).fill(1);
        TestMemory there = new TestMemory(SIZE, 0, 0);
        TestMemory back = new TestMemory(SIZE, 0, 0)) {
      Deadline deadline = Deadline.after(FabricPair.BUDGET);
      Channel fromLow = low.connect(1, high.address(), 7, deadline);
      Channel fromHigh = high.connect(0, low.address(), 7, deadline);
      assertTrue(fromHigh.receive(1, there, 0, SIZE) && fromLow.receive(2, back, 0, SIZE));
      assertTrue(fromLow.send(1, source, 0, SIZE) && fromHigh.send(2, source, 0, SIZE));
      Log log = new Log();
      FabricPair.drive(
          () -> {
            int unused = fromLow.poll(log) + fromHigh.poll(log);
            return log.sent.size() + log.received.size() == 4;
          },
          low,
          high);
      assertEquals(there.get(0, SIZE), source.get(0, SIZE));
      assertEquals(back.get(0, SIZE), source.get(0, SIZE));
    }
  }

  private static Fabric open(Kind kind, int rank, JobToken token, String mtu) {
    EmulatedHca.set("MTU", mtu);
    return kind.open(FabricSettings.of(rank, token, HostPinner.none()));
  }
}
