// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.emulated.hca.EmulatedHca;
import io.tombolo.rdma.verbs.VerbsReads;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.HostTensor;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.Test;

/** One-sided puts over two emulated NICs, whose keys have one bit that changes. */
public class HcaPutsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int WAIT_MS = 60_000;

  /** All of it needs three reads. */
  private static final int ELEMENTS = 2 * VolumePulls.PIECE_BYTES / Float.BYTES + 9;

  private static final int READS = 3;
  private static final int HELD_BYTES = 1 << 16;

  private TwoNics nics;
  private CountedReads there;
  private VerbsReads here;
  private OneSidedVolume volume;

  @BeforeMethod
  public void start() {
    nics = new TwoNics();
    there = new CountedReads(TwoNics.open(0));
    here = TwoNics.open(1);
    VolumeOptions forTwo = new VolumeOptions(2L * (ELEMENTS + 64) * Float.BYTES, 1, LONG);
    volume = new OneSidedVolume(forTwo.withReads(there), here);
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingBehind() {
    volume.close();
    here.close();
    there.close();
    nics.close();
  }

  @Test(timeOut = 120_000)
  public void shouldReadWhatIsPutFromItsClientsMemory() {
    try (TensorStore store = volume.store();
        TensorStore observer = volume.plain()) {
      for (int round = 1; round <= 4; round++) {
        HostTensor tensor = Tensors.counting(round, ELEMENTS);
        store.put("w", tensor);
        assertEquals(there.reads(), round * READS);
        HostTensor got = observer.get("w");
        assertEquals(Layouts.bytes(got), Layouts.bytes(tensor));
        got.memory().close();
        tensor.memory().close();
      }
    }
  }

  /** With one bit that changes, every second key of a block is one that it has had. */
  @Test(timeOut = 120_000)
  public void shouldTakeNoByteByAKeyThatHoldsNoMore() throws IOException {
    try (NativeMemory held = NativeMemory.allocate(HELD_BYTES);
        Offering client = new Offering()) {
      NativeMemory.fill(held.address(), (byte) 7, HELD_BYTES);
      MemoryBlock block = new MemoryBlock(HELD_BYTES, () -> new MemoryExport.Host(held.address()));
      OneSidedReads.Exposed first = here.expose("first", block);
      byte[] old = first.key();
      client.assertPulled(old, 0);
      first.close();
      for (int again = 0; again < 4; again++) {
        NativeMemory.fill(held.address(), (byte) again, HELD_BYTES);
        try (OneSidedReads.Exposed other = here.expose("other", block)) {
          client.assertRefused(old, 0);
          client.assertPulled(other.key(), 0);
        }
        client.assertRefused(old, 0);
      }
    }
  }

  @Test(timeOut = 120_000)
  public void shouldTakeNoByteFromBesideWhatAKeyOpens() throws IOException {
    try (NativeMemory held = NativeMemory.allocate(HELD_BYTES);
        Offering client = new Offering()) {
      MemoryBlock block = new MemoryBlock(HELD_BYTES, () -> new MemoryExport.Host(held.address()));
      try (OneSidedReads.Exposed exposed = here.expose("all", block)) {
        byte[] key = exposed.key();
        client.assertPulled(key, 0);
        client.assertRefused(key, 1);
        client.assertRefused(key, HELD_BYTES);
        client.assertRefused(key, Long.MAX_VALUE);
        client.assertRefused(key, Long.MAX_VALUE - HELD_BYTES + 1);
        client.assertRefused(new byte[0], 0);
        client.assertRefused(new byte[key.length], 0);
        client.assertRefused(new byte[key.length + 1], 0);
        ByteBuffer longer = ByteBuffer.wrap(key.clone()).order(ByteOrder.LITTLE_ENDIAN);
        longer.putLong(Long.BYTES, 2L * HELD_BYTES); // so many bytes, it says
        client.assertRefused(longer.array(), HELD_BYTES);
        client.assertPulled(key, 0);
      }
    }
  }

  /** A client that puts a tensor of as many bytes as are held, and offers them by some key. */
  private final class Offering implements AutoCloseable {
    private final RawClient client;
    private Optional<OneSidedReads.Holder> end = Optional.empty();

    Offering() throws IOException {
      client = volume.raw();
    }

    void assertPulled(byte[] key, long from) throws IOException {
      long put = begin();
      connect();
      assertEquals(client.ask(pull(put, key, from)), new Reply.Done());
      client.send(new VolumeRequest.Abort(put));
    }

    void assertRefused(byte[] key, long from) throws IOException {
      long put = begin();
      connect();
      client.assertRefused(pull(put, key, from), Reply.Reason.ONE_SIDED);
      client.send(new VolumeRequest.Abort(put));
    }

    private long begin() throws IOException {
      NamedSpec all = new NamedSpec("w", TensorSpec.of(DataType.U8, HELD_BYTES));
      Reply granted = client.ask(new VolumeRequest.Begin("", ImmutableList.of(all)));
      return ((Reply.Granted) granted).put();
    }

    /** By a new way, as one that was refused has ended. */
    private void connect() throws IOException {
      closeEnd();
      OneSidedReads.Holder made = here.holder();
      end = Optional.of(made);
      Reply reached = client.ask(new VolumeRequest.Dial());
      byte[] card = made.connect(Bytes.toArray(((Reply.Reached) reached).card()));
      assertEquals(client.ask(new VolumeRequest.Connect(list(card))), new Reply.Done());
    }

    private static VolumeRequest pull(long put, byte[] key, long from) {
      return new VolumeRequest.Pull(put, 0, 0, HELD_BYTES, list(key), from, WAIT_MS);
    }

    private static ImmutableList<Byte> list(byte[] bytes) {
      return ImmutableList.copyOf(Bytes.asList(bytes));
    }

    private void closeEnd() {
      end.ifPresent(OneSidedReads.Holder::close);
      end = Optional.empty();
    }

    @Override
    public void close() {
      closeEnd();
      client.close();
    }
  }

  /** Its way, what the volume was reading, and the put. */
  @Test(timeOut = 240_000)
  public void shouldKeepNothingOfAClientThatIsKilled() throws Exception {
    try (TensorStore observer = volume.plain()) {
      try (TensorStore store = volume.store()) {
        Tensors.put(store, Tensors.constant(1, ELEMENTS));
        assertEquals(there.reads(), READS);
      }
      assertEquals(Clients.awaitOnly(1, observer::figures).puts(), 0);
      long before = EmulatedHca.living();
      int reads = there.reads();
      Process writer = volume.start(Writer.class);
      try {
        ClientProcess.awaitFirst(writer, Writer.BEGUN);
        Deadline deadline = Deadline.after(LONG);
        while (there.reads() < reads + 3 * READS) {
          assertTrue(writer.isAlive() && !deadline.isExpired(), "it does not put one-sidedly");
        }
      } finally {
        assertTrue(writer.destroyForcibly().waitFor(60, TimeUnit.SECONDS));
      }
      assertEquals(Clients.awaitOnly(1, observer::figures).puts(), 0);
      assertEquals(EmulatedHca.living(), before, "objects of the volume's NIC");
      HostTensor got = observer.get("w");
      int checksum = Checksum.of(got.memory().address(), got.spec().sizeBytes());
      assertEquals(observer.list("w").get(0).checksum(), checksum);
      float[] elements = Tensors.elements(got);
      for (float element : elements) {
        assertEquals(element, elements[0], "a part of another put");
      }
      assertEquals(observer.delete(List.of("w")), 1);
      assertEquals(observer.figures().freeBytes(), observer.figures().capacityBytes());
    }
  }

  /** A process that puts until it is killed: each time all elements are another number. */
  public static final class Writer {
    static final String BEGUN = "it puts";

    private Writer() {}

    /** Has the volume at the port in the first argument. */
    public static void main(String[] arguments) {
      HostTensor tensor = HostTensor.allocate(DataType.F32, ELEMENTS);
      try (VerbsReads reads = TwoNics.open(1);
          TensorStore store = OneSidedVolume.store(arguments, reads)) {
        for (int round = 2; ; round++) {
          Tensors.fill(tensor, round);
          store.put("w", tensor);
          if (round == 2) {
            System.out.println(BEGUN);
          }
        }
      }
    }
  }
}
