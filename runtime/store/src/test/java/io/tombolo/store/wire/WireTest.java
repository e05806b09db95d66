// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import static org.testng.Assert.assertEquals;
import static org.testng.Assert.assertThrows;
import static org.testng.Assert.assertTrue;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.DataType;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.base.errors.UsageException;
import io.tombolo.store.TestSeed;
import io.tombolo.store.memory.MemoryFileName;
import io.tombolo.store.value.HeldListing;
import io.tombolo.store.value.HolderRank;
import io.tombolo.store.value.JointListing;
import io.tombolo.store.value.StateDictListing;
import io.tombolo.store.value.TensorListing;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.store.value.VolumeFigures;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.Function;
import org.testng.annotations.Test;

public class WireTest {
  private static final NamedSpec WEIGHTS =
      new NamedSpec("Gewichte/übrig", TensorSpec.of(DataType.BF16, 3, 0, 5));
  private static final NamedSpec SCALAR = new NamedSpec("s", TensorSpec.of(DataType.F32));

  private static final List<VolumeRequest> REQUESTS =
      List.of(
          new VolumeRequest.Begin("policy", ImmutableList.of(WEIGHTS, SCALAR)),
          new VolumeRequest.Send(7, 2, 3),
          new VolumeRequest.Commit(7, ImmutableList.of(-1, 2)),
          new VolumeRequest.Abort(7),
          new VolumeRequest.OpenTensors(ImmutableList.of("a", "b")),
          new VolumeRequest.OpenVersion("policy", 12, 500),
          new VolumeRequest.Read(3, 1, Box.between(new long[] {1, 0}, new long[] {2, 9})),
          new VolumeRequest.Check(3, 1),
          new VolumeRequest.Confirm(3),
          new VolumeRequest.Reach(ImmutableList.of((byte) 1, (byte) -2)),
          new VolumeRequest.Expose(3, 1),
          new VolumeRequest.Dial(),
          new VolumeRequest.Connect(ImmutableList.of((byte) 1, (byte) -2)),
          new VolumeRequest.Pull(7, 1, 1L << 33, 4096, ImmutableList.of((byte) -3), 512, 500),
          new VolumeRequest.Release(3),
          new VolumeRequest.Delete(ImmutableList.of("a")),
          new VolumeRequest.Drop("policy"),
          new VolumeRequest.ListTensors("a", "ab", 10),
          new VolumeRequest.ListStateDicts("", "p", 10),
          new VolumeRequest.Stat(),
          new VolumeRequest.ListJoint(),
          new VolumeRequest.ListHeld(),
          new VolumeRequest.OpenHeld("policy", 8, 500),
          new VolumeRequest.Join(
              "policy",
              "step 8",
              4,
              3,
              500,
              true,
              ImmutableList.of(
                  new NamedPart(WEIGHTS, Box.whole(2, 0, 5)), new NamedPart(SCALAR, Box.whole()))),
          new VolumeRequest.OpenKept("policy", 11),
          new VolumeRequest.AwaitJoint(7, 500),
          new VolumeRequest.SendBoxes(7, 2),
          new VolumeRequest.Finish(7, ImmutableList.of(-1, 2)),
          new VolumeRequest.Leave(7, "waited"));

