// SPDX-License-Identifier: Apache-2.0
package io.tombolo.adaptors.device;

import static com.google.common.base.Preconditions.checkElementIndex;

import io.tombolo.base.CellSpread;
import io.tombolo.base.LongCell;
import java.util.AbstractList;
import java.util.RandomAccess;
import java.util.function.LongFunction;

/** Words of one block of memory, which stays: each is made when it is asked for. */
final class SpreadWords extends AbstractList<LongCell> implements RandomAccess {
  private final CellSpread spread;
  private final LongFunction<LongCell> cellAt;

  /** Words where {@code spread} says in a block, of which {@code cellAt} gives the cells. */
  SpreadWords(CellSpread spread, LongFunction<LongCell> cellAt) {
    this.spread = spread;
    this.cellAt = cellAt;
  }

  @Override
  public LongCell get(int index) {
    return cellAt.apply(spread.offset(checkElementIndex(index, spread.count())));
  }

  @Override
  public int size() {
    return spread.count();
  }
}
