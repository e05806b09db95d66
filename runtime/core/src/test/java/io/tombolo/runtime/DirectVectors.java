// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import io.tombolo.adaptors.DeviceBuffer;
import io.tombolo.adaptors.Stream;
import io.tombolo.base.DataType;
import io.tombolo.runtime.plan.Reduction;
import io.tombolo.runtime.work.Work;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.IntUnaryOperator;

/** Vectors of ranks 0 and 1: what of them is copied to and from this rank's stage. */
final class DirectVectors {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Several segments, and long enough that an all-reduce goes by pieces; even. */
  private static final int COUNT = (5 << 19) + 10_002;

  private static final int BYTES = COUNT * Integer.BYTES;

  private final Communicator all;
  private final Staged staged;

  DirectVectors(Communicator all, Staged staged) {
    this.all = all;
    this.staged = staged;
  }

  /** What a rank copies for the root of a rooted operation, and for others; half vectors. */
  record Staged(int broadcasts, int isBroadcast, int reduces, int isReduced, int allReduces) {
    /** No NIC reaches the device: everything comes and goes. */
    static final Staged ALL = new Staged(2, 2, 4, 2, 4);

    /** Its NIC only reads it: what comes, and what is combined with that. */
    static final Staged COMING = new Staged(0, 2, 4, 0, 3);

    /** Its NIC reads and writes it: what the host combines. */
    static final Staged COMBINED = new Staged(0, 0, 4, 0, 2);

    /** And the device combines. */
    static final Staged NONE = new Staged(0, 0, 0, 0, 0);
  }

  private interface Call {
    Work make(DeviceBuffer send, DeviceBuffer receive, Stream stream);
  }

  void run() {
    int rank = all.rank();
    for (boolean inPlace : new boolean[] {false, true}) {
      for (int i = 0; i < 2; i++) {
        int root = i;
        boolean mine = rank == root;
        check(
            "broadcast",
            inPlace,
            mine ? staged.broadcasts() : staged.isBroadcast(),
            at -> given(root, at),
            (in, out, stream) -> all.broadcast(in, out, root, stream));
        check(
            "reduce",
            inPlace,
            mine ? staged.reduces() : staged.isReduced(),
            mine ? at -> given(0, at) + given(1, at) : at -> inPlace ? given(rank, at) : -1,
            (in, out, stream) -> all.reduce(in, out, Reduction.sum(), root, stream));
      }
      check(
          "all_reduce",
          inPlace,
          staged.allReduces(),
          at -> given(0, at) + given(1, at),
          (in, out, stream) -> all.allReduce(in, out, Reduction.sum(), stream));
    }
  }

  private void check(String what, boolean inPlace, int halves, IntUnaryOperator wanted, Call call) {
    try (Stream stream = all.device().newStream();
        DeviceArray input = new DeviceArray(all.device(), stream, BYTES);
        DeviceArray other = new DeviceArray(all.device(), stream, BYTES)) {
      DeviceArray output = inPlace ? input : other;
      fill(other, at -> -1);
      fill(input, at -> given(all.rank(), at));
      long before = all.traffic().stagedBytes();
      call.make(input.buffer(DataType.I32, COUNT), output.buffer(DataType.I32, COUNT), stream)
          .await(LIMIT);
      long copied = all.traffic().stagedBytes() - before;
      output.download();
      ByteBuffer found = output.bytes();
      for (int i = 0; i < COUNT; i++) {
        if (found.getInt(i * Integer.BYTES) != wanted.applyAsInt(i)) {
          throw new IllegalStateException(what + ", in place " + inPlace + ": element " + i);
        }
      }
      if (copied != halves * (BYTES / 2L)) {
        throw new IllegalStateException(
            what + " staged " + copied + " of " + BYTES + " bytes: " + all.traffic());
      }
    }
  }

  private static void fill(DeviceArray array, IntUnaryOperator elements) {
    ByteBuffer bytes = array.bytes();
    for (int i = 0; i < COUNT; i++) {
      bytes.putInt(i * Integer.BYTES, elements.applyAsInt(i));
    }
    array.upload();
  }

  private static int given(int rank, int at) {
    return (at % 1_000_003) * (rank + 1);
  }
}