  private static final List<Reply> REPLIES =
      List.of(
          new Reply.Granted(7, ImmutableList.of(0L, 64L)),
          new Reply.Committed(12),
          new Reply.Leased(3, 12, ImmutableList.of(new LeasedTensor(WEIGHTS, 64, -5))),
          new Reply.NotYet(),
          new Reply.Intact(),
          new Reply.Done(),
          new Reply.Reached(ImmutableList.of((byte) -1)),
          new Reply.Exposed(ImmutableList.of((byte) 0, Byte.MIN_VALUE)),
          new Reply.Held(
              3,
              12,
              new HolderRank("run 1", 4, 3, 2),
              new LeaseFence(4096, -7),
              ImmutableList.of(
                  new HeldPart(new NamedPart(WEIGHTS, Box.whole(2, 0, 5)), OptionalLong.of(64), -5),
                  new HeldPart(new NamedPart(SCALAR, Box.whole()), OptionalLong.empty(), 7))),
          new Reply.BytesFollow(1L << 40),
          new Reply.Checksum(-9),
          new Reply.Count(2),
          new Reply.Tensors(
              ImmutableList.of(new TensorListing(WEIGHTS.name(), WEIGHTS.spec(), 8)), true),
          new Reply.StateDicts(
              ImmutableList.of(new StateDictListing("policy", 11, 12, 2, 1L << 33)), false),
          new Reply.Volume(new VolumeFigures(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)),
          new Reply.Joined(7),
          new Reply.Allotted(
              ImmutableList.of(new Allotment(64, ImmutableList.of(Box.whole(2, 5), Box.whole())))),
          new Reply.Awaiting(ImmutableList.of(1, 3)),
          new Reply.Unfinished(
              ImmutableList.of(
                  new JointListing("policy", "step 8", 4, true, ImmutableList.of(3), 50))),
          new Reply.Shown(
              ImmutableList.of(
                  new HeldListing("policy", new HolderRank("run 1", 4, 3, 2), 12, 2, 1L << 33))),
          new Reply.Refused(Reply.Reason.ROOM, "no room"));

  @Test
  public void shouldReadWhatItWrites() {
    for (VolumeRequest request : REQUESTS) {
      assertEquals(RequestCodec.decode(body(request.frame())), request);
    }
    for (Reply reply : REPLIES) {
      assertEquals(ReplyCodec.decode(body(reply.frame())), reply);
    }
    Welcome welcome = new Welcome("0123", new MemoryFileName(1, 2, 3, 4));
    assertEquals(Welcome.decode(body(welcome.frame())), welcome);
  }

  @Test
  public void shouldKnowEveryKindOfMessage() {
    assertEquals(
        REQUESTS.stream().map(Object::getClass).distinct().count(),
        VolumeRequest.class.getPermittedSubclasses().length
            - 1 // Joint, which is several
            + VolumeRequest.Joint.class.getPermittedSubclasses().length);
    assertEquals(
        REPLIES.stream().map(Object::getClass).distinct().count(),
        Reply.class.getPermittedSubclasses().length);
  }

  @Test
  public void shouldRefuseAPartThatIsNotInItsTensor() {
    NamedPart part = new NamedPart(SCALAR, Box.whole(1));
    VolumeRequest join = new VolumeRequest.Join("d", "r", 1, 0, 1, true, ImmutableList.of(part));
    assertThrows(CorruptException.class, () -> RequestCodec.decode(body(join.frame())));
  }

  @Test
  public void shouldRefuseReplicasThatTheHoldersDoNotMake() {
    HeldListing row = new HeldListing("d", new HolderRank("r", 4, 3, 2), 12, 2, 8);
    byte[] shown = bytes(new Reply.Shown(ImmutableList.of(row)).frame());
    for (int replicas : new int[] {0, -2, 3, 8, Integer.MIN_VALUE}) {
      ByteBuffer changed = ByteBuffer.wrap(shown.clone()).order(ByteOrder.LITTLE_ENDIAN);
      changed.putInt(shown.length - 3 * Long.BYTES - Integer.BYTES, replicas);
      assertThrows(CorruptException.class, () -> ReplyCodec.decode(body(changed)));
    }
  }

  /** The bytes of the wire, which must not change. */
  @Test
  public void shouldWriteTheseBytes() {
    ByteBuffer frame = new VolumeRequest.Begin("d", ImmutableList.of(SCALAR)).frame();
    byte[] expected = {
      20, 0, 0, 0, 1, 1, 0, 0, 0, 'd', 1, 0, 0, 0, 1, 0, 0, 0, 's', 10, 0, 0, 0, 0
    };
    assertEquals(bytes(frame), expected);
    ByteBuffer reach = new VolumeRequest.Reach(ImmutableList.of((byte) 1, (byte) -2)).frame();
    assertEquals(bytes(reach), new byte[] {7, 0, 0, 0, 25, 2, 0, 0, 0, 1, -2});
    ByteBuffer connect = new VolumeRequest.Connect(ImmutableList.of((byte) -2)).frame();
    assertEquals(bytes(connect), new byte[] {6, 0, 0, 0, 28, 1, 0, 0, 0, -2});
    byte[] pull = {
      46, 0, 0, 0, 29, 7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0,
      0, 0, 1, 0, 0, 0, -4, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0
    };
    ImmutableList<Byte> key = ImmutableList.of((byte) -4);
    assertEquals(bytes(new VolumeRequest.Pull(7, 1, 2, 3, key, 5, 6).frame()), pull);
    assertEquals(bytes(new VolumeRequest.Dial().frame()), new byte[] {1, 0, 0, 0, 27});
    assertEquals(bytes(new Reply.Done().frame()), new byte[] {1, 0, 0, 0, 21});
  }

