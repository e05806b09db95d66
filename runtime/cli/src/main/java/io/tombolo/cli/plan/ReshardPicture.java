// SPDX-License-Identifier: Apache-2.0
package io.tombolo.cli.plan;

import com.google.common.base.Joiner;
import com.google.common.collect.Lists;
import io.tombolo.cli.console.Table;
import io.tombolo.tensors.layout.Box;
import io.tombolo.tensors.layout.Nearness;
import io.tombolo.tensors.layout.Shard;
import io.tombolo.tensors.layout.TensorLayout;
import io.tombolo.tensors.reshard.Resharding;
import io.tombolo.tensors.reshard.Transfer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The tensor as a table of the tiles that the cuts of both layouts leave of it, and who gives each
 * to whom.
 *
 * @param table rows and columns of tiles
 * @param legend how to read it
 */
record ReshardPicture(Table table, String legend) {
  private static final int MAX_COLUMNS = 8;
  private static final int MAX_ROWS = 32;
  private static final int MAX_ARROWS = 6;
  private static final int MAX_RANKS = 64;

  /** The picture, if it is small enough to be understood. */
  static Optional<ReshardPicture> of(Resharding plan) {
    Box whole = plan.to().whole();
    if (whole.isEmpty() || plan.from().size() > MAX_RANKS || plan.to().size() > MAX_RANKS) {
      return Optional.empty();
    }
    List<Integer> cutDims =
        IntStream.range(0, whole.dimensions())
            .filter(dim -> cuts(plan, dim).length > 2)
            .boxed()
            .toList();
    if (cutDims.size() > 2 || whole.dimensions() == 0) {
      return Optional.empty();
    }
    int rowDim = cutDims.isEmpty() ? 0 : cutDims.get(0);
    int columnDim = cutDims.size() < 2 ? -1 : cutDims.get(1);
    long[] rows = cuts(plan, rowDim);
    long[] columns = columnDim < 0 ? new long[] {0, 1} : cuts(plan, columnDim);
    if (rows.length > MAX_ROWS || columns.length > MAX_COLUMNS) {
      return Optional.empty();
    }
    return Optional.of(
        new ReshardPicture(
            table(plan, rowDim, rows, columnDim, columns), legend(rowDim, columnDim)));
  }

  private static long[] cuts(Resharding plan, int dim) {
    return Stream.of(plan.from(), plan.to())
        .map(TensorLayout::shards)
        .flatMap(List::stream)
        .map(Shard::box)
        .filter(box -> !box.isEmpty())
        .flatMapToLong(box -> LongStream.of(box.from(dim), box.to(dim)))
        .sorted()
        .distinct()
        .toArray();
  }

  private static Table table(
      Resharding plan, int rowDim, long[] rows, int columnDim, long[] columns) {
    List<Transfer> transfers =
        plan.to().shards().stream().flatMap(shard -> plan.into(shard.rank()).stream()).toList();
    List<String> titles = new ArrayList<>(List.of(""));
    for (int column = 0; column + 1 < columns.length; column++) {
      titles.add(columnDim < 0 ? "who gives it to whom" : range(columns, column));
    }
    Table table = new Table(titles.toArray(String[]::new));
    for (int row = 0; row + 1 < rows.length; row++) {
      List<Object> cells = new ArrayList<>(List.of(range(rows, row)));
      for (int column = 0; column + 1 < columns.length; column++) {
        Box tile = plan.to().whole().cut(rowDim, rows[row], rows[row + 1]);
        tile = columnDim < 0 ? tile : tile.cut(columnDim, columns[column], columns[column + 1]);
        cells.add(arrows(tile, transfers));
      }
      table.row(cells.toArray());
    }
    return table;
  }

  private static String arrows(Box tile, List<Transfer> transfers) {
    List<String> arrows =
        transfers.stream()
            .filter(transfer -> transfer.box().overlap(tile) > 0)
            .map(ReshardPicture::arrow)
            .toList();
    String first =
        Joiner.on(' ')
            .join(Lists.partition(arrows, MAX_ARROWS).stream().findFirst().orElse(List.of()));
    return arrows.size() <= MAX_ARROWS ? first : first + " …";
  }

  private static String arrow(Transfer transfer) {
    return transfer.nearness() == Nearness.PROCESS
        ? "(" + transfer.from() + "→" + transfer.to() + ")"
        : transfer.from() + "→" + transfer.to();
  }

  private static String range(long[] cuts, int index) {
    return cuts[index] + ":" + cuts[index + 1];
  }

  private static String legend(int rowDim, int columnDim) {
    String axes =
        columnDim < 0
            ? "Rows are indices of dimension " + rowDim + "."
            : "Rows are indices of dimension %d, columns of dimension %d."
                .formatted(rowDim, columnDim);
    return axes + " a→b: rank a of FROM gives it to rank b of TO; (a→b): both are one process.";
  }
}
