// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ImmutableList;
import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import com.google.common.collect.Multimaps;
import io.tombolo.store.value.WantedPart;
import io.tombolo.tensors.layout.Box;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies parts of tensors from those who hold them, of each holder all that comes from it in one
 * go, and where it is much from several holders at a time. What a holder that goes had comes from
 * others that have it too.
 */
final class HeldFetch {
  /** Fewer bytes are not worth a thread. */
  static final long LEAST_BYTES = 8L << 20;

  /** Holders that send at a time, so that one call does not take all of many processors. */
  private static final int MOST_STREAMS = 8;

  /**
   * What has not come yet of a part that is wanted.
   *
   * @param tensor it is of
   * @param box of the tensor: the wanted part, or a piece of it
   * @param wanted the whole part, and where to
   */
  record Missing(HeldTensor tensor, Box box, WantedPart wanted) {
    private Missing cutTo(Box smaller) {
      return new Missing(tensor, smaller, wanted);
    }

    private boolean isLeft() {
      return tensor.isLeft(box);
    }
  }

  /** A piece, and which of a holder's it is part of. */
  private record Move(Missing missing, int index) {
    HeldLease.Piece piece() {
      return new HeldLease.Piece(index, missing.box(), missing.wanted());
    }
  }

  /** What one holder gives in a round. Run by one thread, and looked at once that has ended. */
  private static final class Share implements Runnable {
    private final HeldLease lease;
    private final List<Move> moves;
    private boolean came;

    Share(HeldLease lease, List<Move> moves) {
      this.lease = lease;
      this.moves = moves;
    }

    @Override
    public void run() {
      came = succeeds(() -> lease.copy(moves.stream().map(Move::piece).toList()));
    }

    /** Whether it has come, and is good. */
    boolean isThere() {
      return came && succeeds(lease::checkCopied);
    }

    private boolean succeeds(Runnable step) {
      return lease.succeeds(step, () -> moves.stream().allMatch(move -> move.missing().isLeft()));
    }

    /** Bytes that do not lie in memory that is shared. */
    long farBytes() {
      return moves.stream()
          .filter(move -> !lease.isShared(lease.held().parts().get(move.index())))
          .mapToLong(move -> move.piece().sizeBytes())
          .sum();
    }
  }

  private HeldFetch() {}

  /**
   * Each round leaves what holders had that have gone meanwhile; the next asks those who are left
   * for it. So there is another round only if one fewer is left.
   */
  static void fetch(List<Missing> wanted) {
    List<Missing> missing = wanted;
    while (!missing.isEmpty()) {
      missing = round(missing);
    }
  }

  private static List<Missing> round(List<Missing> missing) {
    ImmutableList<Share> shares = planned(missing);
    SideBySide.run(shares, streams(shares));
    List<Missing> again = new ArrayList<>();
    for (Share share : shares) {
      if (!share.isThere()) {
        share.moves.forEach(move -> again.add(move.missing()));
      }
    }
    return again;
  }

  /** How many holders give at a time: two also on one processor, as the wait is for the network. */
  private static int streams(List<Share> shares) {
    long bytes = shares.stream().mapToLong(Share::farBytes).sum();
    int processors = Runtime.getRuntime().availableProcessors();
    return bytes < LEAST_BYTES ? 1 : Math.max(2, Math.min(processors, MOST_STREAMS));
  }

  /** Who gives what, in the order in which it is wanted. */
  private static ImmutableList<Share> planned(List<Missing> missing) {
    ListMultimap<HeldLease, Move> moves =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    for (Missing each : missing) {
      each.tensor()
          .divide(
              each.box(),
              (source, box) ->
                  moves.put(source.lease(), new Move(each.cutTo(box), source.index())));
    }
    return Multimaps.asMap(moves).entrySet().stream()
        .map(each -> new Share(each.getKey(), each.getValue()))
        .collect(ImmutableList.toImmutableList());
  }
}
