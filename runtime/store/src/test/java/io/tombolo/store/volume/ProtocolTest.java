// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.Clients;
import io.tombolo.store.RawClient;
import io.tombolo.store.TestSeed;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.tensors.layout.Box;
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
  private RawClient observer;

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

  private RawClient client() throws IOException {
    RawClient client = new RawClient(volume.address(), token);
    assertEquals(client.memoryBytes(), (1 << 20) + 4096);
    return client;
  }

  private void awaitNothingBorrowed() throws IOException {
    VolumeFigures now = Clients.awaitOnly(1, observer::figures);
    assertEquals(now.puts() + now.leases(), 0, now.toString());
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
  }

  @Test(timeOut = 120_000)
  public void shouldForgetThePutOfAClientThatHasGone() throws IOException {
    try (RawClient client = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("policy", ImmutableList.of(WEIGHTS));
      assertTrue(client.ask(begin) instanceof Reply.Granted);
      assertEquals(observer.figures().puts(), 1);
      assertEquals(observer.figures().stateDicts(), 0);
    }
    awaitNothingBorrowed();
  }

  @DataProvider
  Object[][] nonsense() {
    Box whole = Box.whole(100);
    return new Object[][] {
      {new VolumeRequest.Send(99, 0, 1)},
      {new VolumeRequest.Send(1, 0, 2)},
      {new VolumeRequest.Send(1, 1, 1)},
      {new VolumeRequest.Send(1, -1, 2)},
      {new VolumeRequest.Send(1, 0, 0)},
      {new VolumeRequest.Send(1, Integer.MAX_VALUE, 1)},
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
    try (RawClient client = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS));
      assertTrue(client.ask(begin) instanceof Reply.Granted);
      client.assertEnds(nonsense);
    }
    awaitNothingBorrowed();
  }

  /** It may still be copying into it, whatever it has said. */
  @Test(timeOut = 120_000)
  public void shouldLendMemoryToNobodyElseUntilTheClientHasClosedItsEnd() throws IOException {
    try (RawClient client = client()) {
      VolumeRequest begin = new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS));
      assertTrue(client.ask(begin) instanceof Reply.Granted);
      client.assertEnds(new VolumeRequest.Send(99, 0, 1));
      assertEquals(observer.figures().puts(), 1);
      assertTrue(observer.figures().freeBytes() < observer.figures().capacityBytes());
    }
    awaitNothingBorrowed();
  }

  @Test(timeOut = 120_000)
  public void shouldRefuseBytesThatAreNotThoseThatWereSent() throws IOException {
    try (RawClient client = client()) {
      Reply granted = client.ask(new VolumeRequest.Begin("", ImmutableList.of(WEIGHTS)));
      long put = ((Reply.Granted) granted).put();
      client.send(new VolumeRequest.Send(put, 0, 1));
      client.send(ByteBuffer.allocate(400));
      Reply refused = client.ask(new VolumeRequest.Commit(put, ImmutableList.of(0xbad)));
      assertThrows(CorruptException.class, () -> throwAgain((Reply.Refused) refused));
      assertEquals(observer.figures().puts(), 0);
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
    assertEquals(observer.figures().clients(), 1);
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
      try (RawClient client = client()) {
        for (int count = random.nextInt(8); count >= 0; count--) {
          ByteBuffer frame = requests.get(random.nextInt(requests.size())).frame();
          for (int changes = random.nextInt(3); changes > 0; changes--) {
            frame.put(random.nextInt(frame.limit()), (byte) random.nextInt());
          }
          client.send(frame);
        }
      } catch (IOException e) {
        assertTrue(e.getMessage() != null, "-Dtombolo.seed=" + seed + ", round " + round);
      }
    }
    assertTrue(observer.ask(new VolumeRequest.Drop("d")) instanceof Reply.Count);
    assertTrue(
        observer.ask(new VolumeRequest.Delete(ImmutableList.of("w"))) instanceof Reply.Count);
    VolumeFigures left = Clients.awaitOnly(1, observer::figures);
    assertEquals(left.puts() + left.leases(), 0, "-Dtombolo.seed=" + seed);
  }
}
