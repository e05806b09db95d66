// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import io.tombolo.base.errors.CorruptException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Replies as bytes. */
public final class ReplyCodec {
  private static final int GRANTED = 1;
  private static final int COMMITTED = 2;
  private static final int LEASED = 3;
  private static final int NOT_YET = 4;
  private static final int BYTES_FOLLOW = 5;
  private static final int CHECKSUM = 6;
  private static final int COUNT = 7;
  private static final int TENSORS = 8;
  private static final int STATE_DICTS = 9;
  private static final int VOLUME = 10;
  private static final int REFUSED = 11;
  private static final int JOINED = 12;
  private static final int ALLOTTED = 13;
  private static final int AWAITING = 14;
  private static final int UNFINISHED = 15;
  private static final int HELD = 16;
  private static final int INTACT = 17;
  private static final int SHOWN = 18;
  private static final int REACHED = 19;
  private static final int EXPOSED = 20;
  private static final int DONE = 21;

  private ReplyCodec() {}

  static ByteBuffer frame(Reply reply) {
    FieldWriter out = new FieldWriter();
    if (reply instanceof Reply.Granted granted) {
      out.u8(GRANTED)
          .i64(granted.put())
          .list(granted.offsets(), WireBounds.TENSORS, FieldWriter::i64);
    } else if (reply instanceof Reply.Committed committed) {
      out.u8(COMMITTED).i64(committed.version());
    } else if (reply instanceof Reply.Leased leased) {
      out.u8(LEASED)
          .i64(leased.lease())
          .i64(leased.version())
          .list(leased.tensors(), WireBounds.TENSORS, (to, tensor) -> tensor.write(to));
    } else if (reply instanceof Reply.Held held) {
      out.u8(HELD).i64(held.lease()).i64(held.version());
      Rows.write(out, held.rank());
      held.fence().write(out);
      out.list(held.parts(), WireBounds.TENSORS, (to, part) -> part.write(to));
    } else if (reply instanceof Reply.Intact) {
      out.u8(INTACT);
    } else if (reply instanceof Reply.Done) {
      out.u8(DONE);
    } else if (reply instanceof Reply.Reached reached) {
      out.u8(REACHED).bytes(reached.card(), WireBounds.CARD_BYTES);
    } else if (reply instanceof Reply.Exposed exposed) {
      out.u8(EXPOSED).bytes(exposed.key(), WireBounds.CARD_BYTES);
    } else if (reply instanceof Reply.NotYet) {
      out.u8(NOT_YET);
    } else if (reply instanceof Reply.BytesFollow bytes) {
      out.u8(BYTES_FOLLOW).i64(bytes.sizeBytes());
    } else if (reply instanceof Reply.Checksum checksum) {
      out.u8(CHECKSUM).i32(checksum.value());
    } else if (reply instanceof Reply.Count count) {
      out.u8(COUNT).i64(count.value());
    } else if (reply instanceof Reply.Tensors tensors) {
      out.u8(TENSORS).list(tensors.rows(), WireBounds.ROWS, Rows::write).u8(tensors.more() ? 1 : 0);
    } else if (reply instanceof Reply.StateDicts dicts) {
      out.u8(STATE_DICTS).list(dicts.rows(), WireBounds.ROWS, Rows::write).u8(dicts.more() ? 1 : 0);
    } else if (reply instanceof Reply.Volume volume) {
      Rows.write(out.u8(VOLUME), volume.figures());
    } else if (reply instanceof Reply.Refused refused) {
      out.u8(REFUSED)
          .u8(refused.reason().code())
          .text(WireBounds.shortened(refused.message()), WireBounds.MESSAGE_BYTES);
    } else if (reply instanceof Reply.Joined joined) {
      out.u8(JOINED).i64(joined.put());
    } else if (reply instanceof Reply.Allotted allotted) {
      out.u8(ALLOTTED)
          .list(allotted.parts(), WireBounds.TENSORS, (to, allotment) -> allotment.write(to));
    } else if (reply instanceof Reply.Awaiting awaiting) {
      out.u8(AWAITING).list(awaiting.writers(), WireBounds.WRITERS, FieldWriter::i32);
    } else if (reply instanceof Reply.Unfinished unfinished) {
      out.u8(UNFINISHED).list(unfinished.rows(), WireBounds.JOINT_PUTS, Rows::write);
    } else if (reply instanceof Reply.Shown shown) {
      out.u8(SHOWN).list(shown.rows(), WireBounds.HELD, Rows::write);
    }
    return out.frame(WireBounds.REPLY_BYTES);
  }

