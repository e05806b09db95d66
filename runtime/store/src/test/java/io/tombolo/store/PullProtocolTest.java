// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import static org.testng.Assert.assertEquals;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Bytes;
import io.tombolo.base.DataType;
import io.tombolo.base.MemoryBlock;
import io.tombolo.base.MemoryExport;
import io.tombolo.base.NativeMemory;
import io.tombolo.base.OneSidedReads;
import io.tombolo.store.memory.Checksum;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.volume.VolumeOptions;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** What a volume reads for clients that offer it what they must not, or leave in the middle. */
public class PullProtocolTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int WAIT_MS = 60_000;
  private static final int SIZE_BYTES = WireBounds.PULL_BYTES + 1024;
  private static final int HALF_BYTES = SIZE_BYTES / 2;
  private static final NamedSpec WEIGHTS =
      new NamedSpec("w", TensorSpec.of(DataType.U8, SIZE_BYTES));
  private static final ImmutableList<Byte> NO_KEY =
      ImmutableList.of((byte) 0, (byte) 0, (byte) 0, (byte) 0);

  private FakeReads device;
  private NativeMemory held;
  private OneSidedReads.Exposed exposed;
  private OneSidedVolume volume;
  private RawClient observer;

  @BeforeMethod
  public void start() throws IOException {
    device = new FakeReads();
    held = NativeMemory.allocate(SIZE_BYTES);
    NativeMemory.fill(held.address(), (byte) 7, SIZE_BYTES);
    MemoryBlock block = new MemoryBlock(SIZE_BYTES, () -> new MemoryExport.Host(held.address()));
    exposed = device.expose("what is put", block);
    volume =
        new OneSidedVolume(new VolumeOptions(2L * SIZE_BYTES, 1, LONG).withReads(device), device);
    observer = volume.raw();
  }

  @AfterMethod(alwaysRun = true)
  public void leaveNothingRegistered() {
    observer.close();
    volume.close();
    exposed.close();
    held.close();
    assertEquals(device.living(), 0);
  }

  private void awaitNothingBorrowed() throws IOException {
    VolumeFigures now = Clients.awaitOnly(1, observer::figures);
    assertEquals(now.puts(), 0, now.toString());
    assertEquals(now.tensors(), 0, now.toString());
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
    assertEquals(device.living(), 1, "only what the test exposes");
  }

  private static long begin(RawClient client) throws IOException {
    return begin(client, ImmutableList.of(WEIGHTS));
  }

  private static long begin(RawClient client, ImmutableList<NamedSpec> tensors) throws IOException {
    return ((Reply.Granted) client.ask(new VolumeRequest.Begin("", tensors))).put();
  }

  private static void dial(RawClient client) throws IOException {
    Reply reached = client.ask(new VolumeRequest.Dial());
    ImmutableList<Byte> card = ((Reply.Reached) reached).card();
    assertEquals(client.ask(new VolumeRequest.Connect(card)), new Reply.Done());
  }

  private static VolumeRequest.Pull pull(
      long put, long offset, long sizeBytes, ImmutableList<Byte> key) {
    return new VolumeRequest.Pull(put, 0, offset, sizeBytes, key, offset, WAIT_MS);
  }

  private ImmutableList<Byte> key() {
    return ImmutableList.copyOf(Bytes.asList(exposed.key()));
  }

  @Test(timeOut = 120_000)
  public void shouldTakeAPutInAnyPieces() throws IOException {
    try (RawClient client = volume.raw()) {
      long put = begin(client);
      dial(client);
      assertEquals(client.ask(pull(put, 0, 1, key())), new Reply.Done());
      assertEquals(client.ask(pull(put, 1, HALF_BYTES, key())), new Reply.Done());
      long done = 1 + HALF_BYTES;
      assertEquals(client.ask(pull(put, done, SIZE_BYTES - done, key())), new Reply.Done());
      int checksum = Checksum.of(held.address(), SIZE_BYTES);
      Reply committed = client.ask(new VolumeRequest.Commit(put, ImmutableList.of(checksum)));
      assertEquals(committed, new Reply.Committed(0));
      assertEquals(device.reads(), 3);
    }
  }

  /** The first put of a connection has number 1; nothing of it has come. */
  @DataProvider
  Object[][] nonsense() {
    return new Object[][] {
      {pull(99, 0, 1, NO_KEY)},
      {new VolumeRequest.Pull(1, 1, 0, 1, NO_KEY, 0, WAIT_MS)},
      {new VolumeRequest.Pull(1, -1, 0, 1, NO_KEY, 0, WAIT_MS)},
      {new VolumeRequest.Pull(1, Integer.MIN_VALUE, 0, 1, NO_KEY, 0, WAIT_MS)},
      {pull(1, 1, 1, NO_KEY)},
      {pull(1, SIZE_BYTES, 1, NO_KEY)},
      {pull(1, Long.MAX_VALUE, 1, NO_KEY)},
      {pull(1, Long.MAX_VALUE, Long.MAX_VALUE, NO_KEY)},
      {pull(1, 0, 0, NO_KEY)},
      {pull(1, 0, WireBounds.PULL_BYTES + 1, NO_KEY)},
      {pull(1, 0, SIZE_BYTES, NO_KEY)},
      {pull(1, 0, Long.MAX_VALUE, NO_KEY)},
      {pull(1, 0, -1, NO_KEY)},
      {pull(1, -1, 1, NO_KEY)},
      {new VolumeRequest.Connect(NO_KEY)},
    };
  }

  @Test(dataProvider = "nonsense", timeOut = 120_000)
  public void shouldEndTheConnectionOfAClientThatBreaksTheProtocol(VolumeRequest nonsense)
      throws IOException {
    try (RawClient client = volume.raw()) {
      assertEquals(begin(client), 1);
      client.assertEnds(nonsense);
    }
    awaitNothingBorrowed();
    assertEquals(device.reads(), 0);
  }

  /** What goes beyond the end of the tensor would be in another one's room. */
  @Test(timeOut = 120_000)
  public void shouldReadNoMoreThanTheTensorHas() throws IOException {
    try (RawClient client = volume.raw()) {
      long put = begin(client);
      dial(client);
      assertEquals(client.ask(pull(put, 0, HALF_BYTES, key())), new Reply.Done());
      client.assertEnds(pull(put, HALF_BYTES, SIZE_BYTES - HALF_BYTES + 1, key()));
    }
    awaitNothingBorrowed();
    assertEquals(device.reads(), 1);
  }

  @Test(timeOut = 120_000)
  public void shouldConnectAWayOnce() throws IOException {
    try (RawClient client = volume.raw()) {
      assertEquals(begin(client), 1);
      dial(client);
      dial(client);
      client.assertEnds(new VolumeRequest.Connect(ImmutableList.of((byte) 1)));
    }
    awaitNothingBorrowed();
  }

  /** Without a way, with a key that opens nothing, and with one that was withdrawn. */
  @Test(timeOut = 120_000)
  public void shouldTakeWhatItCannotReadOverTheConnection() throws IOException {
    ImmutableList<Byte> key = key();
    try (RawClient client = volume.raw()) {
      long put = begin(client);
      client.assertRefused(pull(put, 0, HALF_BYTES, key), Reply.Reason.ONE_SIDED);
      dial(client);
      client.assertRefused(pull(put, 0, HALF_BYTES, NO_KEY), Reply.Reason.ONE_SIDED);
      client.assertRefused(
          pull(put, 0, HALF_BYTES, key), Reply.Reason.ONE_SIDED); // the way has ended
      dial(client);
      assertEquals(client.ask(pull(put, 0, HALF_BYTES, key)), new Reply.Done());
      exposed.close();
      client.assertRefused(pull(put, HALF_BYTES, HALF_BYTES, key), Reply.Reason.ONE_SIDED);
      client.assertRefused(
          pull(put, 0, HALF_BYTES, key), Reply.Reason.ONE_SIDED); // nothing of it has come
      assertEquals(device.living(), 0);
      client.send(new VolumeRequest.Send(put, 0, 1));
      byte[] bytes = new byte[SIZE_BYTES];
      bytes[SIZE_BYTES - 1] = 3;
      client.send(ByteBuffer.wrap(bytes));
      held.put(0, bytes, 0, SIZE_BYTES);
      int checksum = Checksum.of(held.address(), SIZE_BYTES);
      Reply committed = client.ask(new VolumeRequest.Commit(put, ImmutableList.of(checksum)));
      assertEquals(committed, new Reply.Committed(0));
    }
  }

  /** Of a tensor without bytes, too, which comes by being sent. */
  @Test(timeOut = 120_000)
  public void shouldRefuseChecksumsOfOtherBytes() throws IOException {
    NamedSpec empty = new NamedSpec("empty", TensorSpec.of(DataType.U8, 0));
    int checksum = Checksum.of(held.address(), SIZE_BYTES);
    try (RawClient client = volume.raw()) {
      dial(client);
      for (ImmutableList<Integer> wrong :
          ImmutableList.of(ImmutableList.of(checksum + 1, 0), ImmutableList.of(checksum, 1))) {
        long put = begin(client, ImmutableList.of(WEIGHTS, empty));
        pullAll(client, put);
        client.send(new VolumeRequest.Send(put, 0, 2));
        client.assertRefused(new VolumeRequest.Commit(put, wrong), Reply.Reason.CORRUPT);
      }
      long put = begin(client, ImmutableList.of(WEIGHTS, empty));
      pullAll(client, put);
      client.send(new VolumeRequest.Send(put, 0, 2));
      ImmutableList<Integer> right = ImmutableList.of(checksum, 0);
      assertEquals(client.ask(new VolumeRequest.Commit(put, right)), new Reply.Committed(0));
      assertEquals(device.reads(), 6);
    }
  }

  private void pullAll(RawClient client, long put) throws IOException {
    assertEquals(client.ask(pull(put, 0, HALF_BYTES, key())), new Reply.Done());
    assertEquals(client.ask(pull(put, HALF_BYTES, HALF_BYTES, key())), new Reply.Done());
  }

  /** Its room has what lay there before, which is another's. */
  @Test(timeOut = 120_000)
  public void shouldShowNothingOfAPutThatHasNotComeWhole() throws IOException {
    for (int pieces = 0; pieces <= 1; pieces++) {
      try (RawClient client = volume.raw()) {
        long put = begin(client);
        dial(client);
        if (pieces == 1) {
          assertEquals(client.ask(pull(put, 0, HALF_BYTES, key())), new Reply.Done());
        } else {
          client.assertRefused(pull(put, 0, HALF_BYTES, NO_KEY), Reply.Reason.ONE_SIDED);
        }
        client.assertEnds(new VolumeRequest.Commit(put, ImmutableList.of(0)));
      }
      awaitNothingBorrowed();
    }
  }

  /** It goes while the volume has half of a piece, of the second one. */
  @Test(timeOut = 120_000)
  public void shouldKeepNothingOfAClientThatGoesInTheMiddle() throws IOException {
    RawClient client = volume.raw();
    long put = begin(client);
    dial(client);
    assertEquals(client.ask(pull(put, 0, HALF_BYTES, key())), new Reply.Done());
    device.inTheMiddle(client::close);
    client.send(pull(put, HALF_BYTES, HALF_BYTES, key()));
    awaitNothingBorrowed();
    assertEquals(device.reads(), 2);
  }

  @DataProvider
  Object[][] waits() {
    return new Object[][] {
      {500, 500},
      {Integer.MAX_VALUE, 30_000},
      {0, 0},
      {-1, 0},
      {Integer.MIN_VALUE, 0},
    };
  }

  /** It is a thread of the volume's that waits. */
  @Test(dataProvider = "waits", timeOut = 120_000)
  public void shouldReadForNoLongerThanItsClientSaysOrMaySay(int saidMs, int mostMs)
      throws IOException {
    try (RawClient client = volume.raw()) {
      long put = begin(client);
      dial(client);
      VolumeRequest pull = new VolumeRequest.Pull(put, 0, 0, 1, key(), 0, saidMs);
      assertEquals(client.ask(pull), new Reply.Done()); // the device looks at no clock
      assertEquals(device.lastWait().toMillis(), mostMs);
    }
  }

  @Test(timeOut = 120_000)
  public void shouldEndAWayThatIsReplaced() throws IOException {
    try (RawClient client = volume.raw()) {
      dial(client);
      int living = device.living();
      dial(client);
      assertEquals(device.living(), living);
    }
    awaitNothingBorrowed();
  }
}
