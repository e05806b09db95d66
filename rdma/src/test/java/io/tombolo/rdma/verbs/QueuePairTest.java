// SPDX-License-Identifier: Apache-2.0
package io.tombolo.rdma.verbs;

import static io.tombolo.rdma.verbs.WorkCompletions.FLUSHED;
import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertNotEquals;
import static org.testng.Assert.assertTrue;

import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryExport;
import io.tombolo.rdma.verbs.Devices.Trouble;
import io.tombolo.rdma.verbs.End.Done;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/**
 * What the protocol expects of queue pairs: over the emulated HCA, and over Soft-RoCE in the
 * virtual machine, word for word the same.
 */
public final class QueuePairTest {
  private static final int MTU = 4096;
  private static final int ROUNDS = 8;
  private static final Duration MOMENT = Duration.ofMillis(50);

  @DataProvider
  public Object[][] connected() {
    return new Object[][] {{PairType.RC}, {PairType.UC}};
  }

  @Test(dataProvider = "connected")
  public void shouldWriteEverySizeAndTellTheReceiver(PairType type) {
    try (TwoEnds both = new TwoEnds(type, false)) {
      for (int size : List.of(0, 1, MTU - 1, MTU, MTU + 1, 100_003)) {
        byte[] bytes = both.fill(size);
        both.right.receive(size, 0, 0);
        both.left.write(7, size, both.right.region.remoteAddress(), both.rightKey(), size + 5);
        Done arrived = both.right.nextWell(size);
        assertEquals(arrived, new Done(size, 0, size, size + 5));
        assertEquals(both.right.memory.get(0, size), bytes);
        both.left.nextWell(7);
      }
    }
  }

  @DataProvider
  public Object[][] all() {
    return new Object[][] {{PairType.RC}, {PairType.UC}, {PairType.UD}};
  }

  @Test(dataProvider = "all")
  public void shouldSendIntoTheMemoryOfAReceive(PairType type) {
    int before = type == PairType.UD ? End.ROUTE_BYTES : 0;
    try (TwoEnds both = new TwoEnds(type, false)) {
      for (int size : List.of(1, MTU)) {
        byte[] bytes = both.fill(size);
        both.right.receive(size, 100, size + before);
        both.left.send(8, size);
        assertEquals(both.right.nextWell(size).sizeBytes(), size + before);
        assertEquals(both.right.memory.get(100 + before, size), bytes);
        both.left.nextWell(8);
      }
    }
  }

