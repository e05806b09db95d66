// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.bootstrap.RollCall;
import io.tombolo.runtime.store.Store;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts a group by colour, as MPI's communicators are parted. */
final class Split {
  private static final String RANKS = "ranks";

  private Split() {}

  private record Choice(int rank, int colour, int key) {
    byte[] encode() {
      return ByteBuffer.allocate(2 * Integer.BYTES).putInt(colour).putInt(key).array();
    }

    static Choice decode(int rank, byte[] bytes) {
      if (bytes.length != 2 * Integer.BYTES) {
        throw new CorruptException(
            "rank " + rank + " chose a colour in " + bytes.length + " bytes");
      }
      return new Choice(
          rank, Ints.fromByteArray(bytes), ByteBuffer.wrap(bytes).getInt(Integer.BYTES));
    }
  }

  /** The group of this rank's colour; nothing if that is negative. */
  static Optional<RankGroup> of(
      Session session, RankGroup parent, int colour, int key, String tag) {
    Deadline deadline = session.environment().deadline();
    Members members = parent.members();
    GroupKeys keys = parent.keys();
    String name = keys.nextSplit(tag);
    Store desk = keys.place().within(name + "/" + RANKS);
    Choice mine = new Choice(members.self(), colour, key);
    desk.set(Integer.toString(mine.rank()), mine.encode());
    if (colour < 0) {
      return Optional.empty();
    }
    List<Integer> ranks = ranksOf(colour, desk, mine.rank(), members.size(), deadline);
    keys.forgetSplitsBefore(name, tag);
    long id = keys.drawId(name + "/colour-" + colour);
    return Optional.of(session.open(parent, members.some(ranks), id, deadline, () -> {}));
  }

  private static List<Integer> ranksOf(
      int colour, Store desk, int rank, int size, Deadline deadline) {
    List<byte[]> all =
        new RollCall(desk, rank, size, "split", "see that all of them call it").await(deadline);
    return IntStream.range(0, size)
        .mapToObj(each -> Choice.decode(each, all.get(each)))
        .filter(choice -> choice.colour() == colour)
        .sorted(Comparator.comparingInt(Choice::key).thenComparingInt(Choice::rank))
        .map(Choice::rank)
        .toList();
  }
}
