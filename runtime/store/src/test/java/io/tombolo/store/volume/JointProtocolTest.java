// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.JobToken;
import io.tombolo.store.Clients;
import io.tombolo.store.RawClient;
import io.tombolo.store.TestSeed;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.NamedPart;
import io.tombolo.store.wire.NamedSpec;
import io.tombolo.store.wire.Reply;
import io.tombolo.store.wire.VolumeRequest;
import io.tombolo.store.wire.WireBounds;
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

/** Writers of one version that die, lie or stop in the middle of it. */
public class JointProtocolTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int WAIT_MS = 60_000;
  private static final int MEMORY_BYTES = 1 << 20;
  private static final int PART_BYTES = 200;
  private static final NamedSpec WEIGHTS = new NamedSpec("w", TensorSpec.of(DataType.F32, 100));

  private final JobToken token = JobToken.random();
  private Volume volume;
  private RawClient observer;
  private RawClient first;
  private RawClient second;

  @BeforeMethod
  public void start() throws IOException {
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    volume = Volume.serve(anyPort, token, new VolumeOptions(MEMORY_BYTES, 2, LONG));
    observer = client();
    first = client();
    second = client();
  }

  @AfterMethod(alwaysRun = true)
  public void stop() {
    first.close();
    second.close();
    observer.close();
    volume.close();
  }

  private RawClient client() throws IOException {
    RawClient client = new RawClient(volume.address(), token);
    assertEquals(client.memoryBytes(), MEMORY_BYTES + Fences.SIZE_BYTES);
    return client;
  }

  private static VolumeRequest join(int writer, boolean mapped) {
    Box half = Box.whole(100).cut(0, 50L * writer, 50L * writer + 50);
    return new VolumeRequest.Join(
        "policy",
        "step",
        2,
        writer,
        WAIT_MS,
        mapped,
        ImmutableList.of(new NamedPart(WEIGHTS, half)));
  }

  private static long joined(RawClient client, int writer, boolean mapped) throws IOException {
    return ((Reply.Joined) client.ask(join(writer, mapped))).put();
  }

  /** Both writers have come, and may write. */
  private long[] bothAllotted(boolean mapped) throws IOException {
    long one = joined(first, 0, mapped);
    long other = joined(second, 1, mapped);
    assertTrue(awaited(first, one) instanceof Reply.Allotted);
    assertTrue(awaited(second, other) instanceof Reply.Allotted);
    assertEquals(observer.figures().puts(), 1);
    return new long[] {one, other};
  }

  /** What is next; a volume lets a client ask again every now and then. */
  private static Reply awaited(RawClient client, long put) throws IOException {
    Reply reply = client.ask(new VolumeRequest.AwaitJoint(put, WAIT_MS));
    for (int again = 0; again < 30 && reply instanceof Reply.Awaiting; again++) {
      reply = client.ask(new VolumeRequest.AwaitJoint(put, WAIT_MS));
    }
    return reply;
  }

  private static void refused(Reply reply, Reply.Reason reason, String words) {
    assertTrue(reply instanceof Reply.Refused, reply.toString());
    Reply.Refused refused = (Reply.Refused) reply;
    assertEquals(refused.reason(), reason, refused.message());
    assertTrue(refused.message().contains(words), refused.message());
  }

  private void checkAllMemoryIsFree() throws IOException {
    VolumeFigures now = observer.figures();
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
    assertEquals(now.puts() + now.versions(), 0, now.toString());
  }

  /** The one that lives may still be copying into the room of both. */
  @Test(timeOut = 120_000)
  public void shouldKeepTheRoomOfAVersionThatFailsUntilItsLastWriterIsTold() throws IOException {
    long[] puts = bothAllotted(true);
    second.close();
    Clients.awaitOnly(2, observer::figures);
    assertEquals(observer.figures().puts(), 1);
    assertTrue(observer.figures().freeBytes() < observer.figures().capacityBytes());
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)));
    refused(awaited(first, puts[0]), Reply.Reason.PEER, "writer 1 of 2");
    checkAllMemoryIsFree();
  }

  @Test(timeOut = 120_000)
  public void shouldTellWhoWaitsThatAnotherHasDiedBeforeAllHadCome() throws IOException {
    long one = joinedOf3(first, 0);
    long unused = joinedOf3(second, 1);
    second.close();
    refused(awaited(first, one), Reply.Reason.PEER, "writer 1 of 3");
    checkAllMemoryIsFree();
  }

  private static long joinedOf3(RawClient client, int writer) throws IOException {
    VolumeRequest join =
        new VolumeRequest.Join("policy", "step", 3, writer, WAIT_MS, true, ImmutableList.of());
    return ((Reply.Joined) client.ask(join)).put();
  }

  /** Its bytes are all there, and it is not needed any more. */
  @Test(timeOut = 120_000)
  public void shouldShowAVersionOneOfWhoseWritersDiesAfterItHasFinished() throws IOException {
    long[] puts = bothAllotted(true);
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)));
    assertEquals(
        second.ask(new VolumeRequest.AwaitJoint(puts[1], 0)),
        new Reply.Awaiting(ImmutableList.of(0)));
    second.close();
    Clients.awaitOnly(2, observer::figures);
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)));
    assertEquals(awaited(first, puts[0]), new Reply.Committed(1));
    assertEquals(observer.figures().versions(), 1);
  }

  @Test(timeOut = 120_000)
  public void shouldFailIfAWriterDiesWhileItSends() throws IOException {
    long[] puts = bothAllotted(false);
    second.send(new VolumeRequest.SendBoxes(puts[1], 1));
    second.send(ByteBuffer.allocate(PART_BYTES / 2));
    second.close();
    refused(sentAndFinished(first, puts[0], 0), Reply.Reason.PEER, "writer 1 of 2");
    checkAllMemoryIsFree();
  }

  private static Reply sentAndFinished(RawClient client, long put, int checksum)
      throws IOException {
    client.send(new VolumeRequest.SendBoxes(put, 1));
    client.send(ByteBuffer.allocate(PART_BYTES));
    client.send(new VolumeRequest.Finish(put, ImmutableList.of(checksum)));
    return awaited(client, put);
  }

  @Test(timeOut = 120_000)
  public void shouldFailIfBytesChangeOnTheirWay() throws IOException {
    long[] puts = bothAllotted(false);
    refused(sentAndFinished(first, puts[0], 0xbad), Reply.Reason.CORRUPT, "writer 0 of 2");
    refused(sentAndFinished(second, puts[1], 0), Reply.Reason.CORRUPT, "writer 0 of 2");
    checkAllMemoryIsFree();
  }

  /** A sum of zeros, of which each adds nothing. */
  @Test(timeOut = 120_000)
  public void shouldTakeTheBytesOfBoth() throws IOException {
    long[] puts = bothAllotted(false);
    second.send(new VolumeRequest.SendBoxes(puts[1], 1));
    second.send(ByteBuffer.allocate(PART_BYTES));
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)));
    assertEquals(sentAndFinished(first, puts[0], 0), new Reply.Committed(1));
    assertEquals(awaited(second, puts[1]), new Reply.Committed(1));
    Reply.Leased lease = (Reply.Leased) observer.ask(new VolumeRequest.OpenVersion("policy", 0, 0));
    assertEquals(
        observer.ask(new VolumeRequest.Check(lease.lease(), 0)),
        new Reply.Checksum(lease.tensors().get(0).checksum()));
  }

  @Test(timeOut = 120_000)
  public void shouldTellWhoLeavesWhatHasBecomeOfTheVersion() throws IOException {
    long[] puts = bothAllotted(true);
    VolumeRequest leave = new VolumeRequest.Leave(puts[0], "its device is gone");
    refused(first.ask(leave), Reply.Reason.PEER, "its device is gone");
    refused(first.ask(leave), Reply.Reason.USAGE, "no version");
    refused(awaited(second, puts[1]), Reply.Reason.PEER, "its device is gone");
    checkAllMemoryIsFree();
  }

  /** Its patience was at its end when the version became visible: at once or never. */
  @Test(timeOut = 120_000)
  public void shouldTellWhoLeavesTooLateThatTheVersionIsVisible() throws IOException {
    long[] puts = bothAllotted(true);
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)));
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)));
    assertEquals(awaited(second, puts[1]), new Reply.Committed(1));
    VolumeRequest leave = new VolumeRequest.Leave(puts[0], "it has waited long enough");
    assertEquals(first.ask(leave), new Reply.Committed(1));
    assertEquals(observer.figures().versions(), 1);
  }

  @DataProvider
  Object[][] nonsense() {
    return new Object[][] {
      {new VolumeRequest.AwaitJoint(99, 0)},
      {new VolumeRequest.SendBoxes(99, 1)},
      {new VolumeRequest.SendBoxes(1, 2)},
      {new VolumeRequest.SendBoxes(1, 0)},
      {new VolumeRequest.Finish(99, ImmutableList.of())},
      {new VolumeRequest.Finish(1, ImmutableList.of())},
      {new VolumeRequest.Finish(1, ImmutableList.of(0))},
      {new VolumeRequest.Finish(1, ImmutableList.of(0, 0))},
    };
  }

  /** Two checksums for one part, or the bytes of a part that have not come, among others. */
  @Test(dataProvider = "nonsense", timeOut = 120_000)
  public void shouldFailIfAWriterBreaksTheProtocol(VolumeRequest nonsense) throws IOException {
    long[] puts = bothAllotted(false);
    assertEquals(puts[0], 1);
    first.assertEnds(nonsense);
    first.close();
    refused(sentAndFinished(second, puts[1], 0), Reply.Reason.PEER, "writer 0 of 2");
    checkAllMemoryIsFree();
  }

  @DataProvider
  Object[][] impossible() {
    return new Object[][] {
      {"policy", "step", 2, 2},
      {"policy", "step", 2, -1},
      {"policy", "step", 0, 0},
      {"policy", "step", WireBounds.WRITERS + 1, 0},
      {"", "step", 2, 0},
      {"policy", "", 2, 0},
    };
  }

  @Test(dataProvider = "impossible", timeOut = 120_000)
  public void shouldRefuseAWriterThatCannotBe(String dict, String round, int writers, int writer)
      throws IOException {
    VolumeRequest join =
        new VolumeRequest.Join(dict, round, writers, writer, 1, true, ImmutableList.of());
    assertTrue(first.ask(join) instanceof Reply.Refused);
    assertEquals(
        first.ask(new VolumeRequest.ListJoint()), new Reply.Unfinished(ImmutableList.of()));
  }

  @Test(timeOut = 300_000)
  public void shouldSurviveAnythingThatWritersSend() throws IOException {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    List<VolumeRequest> requests =
        List.of(
            join(0, true),
            join(1, true),
            join(1, false),
            new VolumeRequest.AwaitJoint(1, 1),
            new VolumeRequest.AwaitJoint(2, 1),
            new VolumeRequest.Finish(1, ImmutableList.of(0)),
            new VolumeRequest.Finish(2, ImmutableList.of(0)),
            new VolumeRequest.Leave(1, "why"),
            new VolumeRequest.SendBoxes(1, 1),
            new VolumeRequest.ListJoint());
    for (int round = 0; round < 150; round++) {
      try (RawClient one = client();
          RawClient other = client()) {
        for (int count = random.nextInt(16); count >= 0; count--) {
          ByteBuffer frame = requests.get(random.nextInt(requests.size())).frame();
          for (int changes = random.nextInt(4) - 1; changes > 0; changes--) {
            frame.put(random.nextInt(frame.limit()), (byte) random.nextInt());
          }
          (random.nextBoolean() ? one : other).send(frame);
        }
      } catch (IOException e) {
        assertTrue(e.getMessage() != null, "-Dtombolo.seed=" + seed + ", round " + round);
      }
    }
    Clients.awaitOnly(3, observer::figures);
    assertEquals(
        observer.ask(new VolumeRequest.ListJoint()),
        new Reply.Unfinished(ImmutableList.of()),
        "-Dtombolo.seed=" + seed);
    assertEquals(
        observer.figures().puts() + observer.figures().leases(), 0, "-Dtombolo.seed=" + seed);
    assertTrue(observer.ask(new VolumeRequest.Drop("policy")) instanceof Reply.Count);
  }
}
