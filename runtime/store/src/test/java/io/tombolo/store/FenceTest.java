// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.base.errors.PeerFailedException;
import io.tombolo.base.errors.ResourceException;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A holder that takes back what it has shown, of which readers have snapshots. */
public class FenceTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int ELEMENTS = 1 << 20;
  private static final long SIZE_BYTES = (long) ELEMENTS * Float.BYTES;

  /** Copies that are cut short by the holder, of as many tries as that takes. */
  private static final int CUT_SHORT = Boolean.getBoolean("tombolo.deep") ? 2_000 : 20;

  private final JobToken token = JobToken.random();
  private Volume volume;
  private Holding holding;

  @BeforeMethod
  public void start() {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(SIZE_BYTES, 1, LONG)); // for one only
    holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    volume.close();
  }

  @DataProvider
  public static Object[][] ways() {
    return new Object[][] {{true}, {false}};
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldTakeFromReadersAtOnceWhatIsWithdrawn(boolean shared) {
    show(1);
    try (TensorHolders reader = reader(shared)) {
      HeldSnapshot before = reader.await("policy", 0, LONG);
      assertConstant(before, 1);
      before.check();
      ResourceException full = expectThrows(ResourceException.class, () -> show(2, Duration.ZERO));
      assertTrue(full.getMessage().contains("withdraw"), full.getMessage());
      holding.withdraw();
      show(2, Duration.ZERO); // with the memory of the one before
      AbortedException refused = expectThrows(AbortedException.class, () -> before.get("w"));
      String port = ":" + volume.address().getPort();
      assertTrue(refused.getMessage().contains(port), refused.getMessage());
      assertTrue(refused.getMessage().contains("version 1"), refused.getMessage());
      expectThrows(AbortedException.class, () -> before.verify("w"));
      expectThrows(AbortedException.class, before::check);
      if (shared) {
        expectThrows(AbortedException.class, () -> before.address("w"));
      }
      before.close();
      try (HeldSnapshot now = reader.await("policy", 0, LONG)) {
        assertConstant(now, 2);
        now.verify("w");
      }
    }
    awaitNothingLent();
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseWhatIsCopiedFromAnAddressMeanwhile() {
    show(1);
    try (TensorHolders reader = reader(true);
        HeldSnapshot snapshot = reader.await("policy", 0, LONG);
        NativeMemory copy = NativeMemory.allocate(SIZE_BYTES)) {
      long address = snapshot.address("w").orElseThrow();
      NativeMemory.copy(copy.address(), address, SIZE_BYTES / 2);
      snapshot.check();
      holding.withdraw();
      show(2);
      NativeMemory.copy(
          copy.address(SIZE_BYTES / 2, SIZE_BYTES / 2), address + SIZE_BYTES / 2, SIZE_BYTES / 2);
      expectThrows(AbortedException.class, snapshot::check);
    }
  }

  /** The copies of a reader that knows nothing, while all is taken from it again and again. */
  @Test(timeOut = 300_000, dataProvider = "ways")
  public void shouldGiveAWholeVersionOrNone(boolean shared) {
    Deadline deadline = Deadline.after(Duration.ofMinutes(4));
    int refused = 0;
    show(1);
    try (TensorHolders reader = reader(shared)) {
      for (int version = 1; refused < CUT_SHORT; version++) {
        assertTrue(!deadline.isExpired(), "only " + refused + " of " + version);
        int next = version + 1;
        try (HeldSnapshot snapshot = reader.await("policy", version - 1, LONG)) {
          CompletableFuture<Void> replaced =
              CompletableFuture.runAsync(
                  () -> {
                    holding.withdraw();
                    show(next);
                  });
          try {
            assertConstant(snapshot, version);
          } catch (AbortedException e) {
            refused++;
          }
          replaced.orTimeout(60, TimeUnit.SECONDS).join();
        }
      }
    }
    awaitNothingLent();
  }

  @Test(timeOut = 120_000, dataProvider = "ways")
  public void shouldVoidWhatAVolumeHasLentWhenItEnds(boolean shared) {
    StoreOptions options = new StoreOptions(LONG, shared);
    try (TensorStore store = TensorStore.connect(volume.address(), token, options)) {
      Tensors.put(store, Tensors.constant(1, ELEMENTS));
      Snapshot snapshot = store.open(List.of("w"));
      snapshot.check();
      assertEquals(snapshot.address("w").isPresent(), shared);
      volume.close();
      expectThrows(PeerFailedException.class, () -> snapshot.get("w"));
      expectThrows(PeerFailedException.class, snapshot::check);
    }
  }

  private void awaitNothingLent() {
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, StoreOptions.defaults())) {
      holding.withdraw();
      VolumeFigures now = Clients.awaitOnly(1, store::figures);
      assertEquals(now.leases(), 0, now.toString());
      assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
    }
  }

  private TensorHolders reader(boolean shared) {
    StoreOptions options = new StoreOptions(LONG, shared);
    return TensorHolders.connect(List.of(volume.address()), token, options);
  }

  private void show(int version) {
    show(version, LONG);
  }

  private void show(int version, Duration patience) {
    Tensors.show(holding, version, ELEMENTS, patience);
  }

  private static void assertConstant(HeldSnapshot snapshot, float value) {
    Tensors.assertConstant(snapshot.get("w"), ELEMENTS, value);
  }
}
