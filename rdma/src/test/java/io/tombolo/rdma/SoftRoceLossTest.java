// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma;

import static org.testng.Assert.assertTrue;

import io.tombolo.rdma.vm.Netem;
import java.util.stream.Stream;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Every byte, though the pair of the virtual machine loses, repeats and reorders packets. */
@Test(groups = "rdma-vm")
public final class SoftRoceLossTest {
  private static final SlotGeometry GEOMETRY = new SlotGeometry(16, 16 << 10);
  private static final int BYTES = 400_003;

  @DataProvider
  public Object[][] kindsAndTroubles() {
    return Kind.chosen(Kind.SOFT_ROCE_LOSSY).stream()
        .flatMap(
            kind ->
                Stream.of(
                    new Object[] {kind, "loss 5% duplicate 5%"},
                    new Object[] {kind, "delay 1ms reorder 10% loss 5% duplicate 2%"}))
        .toArray(Object[][]::new);
  }

  @Test(dataProvider = "kindsAndTroubles", groups = "rdma-vm", timeOut = 600_000)
  public void shouldDeliverEveryByteWhenPacketsGetLostLateAndTwice(Kind kind, String rules)
      throws Exception {
    try (FabricPair pair = new FabricPair(kind, GEOMETRY)) {
      pair.until(() -> pair.fromLow.isOpen() && pair.fromHigh.isOpen());
      try (Netem there = Netem.on("v0", rules);
          Netem back = Netem.on("v1", rules)) {
        SoftRoceChannelTest.exchange(pair, BYTES);
        assertTrue(there.dropped() + back.dropped() > 0, "the pair lost nothing");
      }
    }
  }
}