  @Test
  public void shouldRefuseDamagedMessagesAsCorrupt() {
    long seed = TestSeed.drawn();
    Random random = new Random(seed);
    for (int round = 0; round < 20_000; round++) {
      String where = "-Dtombolo.seed=" + seed + ", round " + round;
      VolumeRequest request = REQUESTS.get(random.nextInt(REQUESTS.size()));
      survive(RequestCodec::decode, damaged(body(request.frame()), random), where);
      Reply reply = REPLIES.get(random.nextInt(REPLIES.size()));
      survive(ReplyCodec::decode, damaged(body(reply.frame()), random), where);
      byte[] noise = new byte[random.nextInt(60)];
      random.nextBytes(noise);
      survive(RequestCodec::decode, ByteBuffer.wrap(noise), where);
      survive(ReplyCodec::decode, ByteBuffer.wrap(noise), where);
      survive(Welcome::decode, ByteBuffer.wrap(noise), where);
    }
  }

  @Test
  public void shouldNotBelieveALengthThatTheMessageDoesNotHave() {
    ByteBuffer many =
        ByteBuffer.allocate(13).order(ByteOrder.LITTLE_ENDIAN).put((byte) 5).putInt(60_000);
    assertThrows(CorruptException.class, () -> RequestCodec.decode(many.rewind()));
    NamedSpec huge = new NamedSpec("h", TensorSpec.of(DataType.U8, 1L << 31, 1L << 31));
    ByteBuffer begin = new VolumeRequest.Begin("", ImmutableList.of(huge)).frame();
    byte[] bytes = bytes(begin);
    ByteBuffer larger = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    larger.putLong(bytes.length - Long.BYTES, 1L << 33);
    assertThrows(CorruptException.class, () -> RequestCodec.decode(body(larger)));
  }

  @Test
  public void shouldRefuseNamesThatAreTooLongBeforeTheyAreSent() {
    VolumeRequest request = new VolumeRequest.Drop("n".repeat(WireBounds.NAME_BYTES + 1));
    assertThrows(UsageException.class, request::frame);
    VolumeRequest many =
        new VolumeRequest.Delete(
            ImmutableList.copyOf(Collections.nCopies(WireBounds.TENSORS + 1, "n")));
    assertThrows(UsageException.class, many::frame);
  }

  @Test
  public void shouldShortenAMessageThatRepeatsLongNames() {
    Reply.Refused refused = new Reply.Refused(Reply.Reason.USAGE, "ü".repeat(1 << 14));
    Reply decoded = ReplyCodec.decode(body(refused.frame()));
    assertTrue(((Reply.Refused) decoded).message().startsWith("üüü"));
  }

  private static void survive(Function<ByteBuffer, Object> decoder, ByteBuffer in, String where) {
    try {
      Object unused = decoder.apply(in);
    } catch (CorruptException e) {
      assertTrue(e.getMessage().length() < 10_000, where);
    } catch (RuntimeException e) {
      throw new AssertionError(where, e);
    }
  }

  private static byte[] bytes(ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(bytes);
    return bytes;
  }

  private static ByteBuffer damaged(ByteBuffer message, Random random) {
    byte[] bytes = bytes(message);
    for (int changes = random.nextInt(4); changes >= 0; changes--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
    }
    return ByteBuffer.wrap(bytes, 0, 1 + random.nextInt(bytes.length));
  }

  private static ByteBuffer body(ByteBuffer frame) {
    int length = frame.order(ByteOrder.LITTLE_ENDIAN).getInt();
    assertEquals(length, frame.remaining());
    return frame;
  }
}
