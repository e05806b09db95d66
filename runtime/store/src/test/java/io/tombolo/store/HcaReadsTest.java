// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;
import static org.testng.Assert.expectThrows;

import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.AbortedException;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.VerbsReads;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorPart;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.Holding;
import io.tombolo.store.volume.Volume;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.tensors.layout.Box;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

  private final JobToken token = JobToken.random();
  private long living;
  private VerbsReads there;
  private CountedReads here;
  private Volume volume;

  @BeforeMethod
  public void start() {
    EmulatedHca.set("TAG_BITS", "1");
    living = EmulatedHca.living();
    there = VerbsReads.from(settings(0));
    here = new CountedReads(VerbsReads.from(settings(1)));
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    VolumeOptions forOne = new VolumeOptions((long) ELEMENTS * Float.BYTES, 1, LONG);
    volume = Volume.serve(anyPort, token, forOne.withReads(there));
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingBehind() {
    volume.close();
    here.close();
    there.close();
    EmulatedHca.set("TAG_BITS", "0");
    assertEquals(EmulatedHca.living(), living, "objects of the NICs");
  }

  private static Map<String, String> settings(int nic) {
    return Map.of(
        "ibverbs",
        EmulatedHca.library(),
        "rdma_device",
        EmulatedHca.device(nic),
        "fabrics",
        "rc,tcp");
  }

  private StoreOptions options() {
    return new StoreOptions(LONG, false).withReads(here);
  }

  @Test(timeOut = 120_000)
  public void shouldReadAVolumesMemory() {
    try (TensorStore store = TensorStore.connect(volume.address(), token, options())) {
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
    Holding holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
    show(holding, 1);
    try (TensorHolders reader =
        TensorHolders.connect(List.of(volume.address()), token, options())) {
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
    Holding holding = volume.hold("policy", new HolderRank("run 1", 1, 0));
    show(holding, 1);
    int refused = 0;
    try (TensorHolders reader =
        TensorHolders.connect(List.of(volume.address()), token, options())) {
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
    try (TensorStore store =
        TensorStore.connect(volume.address(), token, new StoreOptions(LONG, false))) {
      HostTensor tensor = Tensors.counting(1, ELEMENTS);
      store.put("w", tensor);
      tensor.memory().close();
      assertReadOnce();
      awaitNothingLeft(store);
      long before = EmulatedHca.living();
      Process reader =
          ClientProcess.start(Reader.class, token, String.valueOf(volume.address().getPort()));
      try {
        ClientProcess.awaitFirst(reader, Reader.BEGUN);
        assertTrue(EmulatedHca.living() > before, "it does not read one-sidedly");
        assertTrue(reader.isAlive(), "it has seen something wrong");
      } finally {
        assertTrue(reader.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
      }
      awaitNothingLeft(store);
      assertEquals(EmulatedHca.living(), before, "objects of the holder's NIC");
      assertEquals(store.delete(List.of("w")), 1);
      assertEquals(store.figures().freeBytes(), store.figures().capacityBytes());
    }
  }

  /** Both devices are open afterwards, and the tensor is exposed. */
  private void assertReadOnce() {
    try (TensorStore store = TensorStore.connect(volume.address(), token, options())) {
      store.get("w").memory().close();
      assertEquals(here.reads(), 2);
    }
  }

  private static void awaitNothingLeft(TensorStore store) {
    Deadline deadline = Deadline.after(LONG);
    VolumeFigures now = store.figures();
    while (now.clients() > 1) {
      assertTrue(!deadline.isExpired(), now.toString());
      now = store.figures();
    }
    assertEquals(now.leases(), 0);
  }

  /** A process that reads past the volume's until it is killed. */
  public static final class Reader {
    static final String BEGUN = "it reads one-sidedly";

    private Reader() {}

    /** Has the volume at the port in the first argument. */
    public static void main(String[] arguments) {
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
      JobToken token = JobToken.parse(System.getenv("TOMBOLO_TOKEN"));
      try (CountedReads reads = new CountedReads(VerbsReads.from(settings(1)));
          TensorStore store =
              TensorStore.connect(address, token, new StoreOptions(LONG, false).withReads(reads))) {
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
    HostTensor tensor = Tensors.constant(version, ELEMENTS);
    try {
      holding.show(version, Map.of("w", TensorPart.whole(tensor)), LONG);
    } finally {
      tensor.memory().close();
    }
  }

  private static void assertConstant(HeldSnapshot snapshot, float value) {
    float[] elements = Tensors.elements(snapshot.get("w"));
    assertEquals(elements.length, ELEMENTS);
    for (float element : elements) {
      assertEquals(element, value);
    }
  }
}
