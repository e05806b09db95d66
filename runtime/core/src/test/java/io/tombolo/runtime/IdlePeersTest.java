// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import static org.testng.Assert.assertEquals;

import io.tombolo.runtime.work.CallOptions;
import java.util.List;
import java.util.Map;
import org.testng.annotations.Test;

/** Who exchanges nothing is connected by nothing, but for votes. */
public final class IdlePeersTest {
  @Test(timeOut = 180_000)
  public void shouldOpenChannelsForTheFirstMessage() {
    try (ThreadRanks ranks = new ThreadRanks(3)) {
      assertEquals(fabrics(ranks), List.of(Map.of(), Map.of(), Map.of()));
      ThreadRanks.onAll(ranks.all().subList(0, 2), IdlePeersTest::exchange);
      assertEquals(fabrics(ranks), List.of(Map.of("shm", 4L), Map.of("shm", 0L), Map.of()));
    }
  }

  private static List<Map<String, Long>> fabrics(ThreadRanks ranks) {
    return ThreadRanks.onAll(ranks.all(), each -> each.traffic().crossBytesByFabric());
  }

  /** From rank 0 to rank 1. */
  private static boolean exchange(Communicator rank) {
    try (DeviceVector vector = DeviceVector.of(rank, 1)) {
      Message message =
          rank.rank() == 0 ? Message.send(vector.buffer(), 1) : Message.receive(vector.buffer(), 0);
      rank.exchange(List.of(message), CallOptions.STANDARD, vector.stream())
          .await(ThreadRanks.LONG);
    }
    return true;
  }
}
