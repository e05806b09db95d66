// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import com.google.common.util.concurrent.Uninterruptibles;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.Test;

/** Readers of so much that holders send it at the same time, each one half of a tensor. */
public class HeldStreamsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("tombolo.deep") ? 50 : 3;
  private static final int HALF = (int) HeldFetch.LEAST_BYTES / Float.BYTES;
  private static final TensorSpec WHOLE = TensorSpec.of(DataType.F32, 2 * HALF);

  private final JobToken token = JobToken.random();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private final List<CutRelay> relays = new ArrayList<>();

  /** Lets nothing more of a holder's bytes pass until all that take part have sent so many. */
  private static final class Meeting implements IntConsumer {
    private static final int BYTES = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final CountDownLatch all;
    private long passed;
    private volatile boolean met;

    Meeting(CountDownLatch all) {
      this.all = all;
    }

    @Override
    public void accept(int bytes) {
      boolean isNow = passed < BYTES && passed + bytes >= BYTES;
      passed += bytes;
      if (isNow) {
        all.countDown();
        met = Uninterruptibles.awaitUninterruptibly(all, LIMIT);
      }
    }
  }

  @AfterMethod(alwaysRun = true)
  public void close() throws Exception {
    for (AutoCloseable each : opened) {
      each.close();
    }
    opened.clear();
    relays.clear();
  }

  @Test(timeOut = 120_000)
  public void shouldGetFromTwoHoldersAtATime() throws IOException {
    CountDownLatch both = new CountDownLatch(2);
    List<Meeting> meetings = List.of(new Meeting(both), new Meeting(both));
    for (int rank = 0; rank < 2; rank++) {
      hold(2, 1, rank, new AtomicLong(Long.MAX_VALUE / 2), meetings.get(rank));
    }
    assertWhole(reader().await("policy", 0, LONG), "both");
    assertTrue(meetings.stream().allMatch(meeting -> meeting.met), "one came after the other");
  }

  /** Each half is held twice, and one of the four goes. */
  @Test(timeOut = 300_000)
  public void shouldGoOnWithAReplicaWhileTheOtherHalfComes() throws Exception {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      AtomicLong budget = new AtomicLong(Long.MAX_VALUE / 2);
      for (int rank = 0; rank < 4; rank++) {
        hold(4, 2, rank, budget, bytes -> {});
      }
      HeldSnapshot policy = reader().await("policy", 0, LONG);
      budget.set(random.nextInt(2 * HALF * Float.BYTES));
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      assertWhole(policy, where);
      assertEquals(relays.stream().filter(CutRelay::isCut).count(), 1, where);
      policy.check();
      close();
    }
  }

  /** The connection to who is left is not in the middle of anything. */
  @Test(timeOut = 120_000)
  public void shouldFailWithoutAReplicaAndGetTheOtherHalfAllTheSame() throws IOException {
    AtomicLong budget = new AtomicLong(Long.MAX_VALUE / 2);
    for (int rank = 0; rank < 2; rank++) {
      hold(2, 1, rank, budget, bytes -> {});
    }
    HeldSnapshot policy = reader().await("policy", 0, LONG);
    budget.set(HALF);
    PeerFailedException gone = expectThrows(PeerFailedException.class, () -> policy.get("w"));
    int lost = relays.get(0).isCut() ? 0 : 1;
    String port = ":" + relays.get(lost).address().getPort();
    assertTrue(gone.getMessage().contains(port), gone.getMessage());
    int left = 1 - lost;
    assertConstant(policy.get("w", half(left)), left + 1, "the half that is left");
    expectThrows(PeerFailedException.class, () -> policy.get("w", half(lost)));
  }

  /** A holder that readers reach by a relay; the elements of a half are its number, from 1. */
  private void hold(int count, int replicas, int rank, AtomicLong budget, IntConsumer before)
      throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Volume volume = Volume.serve(anyPort, token, new VolumeOptions(1 << 26, 1, LONG));
    opened.add(volume);
    HostTensor held = Tensors.constant(rank % 2 + 1, HALF);
    volume
        .hold("policy", new HolderRank("run 1", count, rank, replicas))
        .show(1, Map.of("w", new TensorPart(WHOLE, half(rank % 2), held)), LONG);
    held.memory().close();
    CutRelay relay = new CutRelay(volume.address(), budget, before);
    opened.add(0, relay);
    relays.add(relay);
  }

  private static Box half(int number) {
    long from = (long) number * HALF;
    return Box.between(new long[] {from}, new long[] {from + HALF});
  }

  private TensorHolders reader() {
    List<InetSocketAddress> addresses = relays.stream().map(CutRelay::address).toList();
    TensorHolders reader = TensorHolders.connect(addresses, token, new StoreOptions(LONG, false));
    opened.add(0, reader); // to be closed first
    return reader;
  }

  private static void assertWhole(HeldSnapshot policy, String where) {
    float[] wanted = new float[2 * HALF];
    Arrays.fill(wanted, 0, HALF, 1);
    Arrays.fill(wanted, HALF, 2 * HALF, 2);
    assertEquals(Arrays.mismatch(Tensors.elements(policy.get("w")), wanted), -1, where);
  }

  private static void assertConstant(HostTensor got, float value, String where) {
    assertEquals(Tensors.requireConstant(got, where), value);
  }
}