  /**
   * One packet a message: Soft-RoCE's queue pair stalls for good when a longer one loses its tail.
   */
  @Test(timeOut = 120_000)
  public void shouldLoseAndRepeatWhatTheNetworkDoesWhenUnreliable() throws Exception {
    try (TwoEnds both = new TwoEnds(PairType.UC, true)) {
      both.expect(End.DEPTH);
      int arrived = 0;
      int[] times = new int[ROUNDS * End.DEPTH / 2];
      try (Trouble trouble = Devices.trouble(10, 10)) {
        for (int round = 0; round < ROUNDS; round++) {
          arrived += both.exchange(round * End.DEPTH / 2, times);
        }
      }
      assertTrue(Arrays.stream(times).anyMatch(count -> count == 0), "nothing was lost");
      assertTrue(Arrays.stream(times).anyMatch(count -> count == 2), "nothing came twice");
      assertTrue(arrived > times.length / 2, arrived + " of " + times.length);
      int[] last = new int[End.DEPTH / 2];
      assertEquals(both.exchange(0, last), last.length);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldDeliverAllInOrderWhenReliable() throws Exception {
    try (TwoEnds both = new TwoEnds(PairType.RC, false);
        Trouble trouble = Devices.trouble(2, 2)) {
      for (int round = 0; round < ROUNDS; round++) {
        both.expect(End.DEPTH / 2);
        both.write(0, End.DEPTH / 2);
        for (int i = 0; i < End.DEPTH / 2; i++) {
          assertEquals(both.right.nextWell(0).immediate(), i);
          both.left.nextWell(1);
        }
      }
    }
  }

  /** The slab fence: the write is dropped, spends a shared receive, and the pair lives. */
  @Test
  public void shouldDropWritesThatShowTheKeyOfAnEarlierBind() {
    try (TwoEnds both = new TwoEnds(PairType.UC, true);
        MemoryWindow window = both.right.window()) {
      int old = both.bind(window);
      int renewed = both.bind(window);
      assertNotEquals(renewed, old);
      byte[] bytes = both.fill(100);
      both.right.receive(1, 0, 0);
      both.right.receive(2, 0, 0);
      long address = both.right.region.remoteAddress();
      both.left.write(3, 100, address, old, 0);
      both.left.nextWell(3);
      assertEquals(both.right.next().status(), WorkCompletions.REMOTE_ACCESS);
      assertEquals(both.right.memory.get(0, 100), new byte[100]);
      both.left.write(4, 100, address, renewed, 9);
      assertEquals(both.right.nextWell(2).immediate(), 9);
      assertEquals(both.right.memory.get(0, 100), bytes);
    }
  }

  @Test
  public void shouldBreakAReliablePairWhoseKeyIsWrong() {
    try (TwoEnds both = new TwoEnds(PairType.RC, false)) {
      both.right.receive(3, 0, 0);
      both.left.write(1, 10, both.right.region.remoteAddress(), both.rightKey() + 1, 0);
      assertEquals(both.left.next().status(), WorkCompletions.REMOTE_ACCESS);
      both.left.write(2, 10, both.right.region.remoteAddress(), both.rightKey(), 0);
      assertEquals(both.left.next().status(), FLUSHED);
    }
  }

  /** Not in the virtual machine: Soft-RoCE tells nothing of it. */
  @Test
  public void shouldSayWhyTheDeviceBrokeAPair() {
    try (TwoEnds both = new TwoEnds(PairType.RC, false)) {
      both.right.receive(3, 0, 0);
      both.left.write(1, 10, both.right.region.remoteAddress(), both.rightKey() + 1, 0);
      String why = both.right.failure();
      assertTrue(why.contains("has failed: access violation by the peer"), why);
    }
  }

  /**
   * What a grant is: its key opens the bytes of one payload. Not in the virtual machine: Soft-RoCE
   * holds such writes to the window's region only.
   */
  @Test
  public void shouldRefuseWritesBesideAWindow() {
    for (long[] wrong : new long[][] {{999, 10}, {1091, 10}, {0, 10}, {1000, 101}}) {
      try (TwoEnds both = new TwoEnds(PairType.RC, true);
          MemoryWindow window = both.right.window()) {
        int key = both.bind(window, 1000, 100);
        assertEquals(both.writeTo(1000, 100, key), WorkCompletions.SUCCESS);
        assertEquals(both.writeTo(wrong[0], (int) wrong[1], key), WorkCompletions.REMOTE_ACCESS);
      }
    }
  }

  @Test
  public void shouldRefuseWritesThroughAWindowThatIsClosed() {
    try (TwoEnds both = new TwoEnds(PairType.RC, true);
        MemoryWindow window = both.right.window()) {
      int key = both.bind(window, 1000, 100);
      assertEquals(both.writeTo(1000, 100, key), WorkCompletions.SUCCESS);
      both.bind(window, 0, 0);
      assertEquals(both.writeTo(1000, 100, key), WorkCompletions.REMOTE_ACCESS);
    }
  }

  /** As device memory is named by an address at which the host cannot touch it. */
  @Test
  public void shouldWriteThroughAnAlias() {
    long name = 0x7000_0000_0000L;
    try (TwoEnds both = new TwoEnds(PairType.UC, false)) {
      MemoryExport alias = new MemoryExport.HostAlias(both.right.memory.address(), name);
      try (MemoryRegion region = both.right.register(alias, 8192)) {
        byte[] bytes = both.fill(5000);
        both.right.receive(1, 0, 0);
        both.left.write(2, 5000, name + 3000, region.remoteKey(), 0);
        both.right.nextWell(1);
        assertEquals(both.right.memory.get(3000, 5000), bytes);
      }
    }
  }

  @DataProvider
  public Object[][] whetherItWasAborted() {
    return new Object[][] {{true}, {false}};
  }

  /** How a lane ends whose NIC does not say what it has done. No other pairs are ever reset. */
  @Test(dataProvider = "whetherItWasAborted")
  public void shouldTouchNothingMoreOnceReset(boolean wasAborted) {
    try (TwoEnds both = new TwoEnds(PairType.UC, false)) {
      byte[] bytes = both.fill(100);
      both.right.receive(1, 0, 100);
      both.right.receive(2, 0, 100);
      if (wasAborted) {
        both.right.pair.abort();
      }
      both.right.pair.reset();
      both.left.send(3, 100);
      both.left.nextWell(3);
      for (Deadline moment = Deadline.after(MOMENT); !moment.isExpired(); ) {
        Optional<Done> left = both.right.poll();
        assertTrue(left.isEmpty() || wasAborted, "nothing was flushed, but " + left);
        assertEquals(left.map(Done::status).orElse(FLUSHED), FLUSHED);
      }
      assertNotEquals(both.right.memory.get(0, 100), bytes);
    }
  }

  @Test
  public void shouldFlushWhatIsPostedWhenAborted() {
    try (TwoEnds both = new TwoEnds(PairType.UC, false)) {
      both.right.receive(1, 0, 10);
      both.right.receive(2, 0, 10);
      both.right.pair.abort();
      assertEquals(both.right.next().status(), FLUSHED);
      assertEquals(both.right.next().status(), FLUSHED);
    }
  }
}
