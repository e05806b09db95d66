// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.primitives.Ints;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.bootstrap.Occasion;
import io.tombolo.runtime.bootstrap.TreeGathering;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts a group by colour, as MPI's communicators are parted. */
final class Split {
  private static final String RANKS = "ranks";
  private static final Occasion CALL = new Occasion("split", "see that all of them call it");

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
    Choice mine = new Choice(members.self(), colour, key);
    TreeGathering gathering =
        new TreeGathering(
            keys.place().within(name + "/" + RANKS), mine.rank(), members.size(), CALL, deadline);
    gathering.give(mine.encode());
    if (colour < 0) {
      return Optional.empty();
    }
    List<Integer> ranks = ranksOf(colour, gathering.awaitEach());
    keys.forgetSplitsBefore(name, tag);
    long id = keys.drawId(name + "/colour-" + colour);
    return Optional.of(session.open(parent, members.some(ranks), id, deadline, () -> {}));
  }

  private static List<Integer> ranksOf(int colour, List<byte[]> all) {
    return IntStream.range(0, all.size())
        .mapToObj(each -> Choice.decode(each, all.get(each)))
        .filter(choice -> choice.colour() == colour)
        .sorted(Comparator.comparingInt(Choice::key).thenComparingInt(Choice::rank))
        .map(Choice::rank)
        .toList();
  }
}
