// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;

/** Requests as bytes. */
public final class RequestCodec {
  private static final int BEGIN = 1;
  private static final int SEND = 2;
  private static final int COMMIT = 3;
  private static final int ABORT = 4;
  private static final int OPEN_TENSORS = 5;
  private static final int OPEN_VERSION = 6;
  private static final int READ = 7;
  private static final int CHECK = 8;
  private static final int RELEASE = 9;
  private static final int DELETE = 10;
  private static final int DROP = 11;
  private static final int LIST_TENSORS = 12;
  private static final int LIST_STATE_DICTS = 13;
  private static final int STAT = 14;
  private static final int LIST_JOINT = 20; // 15 to 19 are those of JointRequestCodec
  private static final int OPEN_HELD = 21;
  private static final int CONFIRM = 22;
  private static final int LIST_HELD = 23;
  private static final int OPEN_KEPT = 24;
  private static final int REACH = 25;
  private static final int EXPOSE = 26;
  private static final int DIAL = 27;
  private static final int CONNECT = 28;
  private static final int PULL = 29;

  private RequestCodec() {}

  static ByteBuffer frame(VolumeRequest request) {
    FieldWriter out = new FieldWriter();
    if (request instanceof VolumeRequest.Begin begin) {
      name(out.u8(BEGIN), begin.stateDict())
          .list(begin.tensors(), WireBounds.TENSORS, (to, tensor) -> tensor.write(to));
    } else if (request instanceof VolumeRequest.Send send) {
      out.u8(SEND).i64(send.put()).i32(send.first()).i32(send.count());
    } else if (request instanceof VolumeRequest.Commit commit) {
      out.u8(COMMIT)
          .i64(commit.put())
          .list(commit.checksums(), WireBounds.TENSORS, FieldWriter::i32);
    } else if (request instanceof VolumeRequest.Abort abort) {
      out.u8(ABORT).i64(abort.put());
    } else if (request instanceof VolumeRequest.OpenTensors open) {
      out.u8(OPEN_TENSORS).list(open.names(), WireBounds.TENSORS, RequestCodec::name);
    } else if (request instanceof VolumeRequest.OpenVersion open) {
      name(out.u8(OPEN_VERSION), open.stateDict()).i64(open.newerThan()).i32(open.waitMs());
    } else if (request instanceof VolumeRequest.OpenKept open) {
      name(out.u8(OPEN_KEPT), open.stateDict()).i64(open.version());
    } else if (request instanceof VolumeRequest.OpenHeld open) {
      name(out.u8(OPEN_HELD), open.stateDict()).i64(open.atLeast()).i32(open.waitMs());
    } else if (request instanceof VolumeRequest.Read read) {
      Boxes.write(out.u8(READ).i64(read.lease()).i32(read.index()), read.part());
    } else if (request instanceof VolumeRequest.Check check) {
      out.u8(CHECK).i64(check.lease()).i32(check.index());
    } else if (request instanceof VolumeRequest.Confirm confirm) {
      out.u8(CONFIRM).i64(confirm.lease());
    } else if (request instanceof VolumeRequest.Reach reach) {
      out.u8(REACH).bytes(reach.card(), WireBounds.CARD_BYTES);
    } else if (request instanceof VolumeRequest.Expose expose) {
      out.u8(EXPOSE).i64(expose.lease()).i32(expose.index());
    } else if (request instanceof VolumeRequest.Dial) {
      out.u8(DIAL);
    } else if (request instanceof VolumeRequest.Connect connect) {
      out.u8(CONNECT).bytes(connect.card(), WireBounds.CARD_BYTES);
    } else if (request instanceof VolumeRequest.Pull pull) {
      out.u8(PULL)
          .i64(pull.put())
          .i32(pull.index())
          .i64(pull.offset())
          .i64(pull.sizeBytes())
          .bytes(pull.key(), WireBounds.CARD_BYTES)
          .i64(pull.from())
          .i32(pull.waitMs());
    } else if (request instanceof VolumeRequest.Release release) {
      out.u8(RELEASE).i64(release.lease());
    } else if (request instanceof VolumeRequest.Delete delete) {
      out.u8(DELETE).list(delete.names(), WireBounds.TENSORS, RequestCodec::name);
    } else if (request instanceof VolumeRequest.Drop drop) {
      name(out.u8(DROP), drop.stateDict());
    } else if (request instanceof VolumeRequest.ListTensors list) {
      name(name(out.u8(LIST_TENSORS), list.prefix()), list.after()).i32(list.most());
    } else if (request instanceof VolumeRequest.ListStateDicts list) {
      name(name(out.u8(LIST_STATE_DICTS), list.prefix()), list.after()).i32(list.most());
    } else if (request instanceof VolumeRequest.Stat) {
      out.u8(STAT);
    } else if (request instanceof VolumeRequest.ListJoint) {
      out.u8(LIST_JOINT);
    } else if (request instanceof VolumeRequest.ListHeld) {
      out.u8(LIST_HELD);
    } else if (request instanceof VolumeRequest.Joint joint) {
      JointRequestCodec.write(out, joint);
    }
    return out.frame(WireBounds.REQUEST_BYTES);
  }

