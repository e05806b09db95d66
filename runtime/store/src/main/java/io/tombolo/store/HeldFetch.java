// SPDX-License-Identifier: Apache-2.0
package io.tombolo.store;

import com.google.common.collect.ListMultimap;
import com.google.common.collect.MultimapBuilder;
import io.tombolo.store.value.WantedPart;
import io.tombolo.tensors.layout.Box;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies parts of tensors from those who hold them, of each holder all that comes from it in one
 * go. What a holder that goes had comes from others that have it too.
 */
final class HeldFetch {
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
    ListMultimap<HeldLease, Move> moves = planned(missing);
    List<Missing> again = new ArrayList<>();
    List<HeldLease> came = new ArrayList<>();
    for (HeldLease lease : moves.keySet()) {
      List<Move> all = moves.get(lease);
      if (succeeds(lease, all, () -> lease.copy(all.stream().map(Move::piece).toList()))) {
        came.add(lease);
      } else {
        all.forEach(move -> again.add(move.missing()));
      }
    }
    for (HeldLease lease : came) {
      List<Move> all = moves.get(lease);
      if (!succeeds(lease, all, lease::check)) {
        all.forEach(move -> again.add(move.missing()));
      }
    }
    return again;
  }

  /** Who gives what, in the order in which it is wanted. */
  private static ListMultimap<HeldLease, Move> planned(List<Missing> missing) {
    ListMultimap<HeldLease, Move> moves =
        MultimapBuilder.linkedHashKeys().arrayListValues().build();
    for (Missing each : missing) {
      each.tensor()
          .divide(
              each.box(),
              (source, box) ->
                  moves.put(source.lease(), new Move(each.cutTo(box), source.index())));
    }
    return moves;
  }

  private static boolean succeeds(HeldLease lease, List<Move> all, Runnable step) {
    return lease.succeeds(step, () -> all.stream().allMatch(move -> move.missing().isLeft()));
  }
}
