// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime;

import com.google.common.primitives.ImmutableIntArray;
import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import io.tombolo.base.Deadline;
import io.tombolo.base.errors.CorruptException;
import io.tombolo.runtime.bootstrap.UniqueIds;
import io.tombolo.runtime.store.Store;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts a group by colour, as MPI's communicators are parted. */
final class Split {
  /** The number that names a group in the job; 0 is the group of all ranks. */
  private static final String GROUPS = "groups";

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
  static Optional<RankGroup> of(Session session, RankGroup parent, int colour, int key) {
    Deadline deadline = session.environment().deadline();
    Members members = parent.members();
    int number = parent.nextSplit();
    Store desk = parent.keys().splitDesk(number);
    Choice mine = new Choice(members.self(), colour, key);
    desk.set(Integer.toString(mine.rank()), mine.encode());
    if (colour < 0) {
      return Optional.empty();
    }
    List<Integer> ranks = ranksOf(colour, desk, members.size(), deadline);
    long id = idOf(session, desk, colour, mine.rank(), ranks.get(0), deadline);
    Members chosen =
        new Members(
            ImmutableIntArray.copyOf(ranks.stream().mapToInt(members::jobRank)),
            ranks.indexOf(mine.rank()));
    parent.keys().forgetSplitsBefore(number);
    return Optional.of(session.open(parent, chosen, id, Deadline.after(session.joinLimit())));
  }

  private static List<Integer> ranksOf(int colour, Store desk, int size, Deadline deadline) {
    List<byte[]> all =
        desk.awaitAll(IntStream.range(0, size).mapToObj(Integer::toString).toList(), deadline);
    return IntStream.range(0, size)
        .mapToObj(rank -> Choice.decode(rank, all.get(rank)))
        .filter(choice -> choice.colour() == colour)
        .sorted(Comparator.comparingInt(Choice::key).thenComparingInt(Choice::rank))
        .map(Choice::rank)
        .toList();
  }

  private static long idOf(
      Session session, Store desk, int colour, int rank, int owner, Deadline deadline) {
    byte[] id =
        UniqueIds.share(
            desk,
            "colour-" + colour,
            rank,
            owner,
            () -> Longs.toByteArray(session.store().add(GROUPS, 1)),
            deadline);
    if (id.length != Long.BYTES) {
      throw new CorruptException(
          "the group of colour " + colour + " has an id of " + id.length + " bytes");
    }
    return Longs.fromByteArray(id);
  }
}