  /**
   * The request that {@code message} is, without the length before it.
   *
   * @throws CorruptException if it is none
   */
  public static VolumeRequest decode(ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    VolumeRequest request = decode(in.u8(), in);
    in.end();
    return request;
  }

  private static VolumeRequest decode(int kind, FieldReader in) {
    return switch (kind) {
      case BEGIN ->
          new VolumeRequest.Begin(
              name(in), in.list(WireBounds.TENSORS, NamedSpec.LEAST_BYTES, NamedSpec::read));
      case SEND -> new VolumeRequest.Send(in.i64(), in.i32(), in.i32());
      case COMMIT ->
          new VolumeRequest.Commit(
              in.i64(), in.list(WireBounds.TENSORS, Integer.BYTES, FieldReader::i32));
      case ABORT -> new VolumeRequest.Abort(in.i64());
      case OPEN_TENSORS -> new VolumeRequest.OpenTensors(names(in));
      case OPEN_VERSION -> new VolumeRequest.OpenVersion(name(in), in.natural(), in.i32());
      case READ -> new VolumeRequest.Read(in.i64(), in.i32(), Boxes.read(in));
      case CHECK -> new VolumeRequest.Check(in.i64(), in.i32());
      case CONFIRM -> new VolumeRequest.Confirm(in.i64());
      case RELEASE -> new VolumeRequest.Release(in.i64());
      case DELETE -> new VolumeRequest.Delete(names(in));
      case DROP -> new VolumeRequest.Drop(name(in));
      case LIST_TENSORS -> new VolumeRequest.ListTensors(name(in), name(in), in.i32());
      case LIST_STATE_DICTS -> new VolumeRequest.ListStateDicts(name(in), name(in), in.i32());
      case STAT -> new VolumeRequest.Stat();
      case OPEN_HELD -> new VolumeRequest.OpenHeld(name(in), in.natural(), in.i32());
      case LIST_JOINT -> new VolumeRequest.ListJoint();
      case LIST_HELD -> new VolumeRequest.ListHeld();
      case OPEN_KEPT -> new VolumeRequest.OpenKept(name(in), in.natural());
      case REACH -> new VolumeRequest.Reach(in.bytes(WireBounds.CARD_BYTES));
      case EXPOSE -> new VolumeRequest.Expose(in.i64(), in.i32());
      case DIAL -> new VolumeRequest.Dial();
      case CONNECT -> new VolumeRequest.Connect(in.bytes(WireBounds.CARD_BYTES));
      case PULL ->
          new VolumeRequest.Pull(
              in.i64(),
              in.i32(),
              in.natural(),
              in.natural(),
              in.bytes(WireBounds.CARD_BYTES),
              in.natural(),
              in.i32());
      default -> JointRequestCodec.decode(kind, in);
    };
  }

  private static FieldWriter name(FieldWriter out, String name) {
    return out.text(name, WireBounds.NAME_BYTES);
  }

  private static String name(FieldReader in) {
    return in.text(WireBounds.NAME_BYTES);
  }

  private static ImmutableList<String> names(FieldReader in) {
    return in.list(WireBounds.TENSORS, Integer.BYTES, RequestCodec::name);
  }
}