  /**
   * The reply that {@code message} is, without the length before it.
   *
   * @throws CorruptException if it is none
   */
  public static Reply decode(ByteBuffer message) {
    FieldReader in = new FieldReader(message);
    Reply reply = decode(in.u8(), in);
    in.end();
    return reply;
  }

  private static Reply decode(int kind, FieldReader in) {
    return switch (kind) {
      case GRANTED ->
          new Reply.Granted(
              in.i64(), in.list(WireBounds.TENSORS, Long.BYTES, FieldReader::natural));
      case COMMITTED -> new Reply.Committed(in.natural());
      case LEASED ->
          new Reply.Leased(
              in.i64(),
              in.natural(),
              in.list(WireBounds.TENSORS, LeasedTensor.LEAST_BYTES, LeasedTensor::read));
      case HELD ->
          new Reply.Held(
              in.i64(),
              in.natural(),
              Rows.rank(in),
              LeaseFence.read(in),
              in.list(WireBounds.TENSORS, HeldPart.LEAST_BYTES, HeldPart::read));
      case INTACT -> new Reply.Intact();
      case DONE -> new Reply.Done();
      case NOT_YET -> new Reply.NotYet();
      case REACHED -> new Reply.Reached(in.bytes(WireBounds.CARD_BYTES));
      case EXPOSED -> new Reply.Exposed(in.bytes(WireBounds.CARD_BYTES));
      case BYTES_FOLLOW -> new Reply.BytesFollow(in.natural());
      case CHECKSUM -> new Reply.Checksum(in.i32());
      case COUNT -> new Reply.Count(in.natural());
      case TENSORS ->
          new Reply.Tensors(
              in.list(WireBounds.ROWS, Rows.LEAST_TENSOR_BYTES, Rows::tensor), in.bool());
      case STATE_DICTS ->
          new Reply.StateDicts(
              in.list(WireBounds.ROWS, Rows.LEAST_STATE_DICT_BYTES, Rows::stateDict), in.bool());
      case VOLUME -> new Reply.Volume(Rows.figures(in));
      case REFUSED -> new Reply.Refused(reason(in.u8()), in.text(WireBounds.MESSAGE_BYTES));
      case JOINED -> new Reply.Joined(in.i64());
      case ALLOTTED ->
          new Reply.Allotted(in.list(WireBounds.TENSORS, Allotment.LEAST_BYTES, Allotment::read));
      case AWAITING ->
          new Reply.Awaiting(in.list(WireBounds.WRITERS, Integer.BYTES, FieldReader::i32));
      case UNFINISHED ->
          new Reply.Unfinished(in.list(WireBounds.JOINT_PUTS, Rows.LEAST_JOINT_BYTES, Rows::joint));
      case SHOWN -> new Reply.Shown(in.list(WireBounds.HELD, Rows.LEAST_HELD_BYTES, Rows::held));
      default -> throw new CorruptException("no reply has number " + kind);
    };
  }

  private static Reply.Reason reason(int code) {
    return Arrays.stream(Reply.Reason.values())
        .filter(reason -> reason.code() == code)
        .findFirst()
        .orElseThrow(() -> new CorruptException("no reason has number " + code));
  }
}
