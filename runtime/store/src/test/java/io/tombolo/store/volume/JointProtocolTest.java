// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.volume;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.Deadline;
import io.tombolo.base.JobToken;
import io.tombolo.store.TestSeed;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.store.wire.Link;
import io.tombolo.store.wire.NamedPart;
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

/** Writers of one version that die, lie or stop in the middle of it. */
public class JointProtocolTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int WAIT_MS = 60_000;
  private static final int MEMORY_BYTES = 1 << 20;
  private static final int PART_BYTES = 200;
  private static final NamedSpec WEIGHTS = new NamedSpec("w", TensorSpec.of(DataType.F32, 100));

  private final JobToken token = JobToken.random();
  private Volume volume;
  private Link observer;
  private Link first;
  private Link second;

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

  private Link client() throws IOException {
    Link link = Link.connect(volume.address(), LONG);
    assertEquals(
        VolumeGreeting.asClient(link, token).memory().sizeBytes(),
        MEMORY_BYTES + Fences.SIZE_BYTES);
    return link;
  }

  private static Reply ask(Link link, VolumeRequest request) throws IOException {
    link.send(request.frame());
    return ReplyCodec.decode(link.receiveFrame(WireBounds.REPLY_BYTES));
  }

  private VolumeFigures figures() throws IOException {
    return ((Reply.Volume) ask(observer, new VolumeRequest.Stat())).figures();
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

  private static long joined(Link link, int writer, boolean mapped) throws IOException {
    return ((Reply.Joined) ask(link, join(writer, mapped))).put();
  }

  /** Both writers have come, and may write. */
  private long[] bothAllotted(boolean mapped) throws IOException {
    long one = joined(first, 0, mapped);
    long other = joined(second, 1, mapped);
    assertTrue(awaited(first, one) instanceof Reply.Allotted);
    assertTrue(awaited(second, other) instanceof Reply.Allotted);
    assertEquals(figures().puts(), 1);
    return new long[] {one, other};
  }

  /** What is next; a volume lets a client ask again every now and then. */
  private static Reply awaited(Link link, long put) throws IOException {
    Reply reply = ask(link, new VolumeRequest.AwaitJoint(put, WAIT_MS));
    for (int again = 0; again < 30 && reply instanceof Reply.Awaiting; again++) {
      reply = ask(link, new VolumeRequest.AwaitJoint(put, WAIT_MS));
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
    VolumeFigures now = figures();
    assertEquals(now.freeBytes(), now.capacityBytes(), now.toString());
    assertEquals(now.puts() + now.versions(), 0, now.toString());
  }

  /** The one that lives may still be copying into the room of both. */
  @Test(timeOut = 120_000)
  public void shouldKeepTheRoomOfAVersionThatFailsUntilItsLastWriterIsTold() throws IOException {
    long[] puts = bothAllotted(true);
    second.close();
    awaitClients(2);
    assertEquals(figures().puts(), 1);
    assertTrue(figures().freeBytes() < figures().capacityBytes());
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)).frame());
    refused(awaited(first, puts[0]), Reply.Reason.PEER, "writer 1 of 2");
    checkAllMemoryIsFree();
  }

  private void awaitClients(int wanted) throws IOException {
    Deadline deadline = Deadline.after(LONG);
    while (figures().clients() > wanted) {
      assertTrue(!deadline.isExpired(), figures().toString());
    }
  }

  @Test(timeOut = 120_000)
  public void shouldTellWhoWaitsThatAnotherHasDiedBeforeAllHadCome() throws IOException {
    long one = joinedOf3(first, 0);
    long unused = joinedOf3(second, 1);
    second.close();
    refused(awaited(first, one), Reply.Reason.PEER, "writer 1 of 3");
    checkAllMemoryIsFree();
  }

  private static long joinedOf3(Link link, int writer) throws IOException {
    VolumeRequest join =
        new VolumeRequest.Join("policy", "step", 3, writer, WAIT_MS, true, ImmutableList.of());
    return ((Reply.Joined) ask(link, join)).put();
  }

  /** Its bytes are all there, and it is not needed any more. */
  @Test(timeOut = 120_000)
  public void shouldShowAVersionOneOfWhoseWritersDiesAfterItHasFinished() throws IOException {
    long[] puts = bothAllotted(true);
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)).frame());
    assertEquals(
        ask(second, new VolumeRequest.AwaitJoint(puts[1], 0)),
        new Reply.Awaiting(ImmutableList.of(0)));
    second.close();
    awaitClients(2);
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)).frame());
    assertEquals(awaited(first, puts[0]), new Reply.Committed(1));
    assertEquals(figures().versions(), 1);
  }

  @Test(timeOut = 120_000)
  public void shouldFailIfAWriterDiesWhileItSends() throws IOException {
    long[] puts = bothAllotted(false);
    second.send(new VolumeRequest.SendBoxes(puts[1]).frame());
    second.send(ByteBuffer.allocate(PART_BYTES / 2));
    second.close();
    refused(sentAndFinished(first, puts[0], 0), Reply.Reason.PEER, "writer 1 of 2");
    checkAllMemoryIsFree();
  }

  private static Reply sentAndFinished(Link link, long put, int checksum) throws IOException {
    link.send(new VolumeRequest.SendBoxes(put).frame());
    link.send(ByteBuffer.allocate(PART_BYTES));
    link.send(new VolumeRequest.Finish(put, ImmutableList.of(checksum)).frame());
    return awaited(link, put);
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
    second.send(new VolumeRequest.SendBoxes(puts[1]).frame());
    second.send(ByteBuffer.allocate(PART_BYTES));
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)).frame());
    assertEquals(sentAndFinished(first, puts[0], 0), new Reply.Committed(1));
    assertEquals(awaited(second, puts[1]), new Reply.Committed(1));
    Reply.Leased lease =
        (Reply.Leased) ask(observer, new VolumeRequest.OpenVersion("policy", 0, 0));
    assertEquals(
        ask(observer, new VolumeRequest.Check(lease.lease(), 0)),
        new Reply.Checksum(lease.tensors().get(0).checksum()));
  }

  @Test(timeOut = 120_000)
  public void shouldTellWhoLeavesWhatHasBecomeOfTheVersion() throws IOException {
    long[] puts = bothAllotted(true);
    VolumeRequest leave = new VolumeRequest.Leave(puts[0], "its device is gone");
    refused(ask(first, leave), Reply.Reason.PEER, "its device is gone");
    refused(ask(first, leave), Reply.Reason.USAGE, "no version");
    refused(awaited(second, puts[1]), Reply.Reason.PEER, "its device is gone");
    checkAllMemoryIsFree();
  }

  /** Its patience was at its end when the version became visible: at once or never. */
  @Test(timeOut = 120_000)
  public void shouldTellWhoLeavesTooLateThatTheVersionIsVisible() throws IOException {
    long[] puts = bothAllotted(true);
    first.send(new VolumeRequest.Finish(puts[0], ImmutableList.of(0)).frame());
    second.send(new VolumeRequest.Finish(puts[1], ImmutableList.of(0)).frame());
    assertEquals(awaited(second, puts[1]), new Reply.Committed(1));
    VolumeRequest leave = new VolumeRequest.Leave(puts[0], "it has waited long enough");
    assertEquals(ask(first, leave), new Reply.Committed(1));
    assertEquals(figures().versions(), 1);
  }

  @DataProvider
  Object[][] nonsense() {
    return new Object[][] {
      {new VolumeRequest.AwaitJoint(99, 0)},
      {new VolumeRequest.SendBoxes(99)},
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
    first.send(nonsense.frame());
    Reply refusal = ReplyCodec.decode(first.receiveFrame(WireBounds.REPLY_BYTES));
    assertTrue(refusal instanceof Reply.Refused, refusal.toString());
    assertThrows(EOFException.class, () -> first.receive(1));
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
    assertTrue(ask(first, join) instanceof Reply.Refused);
    assertEquals(
        ask(first, new VolumeRequest.ListJoint()), new Reply.Unfinished(ImmutableList.of()));
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
            new VolumeRequest.SendBoxes(1),
            new VolumeRequest.ListJoint());
    for (int round = 0; round < 150; round++) {
      try (Link one = client();
          Link other = client()) {
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
    awaitClients(3);
    assertEquals(
        ask(observer, new VolumeRequest.ListJoint()),
        new Reply.Unfinished(ImmutableList.of()),
        "-Dtombolo.seed=" + seed);
    assertEquals(figures().puts() + figures().leases(), 0, "-Dtombolo.seed=" + seed);
    assertTrue(ask(observer, new VolumeRequest.Drop("policy")) instanceof Reply.Count);
  }
}
