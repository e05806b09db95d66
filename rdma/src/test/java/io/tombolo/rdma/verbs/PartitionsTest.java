// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static org.testng.Assert.assertEquals;

import java.time.Duration;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** Queue pairs in the partitions that users choose: of the emulated HCA, which has two. */
public final class PartitionsTest {
  private static final int SIZE = 1000;

  /** Far longer than what is not dropped takes. */
  private static final Duration SILENCE = Duration.ofMillis(200);

  @DataProvider
  public Object[][] types() {
    return new Object[][] {{PairType.RC}, {PairType.UC}, {PairType.UD}};
  }

  @Test(dataProvider = "types")
  public void shouldCarryMessagesWhenBothAreInTheSecondPartition(PairType type) {
    try (End left = new End(Devices.openIn(1, 0), type, false);
        End right = new End(Devices.openIn(1, 1), type, false)) {
      send(left, right);
      assertEquals(right.nextWell(1).sizeBytes(), SIZE + routeBytes(type));
      left.nextWell(2);
    }
  }

  @Test(dataProvider = "types")
  public void shouldCarryNothingWhenTheirPartitionsDiffer(PairType type) throws Exception {
    for (int partition : new int[] {0, 1}) {
      try (End left = new End(Devices.openIn(partition, 0), type, false);
          End right = new End(Devices.openIn(1 - partition, 1), type, false)) {
        send(left, right);
        assertNothingComes(right);
      }
    }
  }

  private static void send(End left, End right) {
    left.connect(right);
    right.connect(left);
    right.receive(1, 0, SIZE + End.ROUTE_BYTES);
    left.send(2, SIZE);
  }

  private static int routeBytes(PairType type) {
    return type == PairType.UD ? End.ROUTE_BYTES : 0;
  }

  private static void assertNothingComes(End end) throws InterruptedException {
    long from = System.nanoTime();
    while (System.nanoTime() - from < SILENCE.toNanos()) {
      assertEquals(end.poll(), Optional.empty());
      Thread.sleep(1);
    }
  }
}
