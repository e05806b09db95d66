// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.errors.CorruptException;

/** Requests of those who write together, as bytes. */
final class JointRequestCodec {
  private static final int JOIN = 15;
  private static final int AWAIT_JOINT = 16;
  private static final int SEND_BOXES = 17;
  private static final int FINISH = 18;
  private static final int LEAVE = 19;

  private JointRequestCodec() {}

  static void write(FieldWriter out, VolumeRequest.Joint request) {
    if (request instanceof VolumeRequest.Join join) {
      out.u8(JOIN)
          .text(join.stateDict(), WireBounds.NAME_BYTES)
          .text(join.round(), WireBounds.NAME_BYTES)
          .i32(join.writers())
          .i32(join.writer())
          .i32(join.patienceMs())
          .u8(join.mapped() ? 1 : 0)
          .list(join.parts(), WireBounds.TENSORS, (to, part) -> part.write(to));
    } else if (request instanceof VolumeRequest.AwaitJoint await) {
      out.u8(AWAIT_JOINT).i64(await.put()).i32(await.waitMs());
    } else if (request instanceof VolumeRequest.SendBoxes send) {
      out.u8(SEND_BOXES).i64(send.put()).i32(send.count());
    } else if (request instanceof VolumeRequest.Finish finish) {
      out.u8(FINISH)
          .i64(finish.put())
          .list(finish.checksums(), WireBounds.TENSORS, FieldWriter::i32);
    } else if (request instanceof VolumeRequest.Leave leave) {
      out.u8(LEAVE)
          .i64(leave.put())
          .text(WireBounds.shortened(leave.reason()), WireBounds.MESSAGE_BYTES);
    }
  }

  static VolumeRequest.Joint decode(int kind, FieldReader in) {
    return switch (kind) {
      case JOIN ->
          new VolumeRequest.Join(
              in.text(WireBounds.NAME_BYTES),
              in.text(WireBounds.NAME_BYTES),
              in.i32(),
              in.i32(),
              in.i32(),
              in.bool(),
              in.list(WireBounds.TENSORS, NamedPart.LEAST_BYTES, NamedPart::read));
      case AWAIT_JOINT -> new VolumeRequest.AwaitJoint(in.i64(), in.i32());
      case SEND_BOXES -> new VolumeRequest.SendBoxes(in.i64(), in.i32());
      case FINISH ->
          new VolumeRequest.Finish(
              in.i64(), in.list(WireBounds.TENSORS, Integer.BYTES, FieldReader::i32));
      case LEAVE -> new VolumeRequest.Leave(in.i64(), in.text(WireBounds.MESSAGE_BYTES));
      default -> throw new CorruptException("no request has number " + kind);
    };
  }
}
