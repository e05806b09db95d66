// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store.wire;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.Longs;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.store.value.TensorSpec;
import io.tombolo.tensors.layout.Box;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

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

  private RequestCodec() {}

  static ByteBuffer frame(Request request) {
    WireWriter out = new WireWriter();
    if (request instanceof Request.Begin begin) {
      name(out.u8(BEGIN), begin.stateDict())
          .list(begin.tensors(), Bounds.TENSORS, (to, tensor) -> tensor.write(to));
    } else if (request instanceof Request.Send send) {
      out.u8(SEND).i64(send.put());
    } else if (request instanceof Request.Commit commit) {
      out.u8(COMMIT).i64(commit.put()).list(commit.checksums(), Bounds.TENSORS, WireWriter::i32);
    } else if (request instanceof Request.Abort abort) {
      out.u8(ABORT).i64(abort.put());
    } else if (request instanceof Request.OpenTensors open) {
      out.u8(OPEN_TENSORS).list(open.names(), Bounds.TENSORS, RequestCodec::name);
    } else if (request instanceof Request.OpenVersion open) {
      name(out.u8(OPEN_VERSION), open.stateDict()).i64(open.newerThan()).i32(open.waitMs());
    } else if (request instanceof Request.Read read) {
      box(out.u8(READ).i64(read.lease()).i32(read.index()), read.part());
    } else if (request instanceof Request.Check check) {
      out.u8(CHECK).i64(check.lease()).i32(check.index());
    } else if (request instanceof Request.Release release) {
      out.u8(RELEASE).i64(release.lease());
    } else if (request instanceof Request.Delete delete) {
      out.u8(DELETE).list(delete.names(), Bounds.TENSORS, RequestCodec::name);
    } else if (request instanceof Request.Drop drop) {
      name(out.u8(DROP), drop.stateDict());
    } else if (request instanceof Request.ListTensors list) {
      name(name(out.u8(LIST_TENSORS), list.prefix()), list.after()).i32(list.most());
    } else if (request instanceof Request.ListStateDicts list) {
      name(name(out.u8(LIST_STATE_DICTS), list.prefix()), list.after()).i32(list.most());
    } else if (request instanceof Request.Stat) {
      out.u8(STAT);
    }
    return out.frame(Bounds.REQUEST_BYTES);
  }

  /**
   * The request that {@code message} is, without the length before it.
   *
   * @throws CorruptException if it is none
   */
  public static Request decode(ByteBuffer message) {
    WireReader in = new WireReader(message);
    Request request = decode(in.u8(), in);
    in.end();
    return request;
  }

  private static Request decode(int kind, WireReader in) {
    return switch (kind) {
      case BEGIN ->
          new Request.Begin(
              name(in), in.list(Bounds.TENSORS, NamedSpec.LEAST_BYTES, NamedSpec::read));
      case SEND -> new Request.Send(in.i64());
      case COMMIT ->
          new Request.Commit(in.i64(), in.list(Bounds.TENSORS, Integer.BYTES, WireReader::i32));
      case ABORT -> new Request.Abort(in.i64());
      case OPEN_TENSORS -> new Request.OpenTensors(names(in));
      case OPEN_VERSION -> new Request.OpenVersion(name(in), in.natural(), in.i32());
      case READ -> new Request.Read(in.i64(), in.i32(), box(in));
      case CHECK -> new Request.Check(in.i64(), in.i32());
      case RELEASE -> new Request.Release(in.i64());
      case DELETE -> new Request.Delete(names(in));
      case DROP -> new Request.Drop(name(in));
      case LIST_TENSORS -> new Request.ListTensors(name(in), name(in), in.i32());
      case LIST_STATE_DICTS -> new Request.ListStateDicts(name(in), name(in), in.i32());
      case STAT -> new Request.Stat();
      default -> throw new CorruptException("no request has number " + kind);
    };
  }

  private static WireWriter name(WireWriter out, String name) {
    return out.text(name, Bounds.NAME_BYTES);
  }

  private static String name(WireReader in) {
    return in.text(Bounds.NAME_BYTES);
  }

  private static ImmutableList<String> names(WireReader in) {
    return in.list(Bounds.TENSORS, Integer.BYTES, RequestCodec::name);
  }

  private static void box(WireWriter out, Box box) {
    ImmutableList<Integer> dims =
        IntStream.range(0, box.dimensions()).boxed().collect(ImmutableList.toImmutableList());
    out.list(dims, TensorSpec.MAX_DIMENSIONS, (to, dim) -> to.i64(box.from(dim)).i64(box.to(dim)));
  }

  private static Box box(WireReader in) {
    ImmutableList<long[]> sides =
        in.list(
            TensorSpec.MAX_DIMENSIONS,
            2 * Long.BYTES,
            from -> new long[] {from.natural(), from.natural()});
    try {
      return Box.between(
          Longs.toArray(sides.stream().map(side -> side[0]).toList()),
          Longs.toArray(sides.stream().map(side -> side[1]).toList()));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new CorruptException("a part that is none: " + e.getMessage(), e);
    }
  }
}
