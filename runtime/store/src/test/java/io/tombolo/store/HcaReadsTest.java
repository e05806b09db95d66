// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.VerbsReads;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** One-sided reads over two emulated NICs, whose keys have one bit that changes. */
public class HcaReadsTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  /** All of it needs two reads. */
  private static final int ELEMENTS = (1 << 20) + 5008;

  private static final int CUT_SHORT = 8;

  private TwoNics nics;
  private VerbsReads there;
  private CountedReads here;
  private OneSidedVolume volume;

  @BeforeMethod
  public void start() {
    nics = new TwoNics();
    there = TwoNics.open(0);
    here = new CountedReads(TwoNics.open(1));
    VolumeOptions forOne = new VolumeOptions((long) ELEMENTS * Float.BYTES, 1, LONG);
    volume = new OneSidedVolume(forOne.withReads(there), here);
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingBehind() {
    volume.close();
    here.close();
    there.close();
    nics.close();
  }

  @Test(timeOut = 120_000)
  public void shouldReadAVolumesMemory() {
    try (TensorStore store = volume.store()) {
      for (int version = 1; version <= 3; version++) {
        HostTensor tensor = Tensors.counting(version, ELEMENTS);
        store.put("w", tensor);
        HostTensor got = store.get("w");
        assertEquals(Layouts.bytes(got), Layouts.bytes(tensor));
        got.memory().close();
        tensor.memory().close();
        Box end = Box.between(new long[] {ELEMENTS - 20_000}, new long[] {ELEMENTS});
        float[] last = Tensors.elements(store.get("w", end));
        assertEquals(last[0], (float) (version + ELEMENTS - 20_000));
        assertEquals(last[last.length - 1], (float) (version + ELEMENTS - 1));
        assertEquals(here.reads(), 3 * version);
        assertEquals(store.delete(List.of("w")), 1); // there is room for one
      }
    }
  }

  /** Between two reads of a tensor the holder shows the next version in the same place. */
  @Test(timeOut = 120_000)
  public void shouldGiveNothingOfWhatIsShownInItsPlace() {
    Holding holding = volume.volume().hold("policy", new HolderRank("run 1", 1, 0));
    show(holding, 1);
    try (TensorHolders reader = volume.holders()) {
      try (HeldSnapshot first = reader.await("policy", 0, LONG)) {
        assertConstant(first, 1);
        assertEquals(here.reads(), 2);
        here.before(
            () -> {
              if (here.reads() == 3) {
                here.before(() -> {});
                holding.withdraw();
                show(holding, 2);
              }
            });
        AbortedException refused = expectThrows(AbortedException.class, () -> first.get("w"));
        assertTrue(refused.getMessage().contains("version 1"), refused.getMessage());
        assertEquals(here.reads(), 3);
      }
      try (HeldSnapshot second = reader.await("policy", 1, LONG)) {
        assertConstant(second, 2);
      }
      assertEquals(here.reads(), 5);
    }
  }

  /** The reads of a reader that knows nothing, while all is taken from it again and again. */
  @Test(timeOut = 300_000)
  public void shouldGiveAWholeVersionOrNone() {
    Deadline deadline = Deadline.after(Duration.ofMinutes(4));
    Holding holding = volume.volume().hold("policy", new HolderRank("run 1", 1, 0));
    show(holding, 1);
    int refused = 0;
    try (TensorHolders reader = volume.holders()) {
      int version = 1;
      for (; refused < CUT_SHORT; version++) {
        assertTrue(!deadline.isExpired(), "only " + refused + " of " + version);
        int next = version + 1;
        try (HeldSnapshot snapshot = reader.await("policy", version - 1, LONG)) {
          CompletableFuture<Void> replaced =
              CompletableFuture.runAsync(
                  () -> {
                    holding.withdraw();
                    show(holding, next);
                  });
          try {
            assertConstant(snapshot, version);
          } catch (AbortedException e) {
            refused++;
          }
          replaced.orTimeout(60, TimeUnit.SECONDS).join();
        }
      }
      int before = here.reads();
      try (HeldSnapshot last = reader.await("policy", version - 1, LONG)) {
        assertConstant(last, version);
      }
      assertEquals(here.reads(), before + 2, "refusals are no reason to give up");
    }
  }

  /** The way that its reads came by, its lease, and its connection. */
  @Test(timeOut = 240_000)
  public void shouldKeepNothingOfAReaderThatIsKilled() throws Exception {
    try (TensorStore store = volume.plain()) {
      Tensors.put(store, Tensors.counting(1, ELEMENTS));
      assertReadOnce();
      assertEquals(Clients.awaitOnly(1, store::figures).leases(), 0);
      long before = EmulatedHca.living();
      Process reader = volume.start(Reader.class);
      try {
        ClientProcess.awaitFirst(reader, Reader.BEGUN);
        assertTrue(EmulatedHca.living() > before, "it does not read one-sidedly");
        assertTrue(reader.isAlive(), "it has seen something wrong");
      } finally {
        assertTrue(reader.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
      }
      assertEquals(Clients.awaitOnly(1, store::figures).leases(), 0);
      assertEquals(EmulatedHca.living(), before, "objects of the holder's NIC");
      assertEquals(store.delete(List.of("w")), 1);
      assertEquals(store.figures().freeBytes(), store.figures().capacityBytes());
    }
  }

  /** Both devices are open afterwards, and the tensor is exposed. */
  private void assertReadOnce() {
    try (TensorStore store = volume.store()) {
      store.get("w").memory().close();
      assertEquals(here.reads(), 2);
    }
  }

  /** A process that reads past the volume's until it is killed. */
  public static final class Reader {
    static final String BEGUN = "it reads one-sidedly";

    private Reader() {}

    /** Has the volume at the port in the first argument. */
    public static void main(String[] arguments) {
      try (CountedReads reads = new CountedReads(TwoNics.open(1));
          TensorStore store = OneSidedVolume.store(arguments, reads)) {
        for (int round = 1; ; round++) {
          store.get("w").memory().close();
          if (reads.reads() != 2 * round) {
            throw new AssertionError(reads.reads() + " reads in " + round + " rounds");
          }
          if (round == 1) {
            System.out.println(BEGUN);
          }
        }
      }
    }
  }

  private static void show(Holding holding, int version) {
    Tensors.show(holding, version, ELEMENTS, LONG);
  }

  private static void assertConstant(HeldSnapshot snapshot, float value) {
    Tensors.assertConstant(snapshot.get("w"), ELEMENTS, value);
  }
}
