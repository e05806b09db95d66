// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.TestSeed;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.ReplyCodec;
import io.tombolo.store.wire.VolumeGreeting;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
import io.tombolo.tensors.layout.Box;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.testng.annotations.AfterMethod;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

/** A volume and clients that do not keep to the protocol. */
public class ProtocolTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final NamedSpec WEIGHTS = new NamedSpec("w", TensorSpec.of(DataType.F32, 100));

  private final JobToken token = JobToken.random();
  private Volume volume;
  private Link observer;

  @BeforeMethod
  public void start() throws IOException {
    volume =
        Volume.serve(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            token,
            new VolumeOptions(1 << 20, 2, LONG));
    observer = client();
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    observer.close();
    volume.close();
  }

  private Link client() throws IOException {
    Link link = Link.connect(volume.address(), LONG);
    assertEquals(VolumeGreeting.asClient(link, token).memory().sizeBytes(), (1 << 20) + 4096);
    return link;
  }

  private static Reply ask(Link link, VolumeRequest request) throws IOException {
    link.send(request.frame());
    return ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }

  private VolumeFigures figures() throws IOException {
    return ((Reply.Volume) ask(observer, new VolumeRequest.Stat())).figures();
  }

  private void awaitNothingBorrowed() throws IOException {
    Deadline deadline = Deadline.after(LONG);
    VolumeFigures now = figures();
    while (now.clients() > 1 || now.puts() + now.leases() > 0) {
      assertTrue(!deadline.isExpired(), now.toString());
      now = figures();
    }
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldForgetThePutOfAClientThatHasGone() throws IOException {
    try (Link link = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("policy", ImmutableList.of(WEIGHTS));
      assertTrue(ask(link, begin) instanceof Reply.Granted);
      assertEquals(figures().puts(), 1);
      assertEquals(figures().stateDicts(), 0);
    }
    awaitNothingBorrowed();
  }

  @DataProvider
  Object[][] nonsense() {
    Box whole = Box.whole(100);
    return new Object[][] {
      {new VolumeRequest.Send(99)},
      {new VolumeRequest.Abort(99)},
      {new VolumeRequest.Release(99)},
      {new VolumeRequest.Commit(99, ImmutableList.of(0))},
      {new VolumeRequest.Commit(1, ImmutableList.of(0, 0))},
      {new VolumeRequest.Read(99, 0, whole)},
      {new VolumeRequest.Check(99, 0)},
      {new VolumeRequest.Confirm(99)},
    };
  }

  @Test(dataProvider = "nonsense", timeOut = 120_000)
  public void shouldEndTheConnectionOfAClientThatBreaksTheProtocol(VolumeRequest nonsense)
      throws IOException {
    try (Link link = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS));
      assertTrue(ask(link, begin) instanceof Reply.Granted);
      link.send(nonsense.frame());
      Reply refusal = ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
      assertTrue(refusal instanceof Reply.Refused, refusal.toString());
      assertThrows(EOFException.class, () -> link.receive(1));
    }
    awaitNothingBorrowed();
  }

  /** It may still be copying into it, whatever it has said. */
  @Test(timeOut = 120_000)
  public void shouldLendMemoryToNobodyElseUntilTheClientHasClosedItsEnd() throws IOException {
    try (Link link = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS));
      assertTrue(ask(link, begin) instanceof Reply.Granted);
      link.send(new VolumeRequest.Send(99).frame());
      assertTrue(
          ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES)) instanceof Reply.Refused);
      assertThrows(EOFException.class, () -> link.receive(1));
      assertEquals(figures().puts(), 1);
      assertTrue(figures().freeBytes() < figures().capacityBytes());
    }
    awaitNothingBorrowed();
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseBytesThatAreNotThoseThatWereSent() throws IOException {
    try (Link link = client()) {
      Reply granted = ask(link, new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS)));
      long put = ((Reply.Granted) granted).put();
      link.send(new VolumeRequest.Send(put).frame());
      link.send(ByteBuffer.allocate(400));
      Reply refused = ask(link, new VolumeRequest.Commit(put, ImmutableList.of(0xbad)));
      assertThrows(CorruptException.class, () -> throwAgain((Reply.Refused) refused));
      assertEquals(figures().puts(), 0);
    }
    awaitNothingBorrowed();
  }

  private static void throwAgain(Reply.Refused refused) {
    throw refused.error();
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseAnotherTokenAndServeOthers() throws IOException {
    try (Link link = Link.connect(volume.address(), LONG)) {
      link.send(ByteBuffer.wrap(new byte[37]));
      assertThrows(IOException.class, () -> link.receive(1));
    }
    assertEquals(figures().clients(), 1);
  }

  @Test(timeOut = 300_000)
  public void shouldSurviveAnythingThatClientsSend() throws IOException {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    List<VolumeRequest> requests =
        List.of(
            new VolumeRequest.Begin("d", ImmutableList.of(WEIGHTS)),
            new VolumeRequest.Commit(1, ImmutableList.of(7)),
            new VolumeRequest.OpenTensors(ImmutableList.of("w")),
            new VolumeRequest.OpenVersion("d", 0, 1),
            new VolumeRequest.Read(2, 0, Box.whole(100)),
            new VolumeRequest.Check(2, 0),
            new VolumeRequest.Delete(ImmutableList.of("w")),
            new VolumeRequest.Drop("d"),
            new VolumeRequest.ListTensors("", "", 9),
            new VolumeRequest.Dial(),
            new VolumeRequest.Connect(ImmutableList.of((byte) 1)),
            new VolumeRequest.Pull(1, 0, 0, 100, ImmutableList.of((byte) 1), 0, 1),
            new VolumeRequest.Stat());
    for (int round = 0; round < 150; round++) {
      try (Link link = client()) {
        for (int count = random.nextInt(8); count >= 0; count--) {
          ByteBuffer frame = requests.get(random.nextInt(requests.size())).frame();
          for (int changes = random.nextInt(3); changes > 0; changes--) {
            frame.put(random.nextInt(frame.limit()), (byte) random.nextInt());
          }
          link.send(frame);
        }
      } catch (IOException e) {
        assertTrue(e.getMessage() != null, "-Dtombolo.seed=" + seed + ", round " + round);
      }
    }
    assertTrue(ask(observer, new VolumeRequest.Drop("d")) instanceof Reply.Count);
    assertTrue(
        ask(observer, new VolumeRequest.Delete(ImmutableList.of("w"))) instanceof Reply.Count);
    Deadline deadline = Deadline.after(LONG);
    while (figures().clients() > 1) {
      assertTrue(!deadline.isExpired(), figures() + ", -Dtombolo.seed=" + seed);
    }
    assertEquals(figures().puts() + figures().leases(), 0, "-Dtombolo.seed=" + seed);
  }
}
